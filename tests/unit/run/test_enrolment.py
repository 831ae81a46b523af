"""A run finds its campaign again, lets it grow, and does not go on with another one."""

from itertools import count
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.errors import InvalidInputError, ThresherError
from thresher.run.enrolment import Enrolment
from thresher.run.spec import RunSpec

_numbers = count()


@pytest.fixture
def db() -> str:
    """Return a unique address of memory."""
    return f"memory://enrolment-{next(_numbers)}"


def enrol(db: str, **changes: Any) -> Enrolment:
    """Enrol a spec with two arms, with changes."""
    least: dict[str, Any] = {"name": "x", "bar": 0.5, "budget": 10, "command": "true", "arms": ["a", "b"]}
    spec = RunSpec(**(least | changes), db=db)
    return Enrolment(spec, spec.planned_arms())


def found(db: str) -> Campaign:
    """Return the campaign that a run left."""
    return Campaign.open(db, "x")


def test_a_new_name_makes_a_campaign(db: str) -> None:
    campaign = enrol(db).campaign
    assert campaign is not None
    assert [(row.arm, row.threshold) for row in campaign.verdicts()] == [("a", 0.5), ("b", 0.5)]
    assert campaign.budget == 10


def test_a_known_name_goes_on_with_more_arms_and_more_budget(db: str) -> None:
    first = enrol(db).campaign
    assert first is not None
    first.tell(first.ask().id, 1)  # type: ignore[union-attr]
    for _ in range(2):  # the second time nothing changes
        again = enrol(db, arms=["a", "b", "c"], budget=15).campaign
        assert again is not None
        assert (again.budget, again.spent, len(again.verdicts())) == (15, 1, 3)
    lower = enrol(db, arms=["a", "b", "c"], budget=3)
    assert lower.campaign is not None
    assert lower.campaign.budget == 15
    assert lower.notes == ["the campaign has a budget of 15, which a run does not reduce to 3"]


def test_what_is_added_to_a_campaign_is_noted(db: str) -> None:
    assert enrol(db, items=["q1"]).notes == []
    assert enrol(db, items=["q1"]).notes == []  # the budget of 10 was reduced to 2
    assert enrol(db, items=["q1", "q2", "q3"], arms=["a", "b", "c"]).notes == [
        "added 2 items: the question is now about 3 items",
        "added 1 arm: there are now 3",
    ]


def test_a_campaign_of_mean_durations_goes_on_unless_the_question_is_given(db: str) -> None:
    enrol(db, outcome="duration", quantile=0)  # as all campaigns of durations once were
    assert enrol(db, outcome="duration").notes == [
        "the campaign goes on comparing the mean duration; add --fresh to compare the median"
    ]
    assert enrol(db, outcome="duration", quantile=0).notes == []
    with pytest.raises(InvalidInputError, match="family is 'bernoulli'; must be gaussian-unknown-variance"):
        enrol(db, outcome="duration", quantile=0.5)


def test_a_run_that_is_refused_adds_nothing(db: str) -> None:
    campaign = enrol(db, items=["q1", "q2"]).campaign
    assert campaign is not None
    campaign.tell_items([("a", "q1", 1)])
    enrol(db, items=["q1", "q2"]).note_measurement()
    with pytest.raises(InvalidInputError, match="outcomes would be mixed"):
        enrol(db, items=["q1", "q2", "q3"], command="false")
    assert found(db).standing.items == 2


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"bar": 0.6}, "bar of 'a' is 0.6; must be 0.5, as in the campaign"),
        ({"arms": ["a"]}, "arm 'b' is missing; must stay among the arms"),
        ({"family": "bounded"}, "family is 'bounded'; must be bernoulli"),
        ({"policy": "lsa"}, "policy is 'lsa'; must be stopping"),
        ({"tolerance": 0.01}, "tolerance is 0.01; must be 0.0"),
    ],
)
def test_another_campaign_of_that_name_is_left_alone(db: str, changes: dict[str, Any], says: str) -> None:
    enrol(db)
    with pytest.raises(InvalidInputError, match="give the run another name") as caught:
        enrol(db, **changes)
    assert says in str(caught.value)
    assert len(found(db).verdicts()) == 2


def test_an_arm_that_was_retired_may_be_left_out(db: str) -> None:
    enrol(db)
    found(db).retire("b")
    assert enrol(db, arms=["a"]).campaign is not None


def test_where_time_is_the_cost_an_arm_comes_in_with_its_first_outcome(db: str) -> None:
    spec: dict[str, Any] = {"cost": "duration", "budget": 3.0}
    enrolment = enrol(db, **spec)
    assert enrolment.campaign is None
    assert [arm.name for arm in enrolment.missing()] == ["a", "b"]
    enrolment.admit(enrolment.missing()[0], 1.0, 0.25)
    again = enrol(db, **spec)  # as if the process had been killed
    assert [arm.name for arm in again.missing()] == ["b"]
    campaign = again.admit(again.missing()[0], 0.0, 0.5)
    assert campaign.spent == pytest.approx(0.75)
    assert [(row.arm, row.mean, row.pulls) for row in campaign.verdicts()] == [("a", 1.0, 1), ("b", 0.0, 1)]


def test_a_budget_of_time_that_does_not_open_every_arm_is_refused_and_what_came_is_kept(db: str) -> None:
    enrolment = enrol(db, cost="duration", budget=1.0)
    enrolment.admit(enrolment.missing()[0], 1.0, 0.9)
    with pytest.raises(ThresherError, match="budget"):
        enrolment.admit(enrolment.missing()[0], 1.0, 0.9)
    assert found(db).spent == pytest.approx(0.9)
