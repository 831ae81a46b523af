"""A problem in arrays, and what its pulls show."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.support.contracts.strategies import gaussian_problems, problems
from thresher.problem import Population, Problem, Structure, ticks_of
from thresher.research.engine import arms_of
from thresher.research.engine.draws import DrawnArm, outcome_at, outcomes_between, supply_of, truth_of
from thresher.research.engine.reference import drawn_arms
from thresher.types import Floats

FALSE_ALARM = 1e-6  # of each test that looks at random numbers; the seeds are fixed


def outcomes(problem: Problem, arm: DrawnArm, pulls: int) -> Floats:
    pool = arms_of(problem).pool
    return np.array([outcome_at(arm, pool, place) for place in range(pulls)])


def test_money_is_counted_in_millionths() -> None:
    assert ticks_of(1.0) == 1_000_000
    assert ticks_of(0.1 + 0.2) == 300_000
    assert 10 * arms_of(Problem.gaussian([0.0], pull_costs=0.1)).ticks[0] == ticks_of(1.0)


@given(problem=problems())
def test_arms_hold_what_the_problem_says(problem: Problem) -> None:
    arms = arms_of(problem)
    for ours, theirs in (
        (arms.means, problem.means),
        (arms.sigma, problem.sigma),
        (arms.thresholds, problem.thresholds),
        (arms.costs, problem.costs),
        (arms.ticks * 1e-6, problem.pull_costs),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert arms.first_pulls == (3 if problem.family == "gaussian-unknown-variance" else 1)
    assert arms.pool.size == (0 if problem.pool is None else problem.pool.values.size)


@pytest.mark.parametrize("build", [Problem.gaussian, Problem.gaussian_unknown_variance])
def test_gaussian_outcomes_have_their_mean_and_sigma(build: Callable[..., Problem]) -> None:
    problem = build([0.0, 1.5], 0.3, [1.0, 0.2])
    arm = drawn_arms(arms_of(problem), 1, 0)[1]
    assert stats.kstest(outcomes(problem, arm, 5000), stats.norm(1.5, 0.2).cdf).pvalue > FALSE_ALARM


def test_bernoulli_outcomes_are_one_as_often_as_their_mean_says() -> None:
    problem = Problem.bernoulli([0.0, 0.3, 1.0])
    never, sometimes, always = (outcomes(problem, arm, 5000) for arm in drawn_arms(arms_of(problem), 1, 0))
    assert never.sum() == 0
    assert always.sum() == 5000
    assert stats.binomtest(int(sometimes.sum()), 5000, 0.3).pvalue > FALSE_ALARM


def test_bounded_outcomes_are_a_scaled_beta() -> None:
    problem = Problem.bounded([0.5], 0.2, low=-1.0, high=2.0, concentration=4.0)
    found = outcomes(problem, drawn_arms(arms_of(problem), 1, 0)[0], 5000)
    # The mean 0.5 is half-way from -1 to 2: Beta(2, 2).
    assert stats.kstest((found + 1.0) / 3.0, stats.beta(2.0, 2.0).cdf).pvalue > FALSE_ALARM


def test_two_point_outcomes_are_nothing_or_twice_the_mean() -> None:
    problem = Problem.two_point([-0.5])
    found = outcomes(problem, drawn_arms(arms_of(problem), 1, 0)[0], 5000)
    assert set(found.tolist()) == {0.0, -1.0}
    assert stats.binomtest(int((found == 0.0).sum()), 5000, 0.5).pvalue > FALSE_ALARM


def test_with_replacement_every_sample_of_the_arm_is_equally_likely() -> None:
    problem = Problem.replay({"a": [7.0, 8.0], "b": [1.0, 2.0, 3.0, 4.0]}, 0.5, replacement=True)
    arm = drawn_arms(arms_of(problem), 1, 0)[1]
    values, counts = np.unique(outcomes(problem, arm, 5000), return_counts=True)
    assert values.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert stats.chisquare(counts).pvalue > FALSE_ALARM
    assert supply_of(arm) > 10**12


def test_without_replacement_every_sample_comes_once_and_then_no_more() -> None:
    samples = {"a": [7.0, 8.0], "b": [1.0, 2.0, 3.0, 4.0, 5.0]}
    problem = Problem.replay(samples, 0.5)
    orders = set()
    for run in range(20):
        for arm, values in zip(drawn_arms(arms_of(problem), 1, run), samples.values(), strict=True):
            found = outcomes(problem, arm, len(values))
            assert sorted(found) == values
            assert supply_of(arm) == len(values)
        orders.add(tuple(found))
    assert len(orders) > 10  # of 20 runs, 120 orders: so few only once in far more than 10^12


def test_a_population_gives_every_run_its_own_means() -> None:
    problem = Problem.gaussian(np.zeros(3000), population=Population("gaussian", 0.4, 0.5))
    means = [np.array([arm.mean for arm in drawn_arms(arms_of(problem), 1, run)]) for run in (0, 1)]
    assert not np.isin(means[0], means[1]).any()
    for sample in means:
        assert stats.kstest(sample, stats.norm(0.4, 0.5).cdf).pvalue > FALSE_ALARM


def test_a_beta_population_gives_rates() -> None:
    problem = Problem.bernoulli(np.full(3000, 0.5), population=Population("beta", 0.7, 1.3))
    means = np.array([arm.mean for arm in drawn_arms(arms_of(problem), 1, 0)])
    assert stats.kstest(means, stats.beta(0.7, 1.3).cdf).pvalue > FALSE_ALARM


def test_a_table_gives_each_of_its_values_as_often() -> None:
    problem = Problem.bernoulli(np.full(3000, 0.5), population=Population("table", values=(0.2, 0.5, 0.9)))
    means = np.array([arm.mean for arm in drawn_arms(arms_of(problem), 1, 0)])
    found, counts = np.unique(means, return_counts=True)
    assert found.tolist() == [0.2, 0.5, 0.9]
    assert stats.chisquare(counts).pvalue > FALSE_ALARM


def test_the_mean_of_a_run_is_drawn_apart_from_its_outcomes() -> None:
    problem = Problem.gaussian(np.zeros(3000), population=Population("gaussian", 0.0, 1.0))
    arms = drawn_arms(arms_of(problem), 1, 0)
    noise = np.array([outcome_at(arm, arms_of(problem).pool, 0) - arm.mean for arm in arms])
    product = noise * np.array([arm.mean for arm in arms])
    assert abs(product.mean()) < 5 / math.sqrt(product.size)  # five standard deviations: once in 1.7 million


@given(problem=gaussian_problems())
def test_every_arm_has_its_own_stream(problem: Problem) -> None:
    arms = arms_of(problem)
    values = [
        (outcome_at(arm, arms.pool, place) - arm.mean) / arm.sigma
        for run in (0, 1)
        for arm in drawn_arms(arms, 9, run)
        for place in (0, 1)
    ]
    assert len({round(value, 6) for value in values}) == len(values)


def test_kernels_cannot_draw_for_samplers() -> None:
    arms = arms_of(Problem.custom(lambda rng: rng.normal(), [0.3, -0.3]))
    assert all(math.isnan(outcome_at(arm, arms.pool, 0)) for arm in drawn_arms(arms, 1, 0))


@given(problem=problems())
def test_outcomes_in_a_row_are_those_of_their_places(problem: Problem) -> None:
    arms = arms_of(problem)
    for arm in drawn_arms(arms, 9, 2):
        first, last = 0, min(7, supply_of(arm))
        for middle in range(first, last + 1):
            found = [*outcomes_between(arm, arms.pool, first, middle), *outcomes_between(arm, arms.pool, middle, last)]
            assert found == [outcome_at(arm, arms.pool, place) for place in range(first, last)]


def test_the_truth_of_drawn_pools_is_the_mean_of_all_that_can_be_drawn() -> None:
    problem = Problem.bernoulli([0.3, 0.8], population=Population("beta", 2.0, 3.0))
    structure = Structure(np.array([7, 40]))
    pools = replace(problem, question=replace(problem.question, structure=structure))
    for arm, size in zip(drawn_arms(arms_of(pools), 5, 1), (7, 40), strict=True):
        values = [outcome_at(arm, np.empty(0), place) for place in range(size)]
        assert truth_of(arm) == pytest.approx(np.mean(values))
        assert supply_of(arm) == size
    # Without an end to the draws it is the mean of the distribution.
    assert [truth_of(arm) for arm in drawn_arms(arms_of(problem), 5, 1)] == [
        arm.mean for arm in drawn_arms(arms_of(problem), 5, 1)
    ]
