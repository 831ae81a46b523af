"""Campaigns with items: time of asks and tells compared with a plain campaign, time of a refit, coverage of intervals.

python -m benchmarks.items [--db URL] [--pairs 200] [--outcomes 1000000] [--runs 2000] [--seed 1]

Asks and tells of a plain campaign and of campaigns with items alternate, one pair each, so that all meet the same
machine. The refit of a campaign of 200 arms and 14,000 items is timed in parts, while another process asks.
Coverage is the share of arms whose interval contains the mean of the pool at every look, over whole campaigns that the
default policy drives, looked at after every outcome of an arm.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import thresher as th
from thresher.campaign.ledger import is_due, refit_of, table_of
from thresher.campaign.local import LocalBackend
from thresher.campaign.storage import open_storage
from thresher.inference.intervals import intervals
from thresher.problem import Question, Structure
from thresher.problem.statistics import Statistics
from thresher.report.markdown import markdown_table

SIZES = ((43, 1319), (200, 14_000))
RISK = 0.05


def answers(n_arms: int, n_items: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return 0/1 answers of arms to items that are easy and hard for all of them."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_arms, 1)) + 2.0 * rng.normal(size=(1, n_items))
    return (rng.random((n_arms, n_items)) < 1.0 / (1.0 + np.exp(-logits))).astype(np.float64)


def time_pairs(address: str, pairs: int, seed: int) -> list[dict[str, str]]:
    """Return the median milliseconds of asks and tells, of plain campaigns and of campaigns with items."""
    campaigns = {}
    for n_arms, n_items in SIZES:
        for items in (None, n_items):
            name = f"{n_arms} arms, {'no items' if items is None else f'{items} items'}"
            arms = [f"arm {k}" for k in range(n_arms)]
            made = th.Campaign.create(address, name, arms=arms, items=items, threshold=0.5, budget=n_arms * n_items)
            campaigns[name] = made, answers(n_arms, n_items, seed), list[float](), list[float](), list[float]()
    draws = np.random.default_rng(seed)
    for _ in range(pairs):
        for campaign, table, asks, tells, refits in campaigns.values():
            started = time.perf_counter()
            ticket = campaign.ask()
            asked = time.perf_counter()
            assert ticket is not None
            k = int(ticket.arm.removeprefix("arm "))
            i = int(draws.integers(table.shape[1])) if ticket.item is None else int(ticket.item) - 1
            events = campaign.standing.events if ticket.item else 0
            begun = time.perf_counter()
            campaign.tell(ticket, table[k, i])
            spent = time.perf_counter() - begun
            is_refit = ticket.item is not None and campaign.standing.events > events + 1
            asks.append(asked - started)
            (refits if is_refit else tells).append(spent)
    for campaign, *_ in campaigns.values():
        campaign.disconnect()
    return [
        {"campaign": name, "ask, ms": _middle(asks), "tell, ms": _middle(tells), "refits": str(len(refits))}
        for name, (_, _, asks, tells, refits) in campaigns.items()
    ]


def _middle(seconds: list[float]) -> str:
    return f"{1e3 * statistics.median(seconds):.2f}"


def _asks_meanwhile(address: str, name: str, ready: Any, stop: Any, found: Any) -> None:
    campaign, times = th.Campaign.open(address, name), list[tuple[float, float]]()
    campaign.ask()  # opens the file
    ready.set()
    while not stop.is_set():
        started = time.perf_counter()
        campaign.ask()
        times.append((started, time.perf_counter() - started))
    found.put(times)


def time_refit(address: str, outcomes: int, seed: int) -> dict[str, str]:
    """Return the seconds of a refit: reading, fitting, writing, and the longest ask meanwhile."""
    n_arms, n_items = SIZES[1]
    arms, table = [f"arm {k}" for k in range(n_arms)], answers(n_arms, n_items, seed)
    name = f"refit of {outcomes}"
    campaign = th.Campaign.create(address, name, arms=arms, items=n_items, threshold=0.5, budget=n_arms * n_items)
    order = np.random.default_rng(seed).permutation(n_arms * n_items)[:outcomes]
    backend = campaign._backend
    assert isinstance(backend, LocalBackend)
    backend._refits.running.acquire()  # the refit is timed below, in one piece
    for first in range(0, outcomes, 200_000):
        rows = [(arms[c // n_items], str(c % n_items + 1), table.flat[c]) for c in order[first : first + 200_000]]
        campaign.tell_items(rows)
    backend._refits.running.release()
    context = multiprocessing.get_context("spawn")
    ready, stop, found = context.Event(), context.Event(), context.Queue()
    asking = context.Process(target=_asks_meanwhile, args=(address, name, ready, stop, found))
    asking.start()
    ready.wait()
    time.sleep(0.5)
    storage = open_storage(address)
    begun = time.perf_counter()
    with storage.snapshot(storage.find(name).id) as now:
        ledger, told = now.ledger(), now.answers()
    read = time.perf_counter()
    assert is_due(ledger)
    refit_of(table_of(told, ledger.arms, ledger.items))
    fitted = time.perf_counter()
    backend._refits.refit()
    end = time.perf_counter()
    stop.set()
    asks = found.get()
    asking.join()
    during = [spent for started, spent in asks if started + spent > fitted and started < end]
    before = [spent for started, spent in asks if started + spent < begun]
    campaign.disconnect()
    return {
        "outcomes": f"{outcomes:,}",
        "whole refit, s": f"{end - fitted:.2f}",
        "of it reading, s": f"{read - begun:.2f}",
        "fitting, s": f"{fitted - read:.2f}",
        "asks meanwhile": f"{len(during)}",
        "median ask, ms": _middle(during),
        "longest ask, ms": f"{1e3 * max(during):.0f}",
        "median ask before, ms": _middle(before),
    }


def coverage(runs: int, seed: int) -> list[dict[str, str]]:
    """Return how often an interval contains the mean of its pool at every look, with random orders of random pools."""
    rng, rows = np.random.default_rng(seed), []
    for family in ("bernoulli", "bounded", "gaussian", "gaussian-unknown-variance"):
        for size in (20, 200):
            centre = rng.normal(0.0, 1.0, (runs, 1))
            pools = centre + rng.normal(size=(runs, size))
            if family == "bernoulli":
                pools = (pools > 0.0).astype(np.float64)
            elif family == "bounded":
                pools = 1.0 / (1.0 + np.exp(-pools))
            means = pools.mean(axis=1)
            given: dict[str, Any] = {"sigma": 1.0} if family == "gaussian" else {}
            structure = Structure(np.full(runs, size))
            question = Question.of(family, thresholds=np.full(runs, 0.5), structure=structure, **given)
            held = np.ones(runs, np.bool_)
            for n in range(1, size + 1):
                part = pools[:, :n]
                seen = Statistics(np.full(runs, float(n)), part.sum(axis=1), ((part - 0.5) ** 2).sum(axis=1))
                low, high = intervals(question, seen, alpha=RISK)
                held &= ~((low > means + 1e-9) | (high < means - 1e-9))
            rows.append({"family": family, "items": str(size), "arms": str(runs), "covered": f"{held.mean():.4f}"})
    return rows


def campaign_coverage(runs: int, seed: int) -> dict[str, str]:
    """Return the same over campaigns that the default policy drives, each arm looked at after each of its outcomes."""
    held = arms = 0
    for run in range(runs):
        table = answers(10, 60, seed + run)
        arms_named = [str(k) for k in range(10)]
        address = f"memory://coverage-{run}"
        campaign = th.Campaign.create(address, "c", arms=arms_named, items=60, threshold=0.5, budget=300)
        told: list[list[float]] = [[] for _ in range(10)]
        is_held = np.ones(10, np.bool_)
        for ticket in campaign.tickets():
            k = int(ticket.arm)
            assert ticket.item is not None
            campaign.tell(ticket, table[k, int(ticket.item) - 1])
            told[k].append(table[k, int(ticket.item) - 1])
            one = Question.of("bernoulli", thresholds=[0.5], structure=Structure(np.array([60])))
            values = np.array(told[k])
            seen = Statistics(np.array([float(values.size)]), np.array([values.sum()]), np.array([values.size / 4.0]))
            low, high = intervals(one, seen, alpha=RISK)
            is_held[k] &= bool(low[0] <= table[k].mean() <= high[0])
        held, arms = held + int(is_held.sum()), arms + 10
    return {"family": "bernoulli, campaigns", "items": "60", "arms": str(arms), "covered": f"{held / arms:.4f}"}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db", default="")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--outcomes", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--campaigns", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        address = given.db or f"sqlite:///{Path(folder) / 'items.db'}"
        for rows in (
            time_pairs(address, given.pairs, given.seed),
            [time_refit(address, given.outcomes, given.seed)],
            [*coverage(given.runs, given.seed), campaign_coverage(given.campaigns, given.seed)],
        ):
            print(markdown_table(list(rows[0]), [list(row.values()) for row in rows]), "\n", flush=True)


if __name__ == "__main__":
    main()
