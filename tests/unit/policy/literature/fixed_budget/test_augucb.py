import math

import numpy as np
import pytest

from tests.support.choices import PROBLEMS, Choice, choices
from thresher.errors import InvalidInputError
from thresher.policy import Stop, find_policy
from thresher.policy.literature.fixed_budget.augucb import augucb_psi, augucb_width
from thresher.problem import Problem
from thresher.types import Floats


def test_a_worked_case() -> None:
    # K = 10, T = 500: 3/16 * 10 * log 10 = 4.3174, its logarithm 1.46265, squared 2.13934.
    assert augucb_psi(1.0, 10, 500) == pytest.approx(500 / (128 * 2.13934), rel=1e-5)
    # rho psi log(T eps) = 2, variance 0.5, n = 3: sqrt(2 * 1.5 / 12)
    assert augucb_width(3.0, 0.5, 2.0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("problem", "horizon"),
    [
        *((problem, 100) for problem in PROBLEMS),
        (Problem.named("locatelli-2"), 400),
        (Problem.named("linear:K=12"), 600),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_every_choice_is_that_of_the_algorithm_worked_out_anew(problem: Problem, horizon: int) -> None:
    n_arms, rounds = problem.n_arms, math.floor(0.5 * math.log2(horizon / math.e))
    width = problem.high - problem.low if problem.family == "bounded" else 1.0
    active, m, epsilon, last = set(range(n_arms)), 0, 1.0, -1
    psi = augucb_psi(epsilon, n_arms, horizon)
    end = n_arms * math.ceil(2 * psi * math.log(horizon * epsilon) / epsilon)
    for seen in choices("augucb", problem, budget=horizon, seed=2):
        gaps, pulls = np.abs(seen.means - problem.thresholds) / width, int(seen.counts.sum())

        def widths(seen: Choice = seen) -> Floats:
            spread = (seen.variances / width**2 + 1.0) * math.log(horizon * epsilon)  # noqa: B023
            return np.asarray(np.sqrt(psi / 3.0 * spread / (4.0 * seen.counts)))  # noqa: B023

        looked_at = active if last < 0 else {last}
        active -= {k for k in looked_at if gaps[k] > 2.0 * widths()[k]}
        if pulls >= end and m <= rounds:
            epsilon, m = epsilon / 2.0, m + 1
            psi = augucb_psi(epsilon, n_arms, horizon)
            end = pulls + len(active) * math.ceil(2 * psi * math.log(horizon * epsilon) / epsilon)
            active -= {k for k in active if gaps[k] > 2.0 * widths()[k]}
        last = seen.arm
        if not active:
            assert seen.arm == -1
            break
        keys = gaps - 2.0 * widths()
        assert seen.arm in active
        assert keys[seen.arm] <= min(keys[k] for k in active) + 1e-12
    assert m > 0 or not active  # a second round, or nothing left to ask


def test_few_arms_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="policy is 'augucb'; it needs at least 5 arms"):
        find_policy("augucb").bind(Problem.gaussian([0.1, 0.2, 0.3, 0.4]), Stop(100.0))
