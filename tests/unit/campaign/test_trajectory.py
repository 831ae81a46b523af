"""How many mistakes were expected as the budget was spent, and where that leads."""

import math
import random

import pytest

from thresher.campaign import Campaign, Entry
from thresher.campaign import trajectory as module
from thresher.campaign.storage import MemoryStorage
from thresher.campaign.trajectory import Point, Trajectory, projected


def measured(*, outcomes: int, budget: int = 120) -> Campaign:
    """Return a campaign of four coins after this many tosses."""
    rng = random.Random(1)
    rates = {"a": 0.9, "b": 0.6, "c": 0.4, "d": 0.1}
    made = Campaign.create(MemoryStorage(), "c", arms=list(rates), threshold=0.5, budget=budget, policy="lsa")
    for _ in range(outcomes):
        ticket = made.ask()
        assert ticket is not None
        made.tell(ticket, rng.random() < rates[ticket.arm])
    return made


def test_the_last_point_is_what_the_campaign_says_itself() -> None:
    campaign = measured(outcomes=61)
    path = Trajectory(campaign.terms)
    path.catch_up(campaign.history)
    assert path.events == campaign.standing.events
    assert path.points[-1] == pytest.approx((61, campaign.verdicts().expected_mistakes))
    assert [point.spent for point in path.points[:3]] == [1, 3, 5]  # one for each sixtieth of the budget


def test_every_point_is_what_the_campaign_said_then() -> None:
    campaign = Campaign.create(MemoryStorage(), "c", arms=["a", "b"], threshold=0.5, budget=12, policy="lsa")
    path, said = Trajectory(campaign.terms), []
    for n in range(12):
        ticket = campaign.ask()
        assert ticket is not None
        campaign.tell(ticket, n % 3 == 0)
        said.append(Point(n + 1, campaign.verdicts().expected_mistakes))
    path.catch_up(campaign.history)
    assert path.points == said


def test_taking_in_little_by_little_is_taking_in_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = measured(outcomes=40)
    whole, parts = Trajectory(campaign.terms), Trajectory(campaign.terms)
    whole.take(campaign.history())
    monkeypatch.setattr(module, "ENTRIES", 7)
    parts.catch_up(campaign.history)
    assert parts.points == whole.points


def test_a_decision_stands_since_the_amount_at_which_it_was_first_made() -> None:
    campaign = Campaign.create(MemoryStorage(), "c", arms=["a", "b", "c"], threshold=0.5, budget=90, policy="lsa")
    path, first = Trajectory(campaign.terms), dict[str, float]()
    rng = random.Random(2)
    for n in range(90):
        ticket = campaign.ask()
        assert ticket is not None
        campaign.tell(ticket, rng.random() < {"a": 0.95, "b": 0.5, "c": 0.05}[ticket.arm])
        path.catch_up(campaign.history)
        decided = {row.arm for row in campaign.verdicts() if row.decision != "open"}
        first = {arm: first.get(arm, n + 1) for arm in decided}
    path.catch_up(campaign.history)
    assert {"a", "c"} <= first.keys()
    assert {arm: each.spent for arm, each in path.settled.items()} == {
        arm: pytest.approx(spent, abs=1) for arm, spent in first.items()
    }


def test_there_are_no_more_points_than_are_worth_it() -> None:
    campaign = measured(outcomes=200, budget=200)
    path = Trajectory(campaign.terms)
    path.catch_up(campaign.history)
    assert 40 <= len(path.points) <= 60


def test_a_log_that_is_too_long_is_taken_in_up_to_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = measured(outcomes=40)
    monkeypatch.setattr(module, "MOST_EVENTS", 20)
    monkeypatch.setattr(module, "ENTRIES", 10)
    path = Trajectory(campaign.terms)
    path.catch_up(campaign.history)
    assert path.events == 20
    path.catch_up(_not_asked)  # and is not asked for more


def _not_asked(*, after: int, limit: int | None) -> list[Entry]:
    raise AssertionError(f"asked for {limit} after {after}")


def test_a_straight_line_of_logarithms_goes_on() -> None:
    points = [Point(10.0 * n, 8.0 * math.exp(-0.02 * 10 * n)) for n in range(1, 9)]
    end = projected(points, 200.0)
    assert end == pytest.approx((200.0, 8.0 * math.exp(-0.02 * 200)))


@pytest.mark.parametrize(
    ("points", "budget"),
    [
        ([], 100.0),
        ([Point(float(n), 1.0 / n) for n in range(1, 7)], 100.0),  # three in the last half
        ([Point(float(n), 1.0 + n) for n in range(1, 20)], 100.0),  # rising
        ([Point(float(n), 1.0 / n) for n in range(1, 20)], 19.0),  # spent
        ([Point(float(n), 0.0) for n in range(1, 20)], 100.0),
    ],
)
def test_no_projection_is_better_than_a_bad_one(points: list[Point], budget: float) -> None:
    assert projected(points, budget) is None
