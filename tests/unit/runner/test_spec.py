"""A spec is checked before anything is paid for."""

from typing import Any

import pytest

from thresher.errors import InvalidProblemError, SpecError
from thresher.runner.reading import Reading
from thresher.runner.spec import RunSpec

LEAST: dict[str, Any] = {"bar": 0.5, "budget": 10, "command": "true", "arms": ["a", "b"]}


def spec(**more: Any) -> RunSpec:
    """Return the smallest spec, with changes."""
    return RunSpec(**(LEAST | more))


def test_the_family_follows_from_the_outcome() -> None:
    assert spec().family == "bernoulli"
    assert spec(outcome="duration").family == "gaussian-unknown-variance"
    assert spec(outcome="last-line", family="bounded", low=-1, high=1, bar=0).family == "bounded"


def test_the_outcome_follows_from_the_measurement() -> None:
    assert spec().reading == Reading("exit")
    assert spec(outcome="json:score").reading == Reading("json", "score")
    assert spec(command="", function="m:f").reading is None
    assert spec(command="", url="http://127.0.0.1/").reading == Reading("json", "outcome")


def test_a_duration_that_is_cut_off_counts_as_the_timeout() -> None:
    assert spec(outcome="duration", timeout=2.0).censored_at == 2.0
    assert spec(timeout=2.0).censored_at is None
    assert spec(timeout=2.0, timeout_outcome=0).censored_at == 0.0


def test_whole_numbers_and_lists_are_taken() -> None:
    made = spec(budget=7, command=["run", "{arm}"])
    assert (made.budget, made.command, made.arms) == (7.0, ("run", "{arm}"), ("a", "b"))


@pytest.mark.parametrize(
    ("changes", "key", "says"),
    [
        ({"command": ""}, "command", "no measurement; give one of command, function, url"),
        ({"url": "http://127.0.0.1/"}, "url", "more than one measurement: command and url"),
        ({"arms": []}, "arms", "no source of arms"),
        ({"arms_glob": "*"}, "arms_glob", "more than one source of arms: arms and arms_glob"),
        ({"bar": 1.2}, "bar", "the bar 1.2 is outside the range of the outcomes; give a number between 0 and 1"),
        ({"bar": 1.0}, "bar", "outside the range"),
        ({"bar": 3, "family": "bounded", "high": 2}, "bar", "between 0 and 2"),
        ({"bar": 0, "outcome": "duration"}, "bar", "between 0 and inf"),
        ({"bar": 3, "outcome": "duration", "timeout": 2}, "bar", "between 0 and 2"),
        ({"bar": float("nan")}, "bar", "bar is nan; give a finite number"),
        ({"bar": "high"}, "bar", "bar is 'high'; give a finite number"),
        ({"bar": True}, "bar", "give a finite number"),
        ({"budget": 0}, "budget", "budget is 0; give a positive number"),
        ({"jobs": 1.5}, "jobs", "jobs is 1.5; give a whole number"),
        ({"jobs": 0}, "jobs", "0 jobs"),
        ({"retries": -1}, "retries", "-1 retries"),
        ({"timeout": -1}, "timeout", "give a positive number"),
        ({"timeout_outcome": 0}, "timeout_outcome", "without a timeout"),
        ({"passes": "over"}, "passes", "pass is 'over'; write above or below"),
        ({"on_error": "ignore"}, "on_error", "write stop or retire"),
        ({"cost": "tokens"}, "cost", "write duration"),
        ({"family": "normal"}, "family", "family is 'normal'; use gaussian"),
        ({"command": ["a", 1]}, "command", "give a text, or a list of words"),
        ({"arms": "a"}, "arms", "give a list"),
        ({"name": 3}, "name", "give a text"),
        ({"arms": [], "matrix": {"x": 1}}, "matrix", "give a table of lists"),
    ],
)
def test_what_is_wrong_is_said_by_its_key(changes: dict[str, Any], key: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec(**changes)
    assert caught.value.key == key
    assert says in str(caught.value)


def test_arms_that_share_a_name_are_refused() -> None:
    with pytest.raises(InvalidProblemError, match=r"arm 3, name is 'a'; must be unique: arm 1 has it too"):
        spec(arms=["a", "b", "a"]).planned_arms()
