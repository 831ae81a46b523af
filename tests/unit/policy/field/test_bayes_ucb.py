import math

import numpy as np
import pytest
from scipy.stats import beta, norm

from thresher.problem import Problem
from thresher.testing.choices import PROBLEMS, choices


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
