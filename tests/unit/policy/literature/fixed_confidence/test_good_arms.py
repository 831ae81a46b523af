import math

import pytest

from thresher.policy.literature.fixed_confidence.good_arms import good_arm_radius, side_of


def test_a_worked_case() -> None:
    # K = 10, n = 5, outcomes in [0, 1]: sqrt(log(4 * 10 * 25 / 0.05) / (2 * 5)), as the paper writes it.
    assert good_arm_radius(5.0, 0.5, 10.0, 0.05) == pytest.approx(math.sqrt(math.log(20_000.0) / 10.0))
    assert good_arm_radius(5.0, 2.0, 10.0, 0.05) == pytest.approx(4.0 * good_arm_radius(5.0, 0.5, 10.0, 0.05))


def test_the_chances_of_all_times_and_arms_add_up_to_less_than_delta() -> None:
    # exp(-n U² / (2 σ²)) bounds the chance at n; the sum of 1/n² is π²/6.
    arms, delta, sigma = 7.0, 0.1, 0.5
    total = arms * sum(
        math.exp(-n * good_arm_radius(float(n), sigma, arms, delta) ** 2 / (2.0 * sigma**2)) for n in range(1, 20_000)
    )
    assert total == pytest.approx(delta * math.pi**2 / 24.0, rel=1e-3)
    assert total < delta


def test_an_interval_that_begins_at_the_bar_is_above_and_one_that_ends_there_is_open() -> None:
    assert side_of(0.5, 0.5) == 1
    assert side_of(0.5, 0.6) == 0
    assert side_of(-0.5, 0.5) == 0
    assert side_of(-0.6, 0.5) == -1
