import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy.literature.fixed_budget.straddle import straddle_formula
from thresher.problem import Problem


def test_a_worked_case() -> None:
    assert straddle_formula(-0.5, 2.0, 16.0, 1.96) == pytest.approx(0.5 - 0.98)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
def test_every_choice_is_the_most_ambiguous(problem: Problem) -> None:
    for seen in choices("straddle", problem, budget=90, seed=4):
        noise = np.sqrt(seen.variances) if problem.family == "gaussian-unknown-variance" else problem.sigma
        keys = np.abs(seen.means - problem.thresholds) - 1.96 * noise / np.sqrt(seen.counts)
        assert keys[seen.arm] <= keys.min() + 1e-9
