import math

import numpy as np

from tests.support.choices import PROBLEMS, choices
from thresher.policy import Stop, find_policy
from thresher.policy.literature.fixed_budget.csar import csar_quota
from thresher.problem import Problem
from thresher.research.engine.reference import play


def test_phases_by_hand() -> None:
    # K = 4, T = 100: log-bar = 25/12, (T - K) / log-bar = 46.08, over 4, 3, 2 and 1.
    assert [csar_quota(phase, 4, 100) for phase in (1, 2, 3, 4)] == [12, 16, 24, 47]


def test_each_phase_settles_the_arm_farthest_from_the_bar() -> None:
    for problem in PROBLEMS:
        left = set(range(6))
        rate = (120 - 6) / sum(1 / i for i in range(1, 7))
        for seen in choices("csar", problem, budget=120, seed=5):
            while left and all(seen.counts[k] >= math.ceil(rate / len(left)) for k in left):
                left.remove(max(left, key=lambda k: (abs(seen.means[k] - problem.thresholds[k]), -k)))
            if not left:
                assert seen.arm == -1
            else:
                assert seen.arm == min(left, key=lambda k: (seen.counts[k], k))


def test_the_budget_is_never_overspent_and_nearly_used_up() -> None:
    problem = Problem.gaussian(np.linspace(-1, 1, 20))
    for budget in (20, 21, 50, 333, 2000):
        played = play(find_policy("csar").bind(problem, Stop(budget)), problem, budget=budget, seed=1, run=0)
        assert budget - 20 <= len(played.order) <= budget
