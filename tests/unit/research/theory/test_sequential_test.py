"""The best test at a price: its conditions, its value by brute force, and its limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.sequential_test import best_test, half_width, symmetric_boundary
from thresher.types import Floats


def divergence(here: Floats, there: Floats) -> Floats:
    return here * np.log(here / there) + (1 - here) * np.log((1 - here) / (1 - there))


def brute_force(forward: float, reverse: float) -> float:
    """Return the least of (α + β)/2 + [kl(α, 1−β)/p + kl(β, 1−α)/q]/2 on a grid of log odds, refined six times."""
    centre, width = np.array([-4.0, -4.0]), 8.0
    for _ in range(6):
        alpha, beta = (1 / (1 + np.exp(-(at + np.linspace(-width, width, 161)))) for at in centre)
        rows, columns = alpha[:, None], beta[None, :]
        samples = divergence(rows, 1 - columns) / forward + divergence(columns, 1 - rows) / reverse
        value = np.where(rows + columns < 1, 0.5 * (rows + columns + samples), np.inf)
        best = np.unravel_index(value.argmin(), value.shape)
        chosen = np.array([alpha[best[0]], beta[best[1]]])
        centre, width = np.log(chosen / (1 - chosen)), width / 16
    return float(value[best])


@pytest.mark.parametrize(("forward", "reverse"), [(0.5, 0.5), (1.0, 5.0), (30.0, 10.0), (1000.0, 3.0), (200.0, 5000.0)])
def test_no_test_on_a_fine_grid_is_better(forward: float, reverse: float) -> None:
    test = best_test(np.log([forward]), np.log([reverse]))
    value = test.error + 0.5 * (test.forward / forward + test.reverse / reverse)
    assert value[0] == pytest.approx(brute_force(forward, reverse), rel=1e-6)
    assert value[0] <= brute_force(forward, reverse) * (1 + 1e-12)


def test_equal_divergences_by_hand() -> None:
    # sinh 2 + 2 = 5.62686: with p twice that the boundary is 2, the error 1/(1 + e²), the divergence 2 tanh 1
    log_rate = np.log([2 * (math.sinh(2) + 2)])
    assert symmetric_boundary(log_rate)[0] == pytest.approx(2.0, rel=1e-14)
    test = best_test(log_rate, log_rate)
    assert test.error[0] == pytest.approx(1 / (1 + math.e**2), rel=1e-13)
    assert test.forward[0] == test.reverse[0] == pytest.approx(2 * math.tanh(1), rel=1e-13)


def test_the_fast_solver_agrees_with_the_general_one() -> None:
    log_rates = np.concatenate([np.linspace(-600, 600, 4001), [1e9, 1e100, 1e180]])
    np.testing.assert_allclose(symmetric_boundary(log_rates), half_width(log_rates, log_rates), rtol=1e-11)


def test_equal_divergences_at_every_size() -> None:
    log_rates = np.linspace(-40, 40, 801)
    test, bound = best_test(log_rates, log_rates), symmetric_boundary(log_rates)
    np.testing.assert_allclose(test.forward, bound * np.tanh(bound / 2), rtol=1e-10)
    np.testing.assert_allclose(test.error, 1 / (1 + np.exp(bound)), rtol=1e-12)


@pytest.mark.parametrize("rate", [1e-5, 1e-4, 1e-3, 1e-2])
def test_small_tests_are_skewed_by_the_second_order(rate: float) -> None:
    # u - v = (q - p)/(q + p) · b²/3, and kl(α, 1-β)/kl(β, 1-α) = 1 - (u - v)/3, to the next order in b.
    forward, reverse = np.log([rate]), np.log([3 * rate])
    test, width = best_test(forward, reverse), half_width(forward, reverse)
    assert (test.forward / test.reverse - 1)[0] / width[0] ** 2 == pytest.approx(-0.5 / 9, rel=2e-2)


@given(log_forward=st.floats(-200.0, 300.0), apart=st.floats(-20.0, 20.0))
def test_the_test_is_the_mirror_image_of_the_reversed_one(log_forward: float, apart: float) -> None:
    here, there = np.array([log_forward]), np.array([log_forward + apart])
    test, mirror = best_test(here, there), best_test(there, here)
    assert test.error[0] == pytest.approx(mirror.error[0], rel=1e-12)
    assert test.forward[0] == pytest.approx(mirror.reverse[0], rel=1e-9)


@given(log_forward=st.floats(-100.0, 600.0), apart=st.floats(-20.0, 20.0))
def test_the_sizes_are_those_of_small_and_of_large_tests(log_forward: float, apart: float) -> None:
    forward, reverse = log_forward, log_forward + apart
    test = best_test(np.array([forward]), np.array([reverse]))
    width = half_width(np.array([forward]), np.array([reverse]))[0]
    if width < 1e-3:  # b = pq/(2(p + q)) and kl = b²/2 to first order
        harmonic = math.exp(-math.log(2.0) - np.logaddexp(-forward, -reverse))
        assert width == pytest.approx(harmonic, rel=1e-3)
        assert test.forward[0] == pytest.approx(harmonic**2 / 2, rel=1e-2)
    if min(forward, reverse) > 30:  # α = 1/q and β = 1/p to first order
        assert test.error[0] == pytest.approx(0.5 * (math.exp(-forward) + math.exp(-reverse)), rel=1e-6)


def test_a_mean_that_one_sample_can_rule_out_is_a_limit() -> None:
    limit = best_test(np.array([1.0]), np.array([math.inf]))
    near = best_test(np.array([1.0]), np.array([400.0]))
    assert limit.error[0] == pytest.approx(near.error[0], rel=1e-12)
    assert limit.forward[0] == pytest.approx(near.forward[0], rel=1e-12)
