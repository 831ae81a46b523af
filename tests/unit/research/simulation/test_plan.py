"""Planning: the budget for a target number of mistakes."""

import math
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem import Problem, named
from thresher.research.simulation import judge_saving, simulate
from thresher.research.simulation.plan import assumed_problem, plan, with_items
from thresher.research.theory import gaussian_loss


def exact_uniform_budget(problem: Problem, mistakes: float) -> float:
    low, high = problem.least_budget, 1e7
    while high / low > 1.0001:
        middle = math.sqrt(low * high)
        loss = gaussian_loss(np.full(problem.n_arms, middle / problem.n_arms), problem.gaps)
        low, high = (middle, high) if loss > mistakes else (low, middle)
    return low


def test_uniform_sampling_needs_what_its_exact_loss_says() -> None:
    # Three times the interval's half-width: about six standard errors, and the seed is fixed.
    problem = named("linear:K=20")
    need = {n.policy: n for n in plan(problem, mistakes=1.0, runs=400, seed=3).needs}["uniform"]
    assert need.budget is not None
    assert need.low is not None
    assert need.high is not None
    assert need.low < need.budget < need.high
    assert abs(need.budget - exact_uniform_budget(problem, 1.0)) < 1.5 * (need.high - need.low)


def test_the_stopping_index_needs_less_than_uniform_sampling() -> None:
    stopping, uniform = plan(named("linear:K=20"), mistakes=1.0, runs=200, seed=1).needs
    assert stopping.budget is not None
    assert uniform.budget is not None
    assert stopping.budget < 0.7 * uniform.budget


def test_fewer_mistakes_take_more_budget() -> None:
    many, few = (plan(named("linear:K=10"), mistakes=m, runs=200, seed=1).needs[0].budget for m in (2.0, 0.5))
    assert many is not None
    assert few is not None
    assert few > 2 * many


def test_a_target_that_no_budget_meets_is_reported() -> None:
    hopeless = Problem.gaussian([1e-6] * 4)
    assert plan(hopeless, mistakes=0.01, runs=100).needs[0].budget is None


@pytest.mark.parametrize("mistakes", [0.0, -1.0, math.nan, math.inf])
def test_a_target_must_be_a_positive_number(mistakes: float) -> None:
    with pytest.raises(InvalidInputError, match="positive"):
        plan(named("linear:K=5"), mistakes=mistakes)


def test_rates_are_assumed_to_be_beta_with_the_given_mean_and_spread() -> None:
    population = assumed_problem(arms=5, family="bernoulli", bar=0.8, centre=0.75, spread=0.1).population
    assert population is not None
    a, b = population.first, population.second
    assert a / (a + b) == pytest.approx(0.75)
    assert math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1))) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"arms": 0, "spread": 1.0}, "arms is 0; must be at least 1"),
        ({"arms": 3, "spread": 0.6, "family": "bernoulli", "bar": 0.5}, "must be below 0.5"),
        ({"arms": 3, "spread": 0.1, "family": "bernoulli", "bar": 0.5, "centre": 1.5}, "between 0 and 1"),
        ({"arms": 3, "spread": 0.1, "family": "two-point"}, "gaussian"),
        ({"arms": 3, "spread": -1.0}, "spread is -1; must be a positive number"),
        ({"arms": 3, "spread": math.nan}, "spread is nan; must be a positive number"),
        ({"arms": 3, "spread": 0.1, "bar": math.nan}, "bar is nan; must be a finite number"),
        ({"arms": 3, "spread": 0.1, "family": "bernoulli", "bar": 2.0}, "bar of rates is 2; must be between 0 and"),
    ],
)
def test_assumptions_that_cannot_be_are_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        assumed_problem(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("runs", [1, 2.5, "a"])
def test_a_plan_needs_two_runs_for_its_interval(runs: Any) -> None:
    with pytest.raises(InvalidInputError, match=f"runs is {runs!r}; must be a whole number, at least 2"):
        plan(named("linear:K=5"), mistakes=1.0, runs=runs)


def test_a_pool_needs_no_more_than_all_of_it() -> None:
    # Arms so near the bar that independent draws never settle them; forty items of each do.
    problem = with_items(assumed_problem(arms=10, family="bernoulli", bar=0.5, spread=0.02), 40)
    stopping, uniform = plan(problem, mistakes=0.1, runs=60, seed=1).needs
    assert stopping.budget is not None
    assert uniform.budget is not None
    assert stopping.budget < uniform.budget <= 400.0


def test_the_truth_of_an_assumed_pool_is_the_mean_of_its_items() -> None:
    problem = with_items(assumed_problem(arms=4, family="bernoulli", bar=0.5, spread=0.2), 9)
    for policy in ("uniform", "stopping", "evt-pf"):
        result = simulate(problem, [policy], budgets=[36.0], runs=40, seed=2)
        assert (result.losses(policy) == 0.0).all()
        assert result.rows()[0].spent <= 36.0


def test_items_that_cannot_be_assumed_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="--items is 0; must be at least 1"):
        with_items(named("linear:K=5"), 0)
    with pytest.raises(InvalidInputError, match="has its own outcomes"):
        with_items(Problem.replay({"a": [0, 1]}, 0.5), 7)


def test_a_right_judge_saves_labels_and_one_that_guesses_saves_none() -> None:
    # Over seeds the two savings are 0.86 and 0.00 with standard deviations of 0.013 and 0.020: a false alarm takes five
    # of them, below one in a million.
    problem = assumed_problem(arms=6, family="bernoulli", bar=0.5, spread=0.2)
    saved = {}
    for agreement in (1.0, 0.5):
        found = judge_saving(problem, items=60, agreement=agreement, mistakes=0.4, runs=200, seed=3)
        assert found.saved is not None
        saved[agreement] = found.saved
        assert found.to_dict()["without"]["policy"] == "stopping"
        assert f"agrees on {100 * agreement:g} % of the answers" in found.summary
    assert saved[1.0] > 0.79
    assert abs(saved[0.5]) < 0.1


@pytest.mark.parametrize(
    ("family", "items", "agreement", "says"),
    [
        ("gaussian", 60, 0.9, "must come with outcomes 0 and 1"),
        ("bernoulli", 60, 1.5, "above 0 and at most 1"),
        ("bernoulli", 1, 0.9, "at least 2"),
    ],
)
def test_a_judge_that_cannot_be_is_refused(family: str, items: int, agreement: float, says: str) -> None:
    problem = assumed_problem(arms=6, family=family, bar=0.5, spread=0.2)
    with pytest.raises(InvalidInputError, match=says):
        judge_saving(problem, items=items, agreement=agreement, mistakes=1.0)
