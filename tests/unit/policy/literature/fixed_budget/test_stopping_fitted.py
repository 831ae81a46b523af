import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.errors import InvalidInputError
from thresher.policy import AlgorithmPolicy, Stop, arm_index, find_index_policy, find_policy, rule_of
from thresher.policy.listing import list_policies
from thresher.policy.literature.fixed_budget.fitted import FIRST_FIT
from thresher.problem import Problem
from thresher.research.engine.reference import play


def test_the_policy_has_a_name_and_parameters() -> None:
    fitted = find_policy("stopping-fitted:arms=25")
    assert isinstance(fitted, AlgorithmPolicy)
    assert fitted.parameters == (25.0, 0.5)
    assert ("stopping-fitted", "arms=60,share=0.5") in {(e.name, e.parameters) for e in list_policies()}


def test_a_population_is_fitted_where_means_are_about_normal() -> None:
    fitted = find_policy("stopping-fitted")
    assert fitted.why_not(Problem.gaussian([0.5, -0.5])) is None
    assert "bernoulli" in (fitted.why_not(Problem.bernoulli([0.5, 0.4])) or "")


@pytest.mark.parametrize(
    "wrong",
    ["stopping-fitted:arms=0", "stopping-fitted:arms=inf", "stopping-fitted:arms=nan", "stopping-fitted:share=2"],
)
def test_a_prior_worth_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInputError, match="of 'stopping-fitted"):
        find_policy(wrong)


def test_before_there_is_anything_to_fit_it_is_stopping() -> None:
    problem = PROBLEMS[0]
    ranking, n_arms = find_index_policy("stopping").rank(problem), problem.n_arms
    for seen in choices("stopping-fitted", problem, budget=int(FIRST_FIT) * n_arms, seed=4):
        keys = [arm_index(rule_of(ranking, k), float(seen.counts[k]), seen.ones[k], 0.0) for k in range(n_arms)]
        assert seen.arm == int(np.argmin(keys))


def test_a_fit_that_does_not_count_leaves_stopping() -> None:
    problem = PROBLEMS[0]
    one, other = (
        play(find_policy(name).bind(problem, Stop(200.0)), problem, budget=200.0, seed=5, run=0).order
        for name in ("stopping-fitted:share=0", "stopping")
    )
    assert one == other


def test_a_fit_that_counts_changes_the_order() -> None:
    problem = Problem.gaussian([*np.full(12, 1.5), 0.2])
    one, other = (
        play(find_policy(name).bind(problem, Stop(200.0)), problem, budget=200.0, seed=5, run=0).order
        for name in ("stopping-fitted:arms=2,share=1", "stopping")
    )
    assert one != other
