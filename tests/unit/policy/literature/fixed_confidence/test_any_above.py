import math

import numpy as np
import pytest

from thresher.martingales.mixture import single, tuned
from thresher.martingales.normal import gaussian_radius
from thresher.policy.literature.fixed_confidence.any_above import good_arm_level, mixture_level, track_level


def test_worked_cases() -> None:
    # 0.5 * (100 / 50) * log(100 / (50 * 0.01)) = log 200
    assert mixture_level(50.0, 0.1, 50.0) == pytest.approx(math.log(200.0))
    # log(e * 100² / 0.05)
    assert track_level(100.0, 0.05, 1.0) == pytest.approx(1.0 + 9.21034 + 2.99573, abs=1e-5)
    # 2 log(1 / (1 / e)) + 4 log(4 + log 1) + 0.5 = 2 + 5.54518 + 0.5 = 8.04518 = 10.38560 - log 10.38560
    assert good_arm_level(1.0, 1.0, math.exp(-1.0)) == pytest.approx(0.5 * 10.38560, abs=1e-5)


def test_the_mixture_is_that_of_the_intervals() -> None:
    alpha, sigma = 0.01, 0.7
    for n in (1.0, 20.0, 3_000.0):
        rho = tuned(50.0, alpha)
        radius = float(gaussian_radius(np.array([n]), np.array([sigma]), alpha, single(rho))[0])
        assert mixture_level(n, alpha, rho) == pytest.approx(n * radius**2 / (2.0 * sigma**2))


@pytest.mark.parametrize("n_arms", [1, 2, 5, 40])
def test_the_chances_of_all_times_and_arms_add_up_to_less_than_delta(n_arms: int) -> None:
    # The n-th pull of an arm is pull n + K - 1 at the earliest; exp(-level) bounds the chance on the wrong side.
    delta = 0.05
    total = n_arms * sum(math.exp(-track_level(float(t), delta, math.log(2.0))) for t in range(n_arms, 100_000))
    assert total < delta
