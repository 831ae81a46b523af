import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy.literature.fixed_budget.evt import evt_formula
from thresher.problem import Problem


def test_a_worked_case() -> None:
    # a/n = 1/4, sigma = 1/2: 0.3 / (1/4 + 1/2 * 1/2)
    assert evt_formula(-0.3, 0.25, 4.0, 1.0) == pytest.approx(0.6)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
def test_every_choice_is_the_least_index(problem: Problem) -> None:
    width = problem.high - problem.low if problem.family == "bounded" else 1.0
    for seen in choices("evt:a=2", problem, budget=90, seed=4):
        share = 2.0 / seen.counts
        spread = share + np.sqrt(share * seen.variances / width**2)
        keys = np.abs(seen.means - problem.thresholds) / width / spread
        assert keys[seen.arm] <= keys.min() + 1e-9


def test_every_arm_is_pulled_twice_first() -> None:
    first = next(iter(choices("evt", PROBLEMS[0], budget=13, seed=0)))
    assert first.counts.tolist() == [2] * 6
