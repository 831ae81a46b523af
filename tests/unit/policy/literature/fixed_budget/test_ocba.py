import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy.literature.fixed_budget.ocba import ocba_weight
from thresher.problem import Problem


def test_worked_cases() -> None:
    assert ocba_weight(-0.5, 2.0) == pytest.approx(16.0)
    assert ocba_weight(0.0, 2.0) == pytest.approx(1e12)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
def test_every_choice_lacks_most(problem: Problem) -> None:
    for seen in choices("ocba", problem, budget=90, seed=4):
        noise = seen.variances if problem.family == "gaussian-unknown-variance" else problem.sigma**2
        weights = noise / np.maximum((seen.means - problem.thresholds) ** 2, 1e-12 * noise)
        lack = (seen.counts.sum() + 1) * weights / weights.sum() - seen.counts
        assert lack[seen.arm] >= lack.max() - 1e-6
