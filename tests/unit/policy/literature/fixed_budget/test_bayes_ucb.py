import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, norm

from tests.support.choices import PROBLEMS, choices
from tests.support.contracts.strategies import bernoulli_problems, replay_problems, seeds
from thresher.policy import Stop, find_policy
from thresher.policy.literature.fixed_budget.beta import beta_quantile
from thresher.problem import Problem
from thresher.problem.numbers import ticks_of
from thresher.research.engine.draws import arms_of, outcome_at, supply_of
from thresher.research.engine.reference import drawn_arms, play


@pytest.mark.parametrize("problem", PROBLEMS[:2], ids=lambda problem: problem.family)
def test_every_choice_reaches_farthest_beyond_the_bar(problem: Problem) -> None:
    bars = problem.thresholds
    for seen in choices("bayes-ucb:c=0.5", problem, budget=60, seed=4):
        level = 1.0 / ((seen.counts.sum() + 1) * math.log(60) ** 0.5)
        if problem.family == "gaussian":
            spread = problem.sigma / np.sqrt(seen.counts)
            low, high = seen.means + norm.ppf(level) * spread, seen.means - norm.ppf(level) * spread
        else:
            posterior = beta(bars + seen.ones, 1.0 - bars + seen.counts - seen.ones)
            low, high = posterior.ppf(level), posterior.isf(level)
        reach = np.where(seen.means >= bars, bars - low, high - bars)
        assert reach[seen.arm] >= reach.max() - 1e-9


def test_the_reach_by_hand() -> None:
    # Two Gaussian arms after one pull each, T = 3: level 1/(3 log 3), and σ = 1 for both: the mean nearer to the bar.
    first = next(iter(choices("bayes-ucb", Problem.gaussian([1.0, -1.0]), budget=3, seed=8)))
    assert first.counts.tolist() == [1, 1]
    assert first.arm == int(np.argmin(np.abs(first.means)))


@given(
    problem=st.one_of(bernoulli_problems(), replay_problems()), seed=seeds, pulls=st.integers(1, 150),
    c=st.sampled_from([0.0, 0.5, 1.0, 5.0]), prior=st.sampled_from([1e-6, 0.1, 1.0, 4.0]),
)  # fmt: skip
def test_every_choice_is_that_of_all_quantiles_worked_out_anew(
    problem: Problem, seed: int, pulls: int, c: float, prior: float
) -> None:
    # Not one choice may differ, ties included: they go to the lowest arm.
    budget = problem.least_budget + pulls * float(problem.pull_costs.mean())
    rule = find_policy(f"bayes-ucb:c={c!r},prior={prior!r}").bind(problem, Stop(budget))
    order, horizon = play(rule, problem, budget=budget, seed=seed, run=0).order, rule.known.horizon
    arms, drawn, n_arms = arms_of(problem), drawn_arms(arms_of(problem), seed, 0), problem.n_arms
    counts, ones, left = np.zeros(n_arms, np.int64), np.zeros(n_arms), ticks_of(budget)
    for t, k in enumerate(order):
        if t >= n_arms:
            level = min(1.0 / ((t + 1) * math.log(max(horizon, 2)) ** c), 0.5)
            keys = [
                plain_key(level, ones[j], counts[j] - ones[j], problem.thresholds[j], prior)
                if counts[j] < supply_of(drawn[j]) and arms.ticks[j] <= left
                else math.inf
                for j in range(n_arms)
            ]
            assert k == int(np.argmin(keys))
        ones[k] += outcome_at(drawn[k], arms.pool, counts[k])
        counts[k] += 1
        left -= arms.ticks[k]


def plain_key(level: float, ones: float, zeros: float, bar: float, prior: float) -> float:
    """Return minus the reach of an arm, by the quantile from the end that is farther from its mean."""
    a, b = prior * bar + ones, prior * (1.0 - bar) + zeros
    return (
        beta_quantile(level, a, b) - bar if ones / (ones + zeros) >= bar else beta_quantile(level, b, a) - (1.0 - bar)
    )
