import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy.literature.fixed_budget.evt_pf import evt_pf_formula
from thresher.problem import Problem


def test_a_worked_case() -> None:
    # sqrt(4) * (sqrt(0.25 + 0.11) - 0.5) = 2 * 0.1
    assert evt_pf_formula(-0.11, 0.25, 4.0, 0.0) == pytest.approx(0.2)
    assert evt_pf_formula(0.1, 0.25, 4.0, 0.01) == pytest.approx(0.2)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
def test_every_choice_is_the_least_index(problem: Problem) -> None:
    width = problem.high - problem.low if problem.family == "bounded" else 1.0
    for seen in choices("evt-pf", problem, budget=90, seed=4):
        variances = seen.variances / width**2
        gaps = np.abs(seen.means - problem.thresholds) / width
        keys = np.sqrt(seen.counts) * (np.sqrt(variances + gaps) - np.sqrt(variances))
        assert keys[seen.arm] <= keys.min() + 1e-9
