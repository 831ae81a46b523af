import math

import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.problem import Problem


@pytest.mark.parametrize("problem", [PROBLEMS[0], Problem.gaussian([0.01, 2.0, 2.0])], ids=["six", "three"])
def test_an_arm_that_lags_behind_comes_first(problem: Problem) -> None:
    forced = 0
    for seen in choices("slr-d", problem, budget=200, seed=4):
        if seen.counts.min() < math.sqrt(seen.counts.sum()) - 0.5 * problem.n_arms:
            forced += 1
            assert seen.arm == int(np.argmin(seen.counts))
        else:
            keys = seen.counts * ((seen.means - problem.thresholds) / problem.sigma) ** 2
            assert keys[seen.arm] <= keys.min() + 1e-9
    assert forced > 0


def test_no_arm_is_locked_out() -> None:
    # Arm 1 is 1 at first with this seed or another: without forced pulls it might be left there.
    problem = Problem.bernoulli([0.06, 0.04, 0.04, 0.04], thresholds=0.05)
    for seed in range(20):
        *_, last = choices("slr-d", problem, budget=400, seed=seed)
        assert last.counts.min() >= math.floor(math.sqrt(399) - 2.0)
