import math

import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine.reference import play


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
        names = (f"slr:epsilon={epsilon}", f"apt:epsilon={epsilon}")
        ours, theirs = (find_policy(name).bind(problem, Stop(80)) for name in names)
        order = play(ours, problem, budget=80, seed=1, run=2).order
        assert order == play(theirs, problem, budget=80, seed=1, run=2).order
