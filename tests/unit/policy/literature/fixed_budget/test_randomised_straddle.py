import math

import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.problem import Problem
from thresher.streams import CHOICES, arm_key, run_key, uniform, word_at


@pytest.mark.parametrize("problem", PROBLEMS[:2], ids=lambda problem: problem.family)
def test_every_choice_is_the_most_ambiguous_at_the_drawn_width(problem: Problem) -> None:
    stream = np.uint64(arm_key(np.uint64(run_key(4, 0)), CHOICES))
    for seen in choices("randomised-straddle", problem, budget=90, seed=4):
        drawn = uniform(np.uint64(word_at(stream, int(seen.counts.sum()))))
        width = math.sqrt(-2.0 * math.log(1.0 - drawn))
        keys = np.abs(seen.means - problem.thresholds) - width * problem.sigma / np.sqrt(seen.counts)
        assert keys[seen.arm] <= keys.min() + 1e-9
