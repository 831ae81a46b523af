"""The overview of a campaign: counts, the arm that is worth most, the curve so far and its end."""

import math
from dataclasses import replace

import pytest

from thresher.campaign import Campaign, Verdicts
from thresher.campaign.overview import overview_of
from thresher.campaign.storage import MemoryStorage
from thresher.campaign.trajectory import Point


def campaign() -> Campaign:
    """Return a campaign where one arm is above and one below, and one was never measured."""
    arms = ["high", "low", "new"]
    made = Campaign.create(MemoryStorage(), "c", arms=arms, threshold=0.5, budget=40, policy="lsa")
    made.tell_counts("high", n=6, total=6)
    made.tell_counts("low", n=6, total=0)
    return made


def test_arms_are_counted_by_decision() -> None:
    made = campaign()
    overview = overview_of(made.standing, made.verdicts(), [])
    assert overview.verdicts.counts == {"pass": 1, "fail": 1, "open": 1, "proven": 0}


def test_the_next_arm_is_the_one_of_highest_price_that_is_not_retired() -> None:
    made = campaign()
    rows = made.verdicts()
    best = overview_of(made.standing, rows, []).next_arm
    assert best is not None
    assert best.price == max(row.price for row in rows)
    retired = [replace(row, retired=row.arm == best.arm) for row in rows]
    second = overview_of(made.standing, Verdicts(retired, expected_mistakes=1.0), []).next_arm
    assert second is not None
    assert second.arm != best.arm


def test_a_closed_campaign_has_no_next_arm_and_no_end() -> None:
    made = campaign()
    made.close()
    past = [Point(float(n), math.exp(-n)) for n in range(1, 10)]
    overview = overview_of(made.standing, made.verdicts(), past)
    assert overview.next_arm is None
    assert overview.end is None


def test_the_curve_ends_with_what_is_known_now() -> None:
    made = campaign()
    rows = made.verdicts()
    past = [Point(1.0, 9.0), Point(12.0, 8.0), Point(30.0, 7.0)]  # the last two are not before now
    points = overview_of(made.standing, rows, past).points
    assert points == [Point(1.0, 9.0), Point(12.0, rows.expected_mistakes)]


def test_before_the_first_outcome_there_is_no_curve() -> None:
    made = Campaign.create(MemoryStorage(), "c", arms=["a"], threshold=0.5, budget=4, policy="lsa")
    overview = overview_of(made.standing, made.verdicts(), [])
    assert overview.points == []
    assert overview.verdicts.expected_mistakes == pytest.approx(0.5)
