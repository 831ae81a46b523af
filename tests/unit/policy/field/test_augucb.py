import math

import numpy as np
import pytest

from thresher.errors import InvalidProblemError
from thresher.policy.field.augucb import augucb_psi, augucb_width
from thresher.problem import Problem
from thresher.testing.choices import PROBLEMS, choices, field_policy


def test_a_worked_case() -> None:
    # K = 10, T = 500: 3/16 * 10 * log 10 = 4.3174, its logarithm 1.46265, squared 2.13934.
    assert augucb_psi(1.0, 10, 500) == pytest.approx(500 / (128 * 2.13934), rel=1e-5)
    # rho psi log(T eps) = 2, variance 0.5, n = 3: sqrt(2 * 1.5 / 12)
    assert augucb_width(3.0, 0.5, 2.0) == pytest.approx(0.5)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
def test_every_choice_is_that_of_the_algorithm_worked_out_anew(problem: Problem) -> None:
    horizon, rounds = 400, math.floor(0.5 * math.log2(400 / math.e))
    width = problem.high - problem.low if problem.family == "bounded" else 1.0
    active, m, epsilon = set(range(6)), 0, 1.0
    psi = augucb_psi(epsilon, 6, horizon)
    end = 6 * math.ceil(2 * psi * math.log(horizon * epsilon) / epsilon)
    last = None
    for seen in choices("augucb", problem, budget=horizon, seed=2):
        gaps = np.abs(seen.means - problem.thresholds) / width

        def widths() -> np.ndarray:
            spread = (seen.variances / width**2 + 1.0) * math.log(horizon * epsilon)  # noqa: B023
            return np.asarray(np.sqrt(psi / 3.0 * spread / (4.0 * seen.counts)))  # noqa: B023

        looked_at = active if last is None else {last}
        active -= {k for k in looked_at if gaps[k] > 2.0 * widths()[k]}
        if seen.counts.sum() >= end and m <= rounds:
            epsilon, m = epsilon / 2.0, m + 1
            psi = augucb_psi(epsilon, 6, horizon)
            end = seen.counts.sum() + len(active) * math.ceil(2 * psi * math.log(horizon * epsilon) / epsilon)
            active -= {k for k in active if gaps[k] > 2.0 * widths()[k]}
        last = seen.arm
        if not active:
            assert seen.arm == -1
            break
        keys = gaps - 2.0 * widths()
        assert seen.arm in active
        assert keys[seen.arm] <= min(keys[k] for k in active) + 1e-12


def test_few_arms_are_refused() -> None:
    with pytest.raises(InvalidProblemError, match="'augucb' needs at least 5 arms"):
        field_policy("augucb").brief(Problem.gaussian([0.1, 0.2, 0.3, 0.4]))
