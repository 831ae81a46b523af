import math

import numpy as np
import pytest
from scipy.special import ndtri

from tests.support.choices import PROBLEMS, choices
from thresher.experiment import simulate
from thresher.policy.fixed_budget.decide import DECIDED, SHARE_OF_RISK, SHRINKAGE, decide_formula
from thresher.problem import Problem


def test_a_worked_case() -> None:
    # ρ = 4 makes 1 of x = 2: (4 + 4) (3 - 1) / (1 + 1/2); by a mixture it lacks (log 2)/2 more; decided at the level.
    assert decide_formula(4.0, 2.0, 3.0, 4.0, 0.0) == pytest.approx(32.0 / 3.0)
    assert decide_formula(4.0, 2.0, 3.0, 4.0, 0.5) == pytest.approx(8.0 * (2.0 + 0.5 * math.log(2.0)) / 1.5)
    assert decide_formula(4.0, 6.0, 3.0, 4.0, 0.0) == pytest.approx(4.0 * DECIDED)


def test_every_choice_is_the_open_arm_that_needs_fewest_measurements() -> None:
    problem, level = PROBLEMS[0], 0.5 * ndtri(SHARE_OF_RISK * 0.05) ** 2
    for seen in choices("decide", problem, budget=90, seed=4):
        evidence = seen.counts * (seen.means - problem.thresholds) ** 2 / (2.0 * problem.sigma**2)
        evidence *= seen.counts / (seen.counts + SHRINKAGE)
        keys = (seen.counts + SHRINKAGE) * (level - evidence) / (evidence + 0.5)
        keys = np.where(evidence >= level, DECIDED * (1.0 + evidence), keys)
        assert keys[seen.arm] <= keys.min() * (1.0 + 1e-9)


@pytest.mark.parametrize("guarantee", ["calibrated", "anytime", "fdr", "fwer"])
def test_decided_arms_are_left_alone_while_others_are_open(guarantee: str) -> None:
    problem = Problem.gaussian([2.0, 0.0])
    last = list(choices(f"decide:guarantee={guarantee}", problem, budget=200, seed=1))[-1]
    assert last.counts[0] < 60


def test_it_can_be_simulated_beside_the_others() -> None:
    result = simulate(PROBLEMS[1], ["decide", "decide:risk=0.01,guarantee=fdr"], budgets=[60], runs=20, seed=0)
    assert [row.policy for row in result.rows()] == ["decide", "decide:risk=0.01,guarantee=fdr"]
