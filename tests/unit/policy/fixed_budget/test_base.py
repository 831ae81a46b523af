import pickle

import numpy as np
import pytest

from tests.support.choices import field_policy
from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.policy import find_policy
from thresher.policy.fixed_budget import FIELD, FieldPolicy
from thresher.problem import Problem


@pytest.mark.parametrize("name", FIELD)
def test_a_policy_travels_by_name(name: str) -> None:
    policy = field_policy(name)
    assert pickle.loads(pickle.dumps(policy)) == policy


def test_parameters_have_names_and_defaults() -> None:
    assert field_policy("ucbe").parameters == (1.0, 0.0)
    assert field_policy("ucbe:epsilon=0.1").parameters == (1.0, 0.1)
    assert field_policy("ucbe:epsilon=0.1").name == "ucbe:epsilon=0.1"


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("ucbe:scal=1", UnknownNameError, "unknown parameter of 'ucbe' 'scal'; did you mean 'scale'"),
        ("csar:a=1", UnknownNameError, "unknown parameter of 'csar' 'a'; known: none"),
        ("ucbe:scale=much", InvalidProblemError, "scale='much' of 'ucbe:scale=much' cannot be read; give a number"),
        ("ucbe:scale=0", InvalidProblemError, "scale=0 of 'ucbe:scale=0'; give a positive number"),
        ("ucbe:epsilon=-1", InvalidProblemError, "epsilon=-1 of 'ucbe:epsilon=-1'; give 0 or a positive number"),
        ("evt:a=nan", InvalidProblemError, "a=nan of 'evt:a=nan'; give a positive number"),
        ("ucb", UnknownNameError, "did you mean 'ucbe'"),
    ],
)
def test_a_wrong_parameter_is_refused_with_a_sentence(text: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as caught:
        find_policy(text)
    assert sentence in str(caught.value)


def test_only_those_that_need_the_truth_are_told_the_gaps() -> None:
    problem = Problem.gaussian([0.5, -0.2, 0.3, 1.0, 2.0])
    for name in FIELD:
        policy = field_policy(name)
        if policy.why_not(problem) is None:
            assert (policy.brief(problem).gaps != 0.0).any() == policy.needs_truth
    assert field_policy("ucbe").brief(problem).gaps.tolist() == [0.5, 0.2, 0.3, 1.0, 2.0]


def test_nobody_is_told_an_unknown_variance() -> None:
    problem = Problem.gaussian_unknown_variance([0.5, -0.2], sigma=3.0)
    assert field_policy("straddle").brief(problem).sigma.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("name", "problem", "sentence"),
    [
        ("kg", Problem.gaussian([0.1]), "'kg' plays bernoulli and not gaussian"),
        ("ucbe", Problem.two_point([0.1]), "and not two-point"),
        ("ucbe", Problem.named("gaussian-population:K=3"), "'ucbe' needs the true means"),
    ],
)
def test_a_problem_that_it_cannot_play_is_refused(name: str, problem: Problem, sentence: str) -> None:
    with pytest.raises(InvalidProblemError, match=sentence):
        field_policy(name).brief(problem)


def test_the_horizon_is_what_the_budget_pays_for() -> None:
    problem = Problem.gaussian([0.1, 0.2], pull_costs=[1.0, 3.0])
    assert field_policy("ucbe").horizon(problem, 21.0) == 10
    with pytest.raises(InvalidProblemError, match="it needs 4 pulls: give at least 8"):
        field_policy("evt").horizon(problem, 7.0)
    assert field_policy("evt").first_pulls(Problem.gaussian_unknown_variance([0.1])) == 3
    assert isinstance(field_policy("evt"), FieldPolicy)
    assert np.isclose(field_policy("augucb").parameters[0], 1 / 3)
