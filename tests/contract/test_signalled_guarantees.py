"""Guarantees of campaigns that use signals: what is stored for them, in every storage and after a kill."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests.support.places import MemoryPlace, StoragePlace
from thresher.campaign.ledger.item_order import order_of
from thresher.campaign.local import LocalBackend
from thresher.inference import AskedItems, foreseen_of, intervals
from thresher.problem import Question, Statistics, Structure

POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))
ARMS, ITEMS = ["a", "b", "c"], [f"q{i}" for i in range(120)]
RANDOM = np.random.default_rng(8)
TRUTH = {
    arm: (RANDOM.random(len(ITEMS)) < rate).astype(float) for arm, rate in zip(ARMS, (0.75, 0.3, 0.6), strict=True)
}
JUDGE = {
    arm: {item: float(abs(y - (RANDOM.random() < 0.05))) for item, y in zip(ITEMS, row, strict=True)}
    for arm, row in TRUTH.items()
}
TERMS = {"arms": ARMS, "items": ITEMS, "threshold": 0.5, "budget": 300, "guarantee": "anytime"}


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def place(request: pytest.FixtureRequest) -> StoragePlace:
    """A place for campaigns in each kind of storage."""
    found: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    return found


def outcome(ticket: th.Ticket) -> float:
    return float(TRUTH[ticket.arm][ITEMS.index(str(ticket.item))])


def measure(campaign: th.Campaign, count: int) -> None:
    for _ in range(count // 30):
        tickets = campaign.ask(30)
        campaign.tell_many([(ticket, outcome(ticket)) for ticket in tickets])


def stored(campaign: th.Campaign) -> dict[str, list[float]]:
    """Return how many tickets there were when each score was told."""
    backend = campaign._backend
    assert isinstance(backend, LocalBackend)
    with backend.stored.snapshot() as now:
        return {signal.key: signal.tickets(len(ITEMS)).tolist() for signal in now.signals()}


def limits_of(campaign: th.Campaign, arm: str) -> tuple[float, float]:
    """Return the always-valid interval of an arm from the seed of the order, its outcomes and all scores."""
    backend = campaign._backend
    assert isinstance(backend, LocalBackend)
    with backend.stored.snapshot() as now:
        ledger, position = now.ledger(), ARMS.index(arm)
        pulls = now.pulls(arm=position)
    order, table, tickets = order_of(ledger).items(position)[None], np.full((1, 120), np.nan), np.full((1, 120), np.inf)
    for pull in pulls:
        table[0, pull.item], tickets[0, pull.item] = pull.value, pull.number
    asked = AskedItems(order, tickets, np.array([math.inf]), np.zeros(0), np.zeros((1, 120)))
    scores = np.array([list(JUDGE[arm].values())])
    question = Question.of("bernoulli", thresholds=[0.5], structure=Structure(np.array([120]), proxy=scores))
    n, s = float(len(pulls)), float(np.nansum(table))
    seen = Statistics(np.array([n]), np.array([s]), np.array([0.25 * n]), foreseen=foreseen_of(question, table, asked))
    low, high = intervals(question, seen, alpha=0.05)
    return float(low[0]), float(high[0])


def test_the_interval_of_a_row_uses_the_scores_and_is_that_of_the_order(place: StoragePlace) -> None:
    judged, alone = place.create("judged", **TERMS, proxy=JUDGE), place.create("alone", **TERMS)
    for campaign in (judged, alone):
        measure(campaign, 180)
        campaign.verify()
    rows = {row.arm: row for row in judged.verdicts()}
    for arm in ARMS:
        assert (rows[arm].valid_low, rows[arm].valid_high) == limits_of(judged, arm)
    widths = [[row.valid_high - row.valid_low for row in campaign.verdicts()] for campaign in (judged, alone)]
    assert sum(widths[0]) < 0.9 * sum(widths[1])
    assert all(row.proven == (row.decision != "open") for row in rows.values())


@pytest.mark.parametrize("guarantee", ["fwer", "fdr"])
def test_every_guarantee_decides_and_ends_exactly(guarantee: str) -> None:
    campaign = MemoryPlace().create("c", **TERMS | {"guarantee": guarantee, "budget": 360}, proxy=JUDGE)
    measure(campaign, 180)
    assert {row.arm: row.decision for row in campaign.verdicts()} == {"a": "pass", "b": "fail", "c": "pass"}
    campaign.extend(180)
    measure(campaign, 180)
    for row in campaign.verdicts():
        assert row.decision == ("fail" if row.arm == "b" else "pass")
        if row.pulls == len(ITEMS):
            assert row.valid_low == row.valid_high == pytest.approx(TRUTH[row.arm].mean())


def test_scores_count_from_when_they_were_told_and_imports_count_by_themselves(place: StoragePlace) -> None:
    late, alone = place.create("late", **TERMS), place.create("alone", **TERMS)
    measure(late, 30)
    late.tell_scores([(arm, item, score) for arm, row in JUDGE.items() for item, score in row.items()])
    assert stored(late) == {f"proxy {k}": [30.0] * len(ITEMS) for k in range(3)}
    imported = place.create("imported", **TERMS, proxy=JUDGE)
    told = [(row.arm, ITEMS[i], TRUTH[row.arm][i]) for row in alone.verdicts() for i in range(40)]
    for campaign in (alone, imported):
        campaign.tell_items(told)
        campaign.verify()
    pairs = zip(imported.verdicts(), alone.verdicts(), strict=True)
    assert all((one.valid_low, one.valid_high) == (other.valid_low, other.valid_high) for one, other in pairs)
    for row in late.verdicts():  # all scores came after the first ticket of every arm: outcomes alone
        structure = Structure(np.array([len(ITEMS)]))
        question = Question.of("bernoulli", thresholds=[0.5], structure=structure)
        assert row.raw_mean is not None
        n, s = float(row.pulls), row.raw_mean * row.pulls
        low, high = intervals(
            question, Statistics(np.array([n]), np.array([round(s)]), np.array([0.25 * n])), alpha=0.05
        )
        assert (row.valid_low, row.valid_high) == (low[0], high[0])


KILLED = """
import os, sys
from tests.contract.test_signalled_guarantees import ARMS, JUDGE, TERMS, measure
import thresher as th
campaign = th.Campaign.create(sys.argv[1], "killed", **TERMS, proxy={"a": JUDGE["a"], "b": JUDGE["b"]})
measure(campaign, 60)
campaign.tell_proxy("c", JUDGE["c"])
measure(campaign, 60)
os.kill(os.getpid(), 9)
"""


def test_what_is_stored_survives_a_kill_and_is_what_the_log_says(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'campaigns.db'}"
    here = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", KILLED, address], cwd=here, env=os.environ, check=False)
    assert done.returncode == -9
    campaign = th.Campaign.open(address, "killed")
    assert stored(campaign) == {"proxy 0": [0.0] * 120, "proxy 1": [0.0] * 120, "proxy 2": [60.0] * 120}
    campaign.verify()
    rows = {row.arm: row for row in campaign.verdicts()}
    for arm in ("a", "b"):
        assert (rows[arm].valid_low, rows[arm].valid_high) == limits_of(campaign, arm)
