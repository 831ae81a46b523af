"""Problems with samplers of the user's own."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem import Problem, Question, sample


def student(rng: np.random.Generator) -> float:
    return float(rng.standard_t(2) + 0.3)


def returning(value: Any) -> Callable[[np.random.Generator], Any]:
    return lambda rng: value


def custom(samplers: Any, **more: Any) -> Problem:
    return Problem.custom(samplers, **({"means": [0.3, -0.3]} | more))


def test_a_custom_problem_keeps_one_sampler_for_each_arm_and_the_true_means() -> None:
    other = returning(-0.3)
    problem = custom([student, other], arms=("heavy", "fixed"), costs=[1.0, 2.0], name="mine")
    assert problem.truth.samplers == (student, other)
    assert problem.means.tolist() == [0.3, -0.3]
    assert problem.is_above.tolist() == [True, False]
    assert (problem.arms, problem.costs.tolist(), problem.name) == (("heavy", "fixed"), [1.0, 2.0], "mine")


def test_the_family_is_gaussian_with_sigma_one_unless_given() -> None:
    problem = custom(student)
    assert problem.truth.samplers == (student, student)
    assert (problem.family, problem.sigma.tolist()) == ("gaussian", [1.0, 1.0])
    assert custom(student, sigma=2.0).sigma.tolist() == [2.0, 2.0]
    scores = custom(returning(5.0), means=[5.0, 5.0], thresholds=4.0, family="bounded", low=1.0, high=5.0)
    assert scores.sigma.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "value", [1, 0.0, True, np.float32(1.0), np.int8(0), np.bool_(True), np.array(1.0)], ids=lambda value: repr(value)
)
def test_one_number_of_any_type_is_an_outcome(value: Any) -> None:
    question = Question.of("bernoulli", thresholds=0.5)
    outcome = sample(question, 0, returning(value), np.random.default_rng(1))
    assert type(outcome) is float
    assert outcome == float(value)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "None; must be one finite number"),
        ("0.5", "'0.5'; must be one finite number"),
        ([0.5], "[0.5]; must be one finite number"),
        (np.array([0.5, 0.1]), "array([0.5, 0.1]); must be one finite number"),
        (np.array([0.5]), "array([0.5]); must be one finite number"),
        (1j, "1j; must be one finite number"),
        (10**400, "must be one finite number"),
    ],
)
def test_what_is_not_one_number_is_refused_with_the_arm(value: Any, sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        custom([student, returning(value)], arms=("x", "y"))
    assert str(caught.value).startswith("outcome of the sampler of arm 'y' is ")
    assert str(caught.value).endswith(sentence)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "family", "why"),
    [
        (float("nan"), "gaussian", "nan; must be one finite number"),
        (float("-inf"), "gaussian-unknown-variance", "-inf; must be one finite number"),
        (0.5, "bernoulli", "0.5; must fit the family 'bernoulli': 0.5 is neither 0 nor 1"),
        (1.5, "bounded", "1.5; must fit the family 'bounded': 1.5 is outside [0, 1]"),
    ],
)
def test_an_outcome_that_the_family_does_not_allow_is_refused_with_the_arm(value: Any, family: str, why: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        custom([returning(0), returning(value)], means=[0.0, 0.5], thresholds=0.5, family=family)
    assert str(caught.value) == f"outcome of the sampler of arm '2' is {why}"


@pytest.mark.parametrize(
    ("samplers", "sentence"),
    [
        ([student], "number of samplers is 1; must be the number of arms, 2, or one function for all"),
        ([], "number of samplers is 0"),
        (0.5, "samplers is 0.5; must be one for each arm"),
        ([student, 0.5], "sampler of arm '2' is 0.5; must be a function: write a function sampler(rng)"),
        ([lambda: 0.5, student], "sampler of arm '1' is <function"),
        ([student, lambda rng, size: 0.5], "sampler of arm '2' is <function"),
        (
            [student, lambda rng: 1 / 0],
            "outcome of the sampler of arm '2' is ZeroDivisionError('division by zero'); must",
        ),
        ([student, dict], "outcome of the sampler of arm '2' is TypeError("),
    ],
)
def test_what_is_no_sampler_is_refused_with_the_arm(samplers: Any, sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        custom(samplers)
    assert str(caught.value).startswith(sentence)


def test_what_else_is_wrong_is_refused_as_in_other_problems() -> None:
    with pytest.raises(InvalidInputError, match="number of names is 1; must be the number of arms, 2"):
        custom(student, arms=("x",))
    with pytest.raises(InvalidInputError, match="sigma is 1; must be left out for the family 'bernoulli'"):
        custom(returning(1), means=[0.3, 0.4], thresholds=0.5, family="bernoulli", sigma=1.0)
    with pytest.raises(InvalidInputError, match=r"mean of arm '2' is -0.3; must be between 0 and 1 \(inclusive\)"):
        custom(returning(1), thresholds=0.5, family="bernoulli")
    with pytest.raises(UnknownNameError, match="did you mean 'thresholds'"):
        custom(student, treshold=0.1)


def test_checking_a_sampler_draws_with_a_generator_of_its_own() -> None:
    given = []

    def noting(rng: np.random.Generator) -> float:
        given.append(rng)
        return rng.normal()

    state = repr(np.random.get_state())
    custom([noting, noting, returning(0.0)], means=[0.0, 0.0, 0.0])
    assert len(given) == 1, "one function is called once, whatever the number of its arms"
    assert repr(np.random.get_state()) == state


def test_the_digest_tells_samplers_apart_and_nothing_else_changes() -> None:
    plain, one, other = Problem.gaussian([0.3, -0.3]), custom(returning(0.3)), custom(returning(0.2))
    assert {key for key in one.digests() if one.digests()[key] != other.digests()[key]} == {"samplers"}
    assert one.digests()["samplers"] == custom(returning(0.3)).digests()["samplers"]
    assert {key: part for key, part in one.digests().items() if key != "samplers"} == plain.digests()
    ordered, turned = (custom([a, b]) for a, b in [(student, returning(0.3)), (returning(0.3), student)])
    assert ordered.fingerprint() != turned.fingerprint()


def test_a_problem_whose_samplers_have_a_name_travels() -> None:
    problem = custom(student)
    back = pickle.loads(pickle.dumps(problem))
    assert back.truth.samplers == (student, student)
    assert back.fingerprint() == problem.fingerprint()
