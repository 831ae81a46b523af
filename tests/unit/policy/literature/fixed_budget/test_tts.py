import math

import numpy as np

from thresher.policy import find_policy
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.simulation.job import Job


def test_arms_are_drawn_in_proportion_to_their_doubt() -> None:
    # One pull each shows the means (σ is tiny), whose distances from the bar are 1 and 2 standard deviations: the
    # doubts are Φ(-1) and Φ(-2), and the third pull goes to the first arm with Φ(-1) / (Φ(-1) + Φ(-2)) = 0.8746.
    # False alarm: five standard errors of 20,000 runs, 6e-7.
    problem = Problem.replay({"a": [1.0] * 3, "b": [2.0] * 3}, 0.0, family="gaussian", sigma=1.0)
    pulls = Job(problem, find_policy("tts"), SimulationOptions((3.0,)), seed=1).run(0, 20_000).pulls[0]
    near, far = (0.5 * math.erfc(z / math.sqrt(2)) for z in (1.0, 2.0))
    share = near / (near + far)
    assert abs(pulls[0] / 20_000 - 1.0 - share) < 5 * math.sqrt(share * (1 - share) / 20_000)


def test_when_no_doubt_is_left_the_rarest_arm_is_next() -> None:
    problem = Problem.gaussian([1e6, -1e6, 2e6])
    counted = Job(problem, find_policy("tts"), SimulationOptions((30.0,)), seed=0).run(0, 3)
    assert counted.pulls[0].tolist() == [30, 30, 30]
    assert np.all(counted.losses == 0.0)
