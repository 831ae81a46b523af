"""The one-arm test over whole samples: value iteration on a plain grid, more nodes, and its limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from thresher.research.theory.error_rates import gaussian_error_rates
from thresher.research.theory.sequential_test import symmetric_boundary
from thresher.research.theory.whole_samples import (
    FAR,
    STEPS,
    _furthest,
    best_whole_test,
    first_sample_gain,
    whole_test,
)
from thresher.types import Floats


def value_iteration(gap: float, price: float, *, points: int = 1201, reach: float = 12.0) -> float:
    """Return the value of the arm by iterating V = min(error, price + E V) on a grid of log-likelihood ratios."""
    grid = np.linspace(-reach, reach, points)
    moves = _moves(grid, gap)
    stop = 1 / (1 + np.exp(np.abs(grid)))
    value, before = stop, stop + 1
    while np.abs(value - before).max() > 1e-9:
        value, before = np.minimum(stop, price + moves @ value), value
    return float(value[points // 2])


def _moves(grid: Floats, gap: float) -> Floats:
    """Return the chances of one pull's moves on the grid of log-likelihood ratios; what leaves it stays at its ends."""
    variance, spacing = 8 * gap**2, grid[1] - grid[0]
    moves = np.zeros((grid.size, grid.size))
    for drift, chance in ((variance / 2, 1 / (1 + np.exp(-grid))), (-variance / 2, 1 / (1 + np.exp(grid)))):
        apart = grid[None, :] - grid[:, None] - drift
        inside = np.exp(-(apart**2) / (2 * variance)) * spacing / math.sqrt(2 * math.pi * variance)
        inside[:, [0, -1]] /= 2
        inside[:, 0] += ndtr(apart[:, 0] / math.sqrt(variance))
        inside[:, -1] += ndtr(-apart[:, -1] / math.sqrt(variance))
        moves += chance[:, None] * inside
    return moves


@pytest.mark.parametrize(("gap", "price"), [(0.7, 0.05), (0.7, 0.2), (0.7, 0.005), (0.3, 0.02), (1.2, 0.001)])
def test_value_iteration_finds_the_same_value(gap: float, price: float) -> None:
    errors, counts = best_whole_test(np.log([price]), np.array([gap]))
    # The grid errs by the square of its spacing of 0.02.
    assert errors[0] + price * counts[0] == pytest.approx(value_iteration(gap, price), abs=5e-5)


@given(gap=st.floats(1e-3, 10.0), steps=st.floats(0.0, STEPS))
def test_twice_the_nodes_change_nothing(gap: float, steps: float) -> None:
    step = np.array([math.sqrt(8) * gap])
    bound = np.minimum(steps * step, FAR)
    usual, fine = whole_test(bound, step), whole_test(bound, step, refine=2)
    for here, there in zip(usual, fine, strict=True):
        np.testing.assert_allclose(here, there, rtol=2e-8, atol=2e-8)


def test_a_boundary_at_zero_is_one_sample() -> None:
    log_price, error, count = whole_test(np.array([0.0]), np.array([math.sqrt(8) * 0.7]))
    assert count[0] == 1.0
    assert error[0] == pytest.approx(float(gaussian_error_rates(1, 0.7)), rel=1e-12)
    assert math.exp(log_price[0]) == pytest.approx(first_sample_gain(np.array([0.7]))[0], rel=1e-12)


def test_the_first_sample_is_bought_below_its_gain_and_not_above() -> None:
    gain = 0.5 - float(gaussian_error_rates(1, 0.4))
    errors, counts = best_whole_test(np.log([gain * 1.001, gain * 0.999]), np.array([0.4, 0.4]))
    np.testing.assert_allclose(counts, [0.0, 1.0], atol=1e-2)
    np.testing.assert_allclose(errors, [0.5, 0.5 - gain], atol=1e-3)


@given(gap=st.floats(1e-4, 5.0), log_share=st.floats(-60.0, -0.01))
def test_whole_samples_cost_more_than_continuous_time_by_less_than_a_sample(gap: float, log_share: float) -> None:
    log_price = np.log(first_sample_gain(np.array([gap]))) + log_share
    errors, counts = best_whole_test(log_price, np.array([gap]))
    bound = symmetric_boundary(math.log(4 * gap**2) - log_price)
    excess = (errors - 1 / (1 + np.exp(bound))) / np.exp(log_price) + counts - bound * np.tanh(bound / 2) / (4 * gap**2)
    assert 0.15 < excess[0] < 1.0


@pytest.mark.parametrize("step", [0.002, 0.01, 0.05])
def test_small_steps_lose_a_quarter_of_a_sample_and_move_the_boundary_by_its_known_fraction(step: float) -> None:
    steps = np.array([step])
    log_price, errors, counts = whole_test(20 * steps, steps)
    rate = step**2 / 2
    bound = symmetric_boundary(math.log(rate) - log_price)
    assert (bound[0] - 20 * step) / step == pytest.approx(0.5826, abs=1e-4)
    excess = (errors - 1 / (1 + np.exp(bound))) / np.exp(log_price) + counts - bound * np.tanh(bound / 2) / rate
    assert excess[0] == pytest.approx(0.25, abs=1e-3)


@pytest.mark.parametrize("gap", [0.01, 0.1, 0.5, 2.0])
def test_the_value_does_not_jump_where_continuous_time_takes_over(gap: float) -> None:
    step = math.sqrt(8) * gap
    furthest = _furthest(np.array([step]))
    log_price, _, _ = whole_test(furthest, np.array([step]))
    around = log_price + np.array([-0.02, -1e-9, 1e-9, 0.02])
    errors, counts = best_whole_test(around, np.full(4, gap))
    values = errors / np.exp(around) + counts
    # The value over the price is concave and smooth: the step in the middle is of the size of its neighbours'
    # curvature.
    assert values[1] == pytest.approx(values[2], abs=2e-3)


@pytest.mark.parametrize("step", [0.05, 0.1, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("away", [60.0, 90.0])
def test_beyond_fifty_steps_the_corrected_value_is_right_to_a_fraction_of_a_sample(step: float, away: float) -> None:
    log_price, errors, counts = whole_test(np.array([away * step]), np.array([step]), refine=4)
    found_errors, found_counts = best_whole_test(log_price, np.array([step / math.sqrt(8)]))
    below = (errors - found_errors) / np.exp(log_price) + counts - found_counts
    assert -1e-8 < below[0] < 3e-4


def test_tiny_steps_are_their_own_limit() -> None:
    # In units of the step nothing depends on it any more: samples agree, prices scale.
    steps = np.array([1.1e-5, 0.9e-5, 1e-50])
    log_price, _, counts = whole_test(3 * steps, steps)
    np.testing.assert_allclose(counts, counts[0], rtol=1e-6)
    np.testing.assert_allclose(log_price - np.log(steps), log_price[0] - np.log(steps[0]), rtol=1e-6)
