import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.engine import Question, arms_of, run_index_policy, ticks_of
from thresher.engine.coupled import run_coupled_policy
from thresher.engine.coupled_reference import others_make, spend_coupled
from thresher.policy import IndexPolicy, Ranking, find_policy
from thresher.policy.coupled import OTHERS, POPULATION, Coupling, weigh_by_others
from thresher.policy.fitted import Trust
from thresher.problem import Problem

PROBLEMS = [
    Problem.gaussian([0.5, -0.2, 0.01, 1.0, -0.7]),
    Problem.gaussian([0.3, -0.1, 0.7], sigma=[1.0, 0.5, 2.0], pull_costs=[1.0, 2.5, 0.5]),
    Problem.bernoulli([0.2, 0.45, 0.55, 0.9]),
    Problem.gaussian_unknown_variance([0.5, -0.2, 0.1]),
    Problem.replay({"a": [1, 0, 1, 1], "b": [0, 0, 1], "c": [1, 0]}, 0.5),
]


def ranking_of(problem: Problem) -> Ranking:
    policy = find_policy("stopping")
    assert isinstance(policy, IndexPolicy)
    return policy.rank(problem)


def question(*budgets: float) -> Question:
    return Question(np.array([ticks_of(b) for b in budgets], np.int64), False, 0, 0.0, np.inf)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
@settings(max_examples=10)
@given(most=st.integers(0, 5), seed=st.integers(0, 2**40), times=st.floats(1.0, 6.0))
def test_the_compiled_loop_pulls_as_the_readable_one(problem: Problem, most: int, seed: int, times: float) -> None:
    pulls_alike(problem, Coupling(OTHERS, most=most), times * problem.least_budget, seed)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
@settings(max_examples=10)
@given(arms=st.floats(1.0, 99.0), seed=st.integers(0, 2**40), times=st.floats(1.0, 12.0))
def test_it_does_with_a_fitted_population_too(problem: Problem, arms: float, seed: int, times: float) -> None:
    pulls_alike(problem, Coupling(POPULATION, trust=Trust(arms, 0.7)), times * problem.least_budget, seed)


def pulls_alike(problem: Problem, coupling: Coupling, budget: float, seed: int) -> None:
    ranking = ranking_of(problem)
    counted = run_coupled_policy(ranking, coupling, arms_of(problem), question(budget), seed, 3, 1)
    counts, _ = spend_coupled(ranking, coupling, problem, budget=budget, seed=seed, run=3)
    assert counted.pulls[0].tolist() == counts.tolist()
    assert counted.spent[0, 0] == counts @ problem.ticks


@given(chances=st.lists(st.floats(0.0, 0.5), min_size=1, max_size=9), most=st.integers(0, 10))
def test_both_ways_to_the_weights_agree(chances: list[float], most: int) -> None:
    weights = np.empty(len(chances))
    weigh_by_others(np.array(chances), most, weights, np.empty((len(chances) + 1, most + 1)))
    np.testing.assert_allclose(weights, others_make(np.array(chances), most), rtol=1e-9)


def test_when_every_mistake_is_forgiven_it_is_the_stopping_index() -> None:
    problem = Problem.named("linear:K=8")
    arms, ask = arms_of(problem), question(20, 50, 90)
    coupled = run_coupled_policy(ranking_of(problem), Coupling(OTHERS, most=8), arms, ask, 1, 0, 20)
    plain = run_index_policy(ranking_of(problem), arms, ask, 1, 0, 20)
    for one, other in zip(coupled, plain, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("coupling", [Coupling(OTHERS, most=1), Coupling(POPULATION, trust=Trust(5.0, 1.0))])
def test_a_row_does_not_change_when_other_budgets_stand_beside_it(coupling: Coupling) -> None:
    problem = PROBLEMS[0]
    several = run_coupled_policy(ranking_of(problem), coupling, arms_of(problem), question(10, 25, 60), 5, 0, 10)
    alone = run_coupled_policy(ranking_of(problem), coupling, arms_of(problem), question(25), 5, 0, 10)
    np.testing.assert_array_equal(several.losses[:, 1], alone.losses[:, 0])
    np.testing.assert_array_equal(several.pulls[1], alone.pulls[0])


def test_a_hopeless_arm_is_given_up_when_its_mistake_is_forgiven() -> None:
    problem = Problem.gaussian([0.0001, *[0.5 * (-1) ** k for k in range(9)]])
    arms, ask, ranking = arms_of(problem), question(300), ranking_of(problem)
    forgiving, strict = (
        run_coupled_policy(ranking, Coupling(OTHERS, most=most), arms, ask, 0, 0, 400) for most in (1, 0)
    )
    means = [counted.pulls[0, 0] / 400 for counted in (forgiving, strict)]
    variances = [
        counted.pulls_squared[0, 0] / 400 - mean**2 for counted, mean in zip((forgiving, strict), means, strict=True)
    ]
    # Five standard errors of two independent means (these are paired, which can only help): false alarm below 3e-7.
    assert means[0] < means[1] - 5.0 * np.sqrt(sum(variances) / 400)


def test_easy_others_make_a_settled_arm_cheap() -> None:
    # One hard arm among clear ones: what the others show frees pulls for it.
    problem = Problem.named("one-hard:K=20")
    arms, ask, ranking = arms_of(problem), question(200), ranking_of(problem)
    fitted = run_coupled_policy(ranking, Coupling(POPULATION, trust=Trust(5.0, 1.0)), arms, ask, 0, 0, 400)
    plain = run_index_policy(ranking, arms, ask, 0, 0, 400)
    hard = int(np.argmin(np.abs(problem.means)))
    means = [counted.pulls[0, hard] / 400 for counted in (fitted, plain)]
    variances = [c.pulls_squared[0, hard] / 400 - mean**2 for c, mean in zip((fitted, plain), means, strict=True)]
    # Five standard errors of two means: false alarm below 3e-7.
    assert means[0] > means[1] + 5.0 * np.sqrt(sum(variances) / 400)
