"""A campaign warns when its outcomes do not behave as independent samples."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import thresher as th
from thresher.campaign import outcome_checks
from thresher.campaign.storage import open_storage
from thresher.campaign.storage.memory import MemoryStorage

ARMS = [f"arm {k}" for k in range(30)]
RATES = {arm: 0.3 + 0.5 * k / 29 for k, arm in enumerate(ARMS)}


def told(address: str | MemoryStorage, measure: Callable[[str, int], bool], *, budget: int = 1500) -> th.Campaign:
    """Return a campaign whose budget is spent; a measurement knows its arm and how many came before it."""
    campaign = th.Campaign.create(address, "rates", arms=ARMS, threshold=0.6, budget=budget)
    done = 0
    while tickets := campaign.ask(10):
        campaign.tell_many([(ticket, measure(ticket.arm, done + i)) for i, ticket in enumerate(tickets)])
        done += len(tickets)
    return campaign


def test_independent_outcomes_give_no_warning() -> None:
    rng = random.Random(1)
    # Fewer than one look in 1,000 warns; this seed is fixed.
    assert told(MemoryStorage(), lambda arm, _: rng.random() < RATES[arm]).verdicts().notes == ()


def test_a_drift_is_warned_of_in_every_process(tmp_path: Path) -> None:
    rng, address = random.Random(2), f"sqlite:///{tmp_path}/rates.db"
    told(address, lambda arm, place: rng.random() < RATES[arm] - 0.3 * (place > 750))
    notes = th.Campaign.open(address, "rates").verdicts().notes
    assert [note.split(":")[0] for note in notes] == ["outcomes drift"]
    assert "fell by about 0." in notes[0]


def test_answers_out_of_a_cache_are_warned_of() -> None:
    rng, last = random.Random(3), dict[str, bool]()

    def measure(arm: str, _: int) -> bool:
        if arm not in last or rng.random() < 0.6:
            last[arm] = rng.random() < RATES[arm]
        return last[arm]

    notes = told(MemoryStorage(), measure).verdicts().notes
    assert any("not independent: each is like the one before" in note for note in notes)


def test_a_long_campaign_is_judged_by_its_first_and_last_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome_checks, "FIRST", 300)
    monkeypatch.setattr(outcome_checks, "LAST", 300)
    rng = random.Random(4)
    campaign = told(MemoryStorage(), lambda arm, place: rng.random() < RATES[arm] - 0.4 * (place > 750))
    assert any(note.startswith("outcomes drift") for note in campaign.verdicts().notes)


def test_it_looks_again_only_when_a_tenth_more_has_come(tmp_path: Path) -> None:
    rng, address = random.Random(5), f"sqlite:///{tmp_path}/rates.db"
    campaign = told(address, lambda arm, _: rng.random() < RATES[arm], budget=300)
    storage = open_storage(address)
    heading = storage.find("rates")
    watch = outcome_checks.OutcomeChecks(campaign.terms)
    read = []
    for more in (0, 10, 40):
        for ticket in [] if not more else _more(campaign, more):
            campaign.tell(ticket, True)
        with storage.snapshot(heading.id) as now:
            outcomes = now.ledger().told
            read.append(len(watch.pulls(now, outcomes)) if outcomes >= watch.due else None)
    assert read == [300, None, 350]


def _more(campaign: th.Campaign, count: int) -> list[th.Ticket]:
    campaign.extend(count)
    return campaign.ask(count)


def test_outcomes_that_were_taken_out_or_came_as_counts_are_left_out() -> None:
    rng = random.Random(6)
    campaign = th.Campaign.create(MemoryStorage(), "rates", arms=ARMS, threshold=0.6, budget=1500)
    campaign.tell_counts("arm 0", n=200, total=60)
    tickets = [campaign.ask(10) for _ in range(12)]
    for batch in tickets:
        campaign.tell_many([(ticket, rng.random() < RATES[ticket.arm]) for ticket in batch])
    campaign.void(tickets[0][0])
    backend = campaign._backend
    storage, number = backend.stored.storage, backend.stored.heading.id  # type: ignore[union-attr]
    with storage.snapshot(number) as now:
        arms, pulls = now.arms(), now.pulls()
    assert outcome_checks.dependence_of(campaign.terms, arms, pulls).outcomes == 119


def test_means_of_numbers_are_said_to_assume_normal_outcomes_and_skewed_ones_are_warned_of() -> None:
    rng = random.Random(7)
    for draw, words in (
        (partial(rng.gauss, 2.0, 1.0), "assumes outcomes that are about normal"),
        (partial(rng.lognormvariate, 0.0, 1.0), "these are skewed"),
    ):
        campaign = th.Campaign.create(
            MemoryStorage(), "times", arms=["a", "b"], threshold=2.0, budget=120, family="gaussian-unknown-variance"
        )
        for batch in (campaign.ask(10) for _ in range(12)):
            campaign.tell_many([(ticket, draw()) for ticket in batch])
        [note] = [note for note in campaign.verdicts().notes if "normal" in note]
        assert words in note
        assert "--quantile 0.5" in note
