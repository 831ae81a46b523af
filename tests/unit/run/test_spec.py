"""A spec is checked before anything is paid for."""

from typing import Any

import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.run.reading import Reading
from thresher.run.spec import RunSpec

LEAST: dict[str, Any] = {"bar": 0.5, "budget": 10, "command": "true", "arms": ["a", "b"]}


def spec(**more: Any) -> RunSpec:
    """Return the smallest spec, with changes."""
    return RunSpec(**(LEAST | more))


def test_the_family_follows_from_the_outcome() -> None:
    assert spec().family == "bernoulli"
    assert (spec(outcome="duration").family, spec(outcome="duration").quantile) == ("bernoulli", 0.5)
    assert spec(outcome="duration", quantile=0.95).quantile == 0.95
    for means in ({"quantile": 0}, {"family": "gaussian-unknown-variance"}):
        found = spec(outcome="duration", **means)
        assert (found.family, found.quantile) == ("gaussian-unknown-variance", 0.0)
    assert spec().quantile == 0.0
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
        ({"command": ""}, "command", "command is missing; give a measurement by exactly one of command, function, url"),
        ({"url": "http://127.0.0.1/"}, "url", "exactly one of command, function, url, promptfoo; command is there too"),
        ({"arms": []}, "arms", "give arms by exactly one of arms, arms_file"),
        ({"arms_glob": "*"}, "arms_glob", "arms is there too"),
        ({"bar": 1.2}, "bar", "bar is 1.2; must be between 0 and 1 (exclusive)"),
        ({"bar": 1.0}, "bar", "must be between 0 and 1 (exclusive)"),
        ({"bar": 3, "family": "bounded", "high": 2}, "bar", "between 0 and 2"),
        ({"bar": 0, "outcome": "duration"}, "bar", "bar is 0; must be above 0"),
        ({"bar": 3, "outcome": "duration", "timeout": 2}, "bar", "between 0 and 2"),
        ({"bar": float("nan")}, "bar", "bar is nan; must be a finite number"),
        ({"bar": "high"}, "bar", "bar is 'high'; must be a finite number"),
        ({"bar": True}, "bar", "must be a finite number"),
        ({"budget": 0}, "budget", "budget is 0; must be above 0"),
        ({"jobs": 1.5}, "jobs", "jobs is 1.5; must be a whole number"),
        ({"jobs": 0}, "jobs", "jobs is 0; must be at least 1 and at most 1000"),
        ({"retries": -1}, "retries", "retries is -1; must be at least 0"),
        ({"timeout": -1}, "timeout", "must be above 0"),
        ({"timeout_outcome": 0}, "timeout", "timeout is missing; timeout_outcome needs a timeout"),
        ({"on_error": "ignore"}, "on_error", "must be stop or retire"),
        ({"cost": "tokens"}, "cost", "must be returned, last-line, duration, regex:PATTERN or json:FIELD"),
        ({"cost": "exit"}, "cost", "must be returned, last-line"),
        ({"cost": "returned"}, "cost", "must not be 'returned' without a function"),
        ({"cost": "json:usd", "command": "", "function": "m:f"}, "cost", "must be duration or returned"),
        ({"cost": "regex:("}, "pattern of the cost", "must be a regular expression"),
        ({"lease": 0}, "lease", "lease is 0; must be at least 0.001"),
        ({"risk": 2}, "risk", "risk is 2; must be between 0 and 0.5 (exclusive)"),
        ({"command": ["a", 1]}, "command", "must be a text, or a list of words"),
        ({"arms": "a"}, "arms", "must be a list"),
        ({"name": 3}, "name", "must be a text"),
        ({"arms": [], "matrix": {"x": 1}}, "matrix", "must be a table of lists"),
    ],
)
def test_what_is_wrong_is_said_by_its_key(changes: dict[str, Any], key: str, says: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        spec(**changes)
    assert caught.value.where == key
    assert says in str(caught.value)


def test_an_unknown_family_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown family 'normal'"):
        spec(family="normal")
    with pytest.raises(UnknownNameError, match="unknown passes 'over'"):
        spec(passes="over")


def test_durations_are_in_seconds_unless_a_unit_is_given() -> None:
    assert (spec(outcome="duration").unit, spec(outcome="duration", unit="min").unit, spec().unit) == ("s", "min", "")


def test_the_terms_are_those_of_the_campaign() -> None:
    terms = spec(risk=0.1, expiry="forfeit", stop_mistakes=1).terms
    assert (terms.family, terms.risk, terms.expiry, terms.stop_mistakes) == ("bernoulli", 0.1, "forfeit", 1.0)
    assert (terms.lease, terms.policy) == (30.0, "stopping")


def test_arms_that_share_a_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"arm 3, name is 'a'; must be unique: arm 1 has it too"):
        spec(arms=["a", "b", "a"]).planned_arms()
