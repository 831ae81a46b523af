"""A question: what is asked, and what is refused."""

import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem import SMALLEST_COST, Question
from thresher.problem.families import FAMILIES


def test_a_scalar_stands_for_all_arms_and_what_is_left_out_is_one() -> None:
    question = Question.of("gaussian", thresholds=0.5, arms=["x", "y"], costs=3.0)
    assert question.n_arms == 2
    assert question.thresholds.tolist() == [0.5, 0.5]
    assert question.costs.tolist() == [3.0, 3.0]
    assert question.sigma.tolist() == question.pull_costs.tolist() == [1.0, 1.0]


def test_arms_without_names_are_numbered_one_for_each_threshold() -> None:
    assert Question.of("bernoulli", thresholds=[0.8, 0.5, 0.1]).arms == ("1", "2", "3")
    assert Question.of("bernoulli", thresholds=0.8).arms == ("1",)


@pytest.mark.parametrize(
    ("family", "sigma"),
    [
        ("gaussian", 1.0),
        ("gaussian-unknown-variance", 1.0),
        ("bernoulli", 0.5),
        ("bounded", 2.0),
        ("two-point", 1e-300),
    ],
)
def test_a_family_has_a_noise_of_its_own(family: str, sigma: float) -> None:
    question = Question.of(family, thresholds=0.0 if family == "two-point" else 0.5, low=-1.0, high=3.0)
    assert question.kind is FAMILIES[family]
    assert question.sigma.tolist() == [sigma]


def test_money_is_counted_in_millionths_and_first_pulls_must_be_paid() -> None:
    question = Question.of("gaussian-unknown-variance", thresholds=[0.0, 0.0], pull_costs=[0.1, 2.000001])
    assert question.ticks.tolist() == [100_000, 2_000_001]
    assert question.least_budget == pytest.approx(3 * 2.100001)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"thresholds": []}, "number of arms is 0; must be at least 1"),
        (
            {"thresholds": [[0.1, 0.2]]},
            "shape of thresholds is (1, 2); must be one number, or one for each of the 2 arms",
        ),
        (
            {"thresholds": [0.1, 0.2], "arms": ["x"]},
            "shape of thresholds is (2,); must be one number, or one for each of the",
        ),
        ({"thresholds": float("nan")}, "thresholds is nan; must be a finite number"),
        ({"thresholds": "0.5"}, "thresholds is '0.5'; must be a number"),
        ({"sigma": 0.0}, "sigma of arm '1' is 0; must be positive"),
        ({"costs": [1.0, -1.0]}, "cost of arm '2' is -1; must be positive"),
        ({"pull_costs": [1.0]}, "shape of pull_costs is (1,)"),
        (
            {"pull_costs": 0.5 * SMALLEST_COST},
            "smallest pull cost is 5e-07; must be at least 1e-06; use a smaller unit of money",
        ),
        (
            {"pull_costs": 6e11},
            "sum of the pull costs is 1.2e+12; must be at most 1,000,000,000,000; use a larger unit of money",
        ),
        ({"low": 1.0, "high": 1.0}, "range [low, high] is [1.0, 1.0]; low must be below high"),
        ({"high": float("inf")}, "high is inf; must be a finite number"),
        ({"arms": ["x", "x"]}, "name of two arms is 'x'; must be unique"),
    ],
)
def test_what_no_question_can_hold_is_refused_with_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Question.of("gaussian", **({"thresholds": [0.5, 0.2]} | wrong))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("family", "threshold", "sentence"),
    [
        ("bernoulli", 1.0, "threshold of arm '1' is 1; must be between 0 and 1 (exclusive)"),
        ("bounded", -1.0, "threshold of arm '1' is -1; must be between -1 and 3 (exclusive)"),
        ("two-point", 0.1, "thresholds is [0.1]; must be 0 in a two-point problem"),
    ],
)
def test_a_threshold_outside_the_family_is_refused(family: str, threshold: float, sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Question.of(family, thresholds=threshold, low=-1.0, high=3.0)
    assert sentence in str(caught.value)


def test_sigma_is_refused_where_it_follows_from_the_family() -> None:
    with pytest.raises(InvalidInputError, match="sigma is 1; must be left out for the family 'bernoulli'"):
        Question.of("bernoulli", thresholds=0.5, sigma=1.0)


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bernoulli'"):
        Question.of("bernouli", thresholds=0.5)
    wrong: Any = {"threshold": 0.5}
    with pytest.raises(UnknownNameError, match="did you mean 'thresholds'"):
        Question.of("bernoulli", **wrong)


def test_a_question_cannot_be_changed_and_a_changed_copy_is_checked() -> None:
    question = Question.of("gaussian", thresholds=[0.0, 1.0])
    for array in (question.thresholds, question.sigma, question.costs, question.pull_costs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0
    with pytest.raises(FrozenInstanceError):
        question.low = -1.0  # type: ignore[misc]
    with pytest.raises(InvalidInputError, match="cost of arm '2' is 0"):
        replace(question, costs=np.array([1.0, 0.0]))
    assert question.costs.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("protocol", [4, 5])
def test_a_question_that_travelled_is_the_same_and_still_cannot_be_changed(protocol: int) -> None:
    question = Question.of("bounded", thresholds=[0.5, 1.0], high=3.0, pull_costs=[0.5, 2.0], arms=["x", "y"])
    back = pickle.loads(pickle.dumps(question, protocol=protocol))
    for key in ("thresholds", "sigma", "costs", "pull_costs"):
        np.testing.assert_equal(getattr(back, key), getattr(question, key))
        # To compiled code a frozen array is of a type of its own: with another one the kernels would be compiled anew.
        assert not getattr(back, key).flags.writeable
    assert (back.family, back.low, back.high, back.arms) == ("bounded", 0.0, 3.0, ("x", "y"))
    assert back.kind is question.kind
