"""The truth: where outcomes come from, and what cannot be one."""

import pickle
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem import Population, Problem, Question, Truth, pool_of

POOL = pool_of({"x": [0.0, 1.0], "y": [1.0, 1.0]}, replacement=False)
POPULATION = Population("gaussian", 0.0, 1.0)
QUESTION = Question.of("bernoulli", thresholds=0.5, arms=["x", "y"])


def normal(rng: np.random.Generator) -> float:
    return rng.normal()


def truth(means: list[float], **more: Any) -> Truth:
    return Truth(means=means, **more)  # type: ignore[arg-type]


def test_a_problem_is_a_question_and_a_truth() -> None:
    problem = Problem(QUESTION, truth([0.5, 1.0], pool=POOL), "mine")
    assert problem.fingerprint() == Problem.replay({"x": [0, 1], "y": [1, 1]}, 0.5).fingerprint()
    assert (problem.name, problem.arms, problem.pool) == ("mine", ("x", "y"), POOL)
    assert problem.thresholds is QUESTION.thresholds
    assert problem.is_above.tolist() == [False, True]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"means": []}, "shape of means is (0,); must be one number for each arm, and at least one"),
        ({"means": [0.5, float("nan")]}, "means[1] is nan; must be a finite number"),
        ({"concentration": 0.0}, "concentration is 0; must be positive"),
        ({"concentration": float("inf")}, "concentration is inf; must be a finite number"),
        (
            {"population": POPULATION, "pool": POOL},
            "source of the outcomes is ['population', 'pool']; must be at most one of",
        ),
        (
            {"pool": POOL, "samplers": (normal, normal)},
            "source of the outcomes is ['pool', 'samplers']; must be at most one of",
        ),
        ({"samplers": (normal,)}, "number of samplers is 1; must be the number of arms, 2"),
    ],
)
def test_what_no_truth_can_hold_is_refused_with_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        truth(**({"means": [0.5, 1.0]} | wrong))
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (truth([0.5]), "number of means is 1; must be the number of arms, 2"),
        (truth([0.5, 1.2]), "mean of arm 'y' is 1.2; must be between 0 and 1 (inclusive)"),
        (
            truth([0.5, 0.5], pool=pool_of({"x": [0.0]}, replacement=True)),
            "number of sampled arms is 1; must be the number of arms, 2",
        ),
        (
            truth([0.5, 0.5], pool=pool_of({"x": [0.0], "y": [0.5]}, replacement=True)),
            "a sample of arm 'y' is 0.5; must fit the family 'bernoulli': 0.5 is neither 0 nor 1; "
            "name another family, or correct the sample",
        ),
    ],
)
def test_the_truth_of_another_question_is_refused(other: Truth, sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Problem(QUESTION, other)
    assert str(caught.value) == sentence


def test_a_mean_on_the_end_of_its_range_cannot_be_drawn_but_may_be_recorded() -> None:
    scores = Question.of("bounded", thresholds=0.5, arms=["x", "y"])
    assert Problem(scores, truth([0.5, 1.0], pool=POOL)).means.tolist() == [0.5, 1.0]
    with pytest.raises(InvalidInputError, match=r"mean of arm 'y' is 1; must be between 0 and 1 \(exclusive\)"):
        Problem(scores, truth([0.5, 1.0]))


def test_samplers_are_kept_one_for_each_arm() -> None:
    assert truth([0.0, 0.0], samplers=normal).samplers == truth([0.0, 0.0], samplers=[normal, normal]).samplers
    assert truth([0.0, 0.0], samplers=normal).samplers == (normal, normal)
    assert truth([0.0, 0.0]).samplers is None


@pytest.mark.parametrize("protocol", [4, 5])
def test_a_truth_that_travelled_is_the_same_and_still_cannot_be_changed(protocol: int) -> None:
    found = truth([0.5, 1.0], concentration=7.0, population=POPULATION)
    back = pickle.loads(pickle.dumps(found, protocol=protocol))
    assert (back.means.tolist(), back.concentration, back.population) == ([0.5, 1.0], 7.0, POPULATION)
    assert not back.means.flags.writeable
    assert back.sources() == found.sources()
