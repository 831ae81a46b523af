"""Campaigns as people have them, for screenshots and for the tests that walk through every page."""

import math
import random
from typing import Any

from thresher.campaign import Campaign
from thresher.campaign.storage import Storage

SEED = 8
MODELS = ("small", "medium", "large")
TASKS = ("summary", "translation", "extraction", "arithmetic", "dates", "citations", "refusals", "json")


def prompts(storage: Storage, *, told: int = 2000) -> Campaign:
    """Return a campaign of prompts and models under way, with tickets outstanding, a void and a longer budget."""
    rng = random.Random(SEED)  # noqa: S311
    names = [f"{task} / {model}" for task in TASKS for model in MODELS]
    rates = {name: min(0.98, max(0.3, rng.gauss(0.75, 0.2))) for name in names}
    campaign = Campaign.create(storage, "prompts", arms=names, threshold=0.8, budget=2400, lease=600)
    told_tickets = []
    for _ in range(told):
        ticket = campaign.ask()
        assert ticket is not None
        campaign.tell(ticket, rng.random() < rates[ticket.arm])
        told_tickets.append(ticket)
    if told:
        campaign.void(told_tickets[told // 2], reason="the grader was down")
    campaign.extend(200)
    campaign.ask(5)
    return campaign


def latencies(storage: Storage) -> Campaign:
    """Return a campaign of durations that pass below a bar of their own, closed, with an arm that was retired."""
    rng = random.Random(SEED)  # noqa: S311
    columns: dict[str, list[Any]] = {
        "arm": [f"/api/{word}" for word in ("search", "login", "cart", "checkout", "profile", "health", "export")],
        "threshold": [200.0, 80.0, 120.0, 300.0, 100.0, 10.0, 900.0],
    }
    means = [180.0, 95.0, 118.0, 240.0, 60.0, 4.0, 870.0]
    terms: dict[str, Any] = {"family": "gaussian-unknown-variance", "passes": "below", "unit": "ms", "lease": 60}
    campaign = Campaign.create(storage, "latency", arms=columns, budget=200, **terms)
    places = {name: i for i, name in enumerate(columns["arm"])}
    for _ in range(60):
        ticket = campaign.ask()
        assert ticket is not None
        mean = means[places[ticket.arm]]
        campaign.tell(ticket, rng.gauss(mean, 0.15 * mean))
    campaign.retire("/api/export")
    campaign.close(reason="released")
    return campaign


def untouched(storage: Storage) -> Campaign:
    """Return a campaign without a measurement."""
    return Campaign.create(storage, "labels, second round", arms=[f"item {i}" for i in range(1, 13)], threshold=0.5,
                           budget=120)  # fmt: skip


def benchmark(storage: Storage) -> Campaign:
    """Return a campaign of models that answer the same questions, half of them asked."""
    rng = random.Random(SEED)  # noqa: S311
    skills = {f"model {letter}": rng.gauss(0.5, 1.0) for letter in "ABCDEFGHIJKL"}
    levels = {f"question {i}": rng.gauss(0.0, 1.5) for i in range(1, 61)}
    campaign = Campaign.create(storage, "exam", arms=list(skills), items=list(levels), threshold=0.6, budget=360)
    for ticket in campaign.tickets():
        assert ticket.item is not None
        campaign.tell(ticket, rng.random() < 1.0 / (1.0 + math.exp(levels[ticket.item] - skills[ticket.arm])))
    return campaign


def ended(storage: Storage) -> Campaign:
    """Return a campaign whose budget is spent, with arms that are open."""
    rng = random.Random(SEED)  # noqa: S311
    campaign = Campaign.create(
        storage, "prompts, first round", arms=["plain", "with examples", "step by step"], threshold=0.7, budget=60
    )
    while (ticket := campaign.ask()) is not None:
        campaign.tell(ticket, rng.random() < (0.95 if ticket.arm == "step by step" else 0.68))
    return campaign


def many(storage: Storage) -> Campaign:
    """Return a campaign of 500 arms, some with names of 80 characters, measured three times each."""
    rng = random.Random(SEED)  # noqa: S311
    names = [f"tests/integration/billing/test_invoices.py::TestInvoice::test_rounding[case-{i:03}]" for i in range(100)]
    names += [f"test_{word}_{i:03}" for word in ("login", "search", "export", "upload") for i in range(100)]
    rates = dict(zip(names, (rng.choice((0.99, 0.97, 0.6)) for _ in names), strict=True))
    campaign = Campaign.create(storage, "nightly tests", arms=names, threshold=0.9, budget=4000)
    for ticket in campaign.ask(1500):
        campaign.tell(ticket, rng.random() < rates[ticket.arm])
    return campaign


def variants(storage: Storage) -> Campaign:
    """Return a campaign of page variants against the present page, with visitors counted by day."""
    rates = {"present page": 0.10, "large button": 0.125, "short form": 0.102, "no picture": 0.08}
    campaign = Campaign.create(
        storage, "checkout page", arms=list(rates), control="present page", margin=0.0, budget=20_000
    )
    for name, rate in rates.items():
        campaign.tell_counts(name, n=3000, total=round(3000 * rate))
    return campaign


def furnish(storage: Storage, *, told: int = 2000) -> None:
    """Fill a database with campaigns of every kind."""
    benchmark(storage)
    latencies(storage)
    ended(storage)
    many(storage)
    variants(storage)
    untouched(storage)
    prompts(storage, told=told)
