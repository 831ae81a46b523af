import math

import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices, field_policy
from thresher.engine.field_reference import play
from thresher.engine.reference import spend
from thresher.policy import IndexPolicy, find_policy
from thresher.problem import Problem


def divergence(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence of two coins."""
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
def test_every_choice_is_the_least_ratio(problem: Problem, epsilon: float) -> None:
    for seen in choices(f"slr:epsilon={epsilon}", problem, budget=90, seed=4):
        gaps = seen.means - problem.thresholds
        if problem.family == "bernoulli":
            bars = problem.thresholds + np.where(gaps >= 0, -epsilon, epsilon)
            rates = np.array([divergence(p, q) for p, q in zip(seen.means, bars, strict=True)])
        elif problem.family == "gaussian-unknown-variance":
            rates = np.log(1.0 + (np.abs(gaps) + epsilon) ** 2 / seen.variances)
        else:
            rates = (np.abs(gaps) + epsilon) ** 2 / (2 * problem.sigma**2)
        keys = seen.counts * rates
        assert keys[seen.arm] <= keys.min() + 1e-9


def test_with_gaussian_arms_it_is_apt() -> None:
    problem = Problem.named("linear:K=7")
    for epsilon in (0.0, 0.2):
        apt = find_policy(f"apt:epsilon={epsilon}")
        assert isinstance(apt, IndexPolicy)
        ours = play(field_policy(f"slr:epsilon={epsilon}"), problem, budget=80, seed=1, run=2).state.counts
        assert ours.tolist() == spend(apt, problem, budget=80, seed=1, run=2).counts.tolist()
