"""Campaigns that compare a quantile: what is stored, what is decided, what is shown."""

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.campaign.quantile_rows import outcome_statistics
from thresher.campaign.storage import MemoryStorage

SCALES = {"fast": 80.0, "slow": 320.0}  # medians, in ms


def latency(draw: random.Random, arm: str) -> float:
    """Return a lognormal latency in ms."""
    return SCALES[arm] * draw.lognormvariate(0.0, 0.5)


def campaign_of(outcome: Callable[[random.Random, str], float], *, budget: int = 120, **terms: object) -> Campaign:
    """Return a campaign that is measured to its end."""
    given: dict[str, object] = {"threshold": 200.0, "quantile": 0.9, "passes": "below", "unit": "ms"} | terms
    campaign = Campaign.create(MemoryStorage(), "latency", arms=list(SCALES), budget=budget, **given)  # type: ignore[arg-type]
    draw = random.Random(3)
    for ticket in campaign.tickets():
        campaign.tell(ticket, outcome(draw, ticket.arm))
    return campaign


def test_a_row_has_the_share_with_its_interval_and_mean_and_quantile_of_the_outcomes() -> None:
    told: dict[str, list[float]] = {arm: [] for arm in SCALES}

    def outcome(draw: random.Random, arm: str) -> float:
        told[arm].append(latency(draw, arm))
        return told[arm][-1]

    campaign = campaign_of(outcome)
    campaign.verify()
    found = campaign.verdicts()
    for row in found:
        outcomes = sorted(told[row.arm])
        share = sum(value <= 200.0 for value in outcomes) / len(outcomes)
        assert row.share == pytest.approx(share)
        assert row.valid_low <= share <= row.valid_high
        assert row.mean == pytest.approx(math.fsum(outcomes) / len(outcomes))
        assert row.quantile == outcomes[math.ceil(0.9 * len(outcomes)) - 1]
        assert (row.verdict == "above") == (row.quantile > 200.0) == (share < 0.9)
        assert row.threshold == 200.0
    assert [row.decision for row in found] == ["pass", "fail"]
    assert "Bar: 90\u00a0% of the outcomes at most 200 ms." in found.summary
    assert [(row.mean, row.threshold) for row in found.drawn] == [(row.share, 0.9) for row in found]


def test_the_decision_is_that_of_the_same_zeros_and_ones_under_every_guarantee() -> None:
    terms: dict[str, Any] = {"threshold": [200.0, 250.0]}
    raw = campaign_of(latency, **terms)
    bars = {"fast": 200.0, "slow": 250.0}
    flags = campaign_of(
        lambda draw, arm: latency(draw, arm) > bars[arm], threshold=0.1, quantile=0.0, unit="", passes="below"
    )
    for guarantee in ("calibrated", "anytime", "fdr", "fwer"):
        rows = zip(raw.verdicts(guarantee=guarantee), flags.verdicts(guarantee=guarantee), strict=True)
        for row, flag in rows:
            same = ("verdict", "decision", "proven", "p_wrong", "price", "pulls")
            assert [getattr(row, name) for name in same] == [getattr(flag, name) for name in same]
            assert (row.low, row.high) == (1.0 - flag.high, 1.0 - flag.low)


def test_corrections_keep_the_share_and_the_statistics_of_the_outcomes() -> None:
    campaign = Campaign.create(MemoryStorage(), "x", arms=["a"], threshold=10.0, budget=4, quantile=0.5)
    tickets = campaign.ask(4)
    campaign.tell_many(zip(tickets, (5.0, 10.0, 20.0, 30.0), strict=True))
    campaign.amend(tickets[2], 8.0)
    campaign.void(tickets[3])
    [row] = campaign.verdicts()
    assert (row.pulls, row.share, row.quantile) == (3, 1.0, 8.0)
    assert row.mean == pytest.approx(23 / 3)
    campaign.verify()


def test_items_are_compared_by_a_quantile_too_and_verify() -> None:
    terms: dict[str, Any] = {"items": 40, "quantile": 0.5, "threshold": [90.0, 300.0]}
    campaign = campaign_of(latency, budget=80, **terms)
    campaign.verify()
    whole = campaign.items()
    for row, outcomes, bar in zip(campaign.verdicts(), whole.table, (90.0, 300.0), strict=True):
        told = outcomes[outcomes == outcomes]
        assert row.quantile == sorted(told)[math.ceil(0.5 * told.size) - 1]
        assert row.raw_mean == pytest.approx(told.mean())
        if told.size == 40:
            assert row.share == pytest.approx((told <= bar).mean())


def test_a_quantile_of_few_outcomes_is_the_least_that_enough_do_not_exceed() -> None:
    outcomes = [(0, 3.0), (1, 7.0), (0, 1.0), (0, 2.0)]
    assert outcome_statistics("x", outcomes, 3, quantile=0.5).quantiles[:2] == [2.0, 7.0]
    assert outcome_statistics("x", outcomes, 3, quantile=2 / 3).quantiles[0] == 2.0
    assert outcome_statistics("x", outcomes, 3, quantile=0.7).quantiles[0] == 3.0
    assert math.isnan(outcome_statistics("x", outcomes, 3, quantile=0.5).means[2])
