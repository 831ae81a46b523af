import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy.literature.fixed_budget.ucbe import ucbe_formula
from thresher.problem import Problem


def test_a_worked_case() -> None:
    assert ucbe_formula(-0.3, 4.0, 1.0, 0.1) == pytest.approx(0.3 + 0.1 - 0.5)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
@pytest.mark.parametrize(("name", "scale", "epsilon"), [("ucbe", 1.0, 0.0), ("ucbe:scale=4,epsilon=0.1", 4.0, 0.1)])
def test_every_choice_is_the_least_index_with_the_true_difficulty(
    problem: Problem, name: str, scale: float, epsilon: float
) -> None:
    difficulty = ((np.abs(problem.means - problem.thresholds) + epsilon) ** -2.0).sum()
    for seen in choices(name, problem, budget=90, seed=3):
        bonus = np.sqrt(scale * (90 - 6) / difficulty / seen.counts)
        keys = np.abs(seen.means - problem.thresholds) + epsilon - bonus
        assert keys[seen.arm] <= keys.min() + 1e-12


def test_an_arm_on_its_bar_leaves_no_bonus() -> None:
    for seen in choices("ucbe", Problem.gaussian([0.0, 0.5]), budget=20, seed=1):
        assert seen.arm == int(np.argmin(np.abs(seen.means)))
