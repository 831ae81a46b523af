"""The static optimum: reference figures, the conditions of the minimum, and no better neighbour."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.error_rates import gaussian_loss
from thresher.research.theory.oracle_allocation import oracle
from thresher.research.theory.static_allocation import static_optimum

SQUARE = (np.arange(1, 51) / 50) ** 2 / math.sqrt(2)
LINEAR = np.arange(1, 51) / 50 / math.sqrt(2)
BUDGETS = (250, 500, 1000, 2000, 4000, 8000)

numbers = st.floats(1e-2, 1e2)
problems = st.lists(st.tuples(st.floats(1e-3, 1e1), numbers, numbers), min_size=1, max_size=10)


def test_losses_of_the_linear_and_the_square_problem() -> None:
    linear = [static_optimum(LINEAR, budget=budget).loss for budget in BUDGETS]
    np.testing.assert_allclose(linear, [8.221, 5.578, 3.465, 1.961, 0.993, 0.419], atol=6e-4)
    square = [static_optimum(SQUARE, budget=budget).loss for budget in BUDGETS]
    np.testing.assert_allclose(square, [12.58, 10.49, 8.584, 6.921, 5.521, 4.368], atol=6e-3)


def test_allocations_of_the_linear_and_the_square_problem() -> None:
    square = static_optimum(SQUARE, budget=500).counts
    np.testing.assert_allclose(
        square[[4, 9, 19, 22, 25, 29, 39, 49]], [0.12, 1.88, 18.7, 20.8, 20.0, 17.0, 9.6, 5.4], atol=0.05
    )
    assert square.argmax() == 22
    linear = static_optimum(LINEAR, budget=500).counts
    np.testing.assert_allclose(
        linear[[0, 4, 9, 11, 19, 29, 39, 49]], [0.33, 7.65, 16.8, 17.4, 14.0, 9.55, 6.8, 5.1], atol=0.05
    )
    assert linear.argmax() == 11


def test_equal_arms_share_equally() -> None:
    found = static_optimum([0.7, 0.7, 0.0, 0.7], budget=30)
    np.testing.assert_allclose(found.counts, [10, 10, 0, 10])
    # the price is the slope of the loss: one more unit is a third of a sample for each of three arms
    step = 1e-4
    saved = found.loss - static_optimum([0.7, 0.7, 0.0, 0.7], budget=30 + step).loss
    assert math.exp(found.log_price) == pytest.approx(saved / step, rel=1e-3)


@given(problem=problems, budget=st.floats(0.1, 1e5))
def test_the_conditions_of_the_minimum(problem: list[tuple[float, float, float]], budget: float) -> None:
    gaps, costs, prices = np.array(problem).T
    found = static_optimum(gaps, costs, prices, budget=budget)
    assert np.all(found.counts > 0.0)
    assert prices @ found.counts == pytest.approx(budget, rel=1e-9)
    deviation = np.sqrt(2 * found.counts) * gaps
    log_slopes = (
        np.log(costs / prices * gaps) - deviation**2 / 2 - 0.5 * np.log(2 * np.pi) - 0.5 * np.log(2 * found.counts)
    )
    np.testing.assert_allclose(log_slopes, found.log_price, atol=1e-8 * (1 + deviation.max() ** 2))


@given(problem=problems, budget=st.floats(0.1, 1e3))
def test_no_other_allocation_is_better(problem: list[tuple[float, float, float]], budget: float) -> None:
    gaps, costs, prices = np.array(problem).T
    found = static_optimum(gaps, costs, prices, budget=budget)
    others = [oracle(gaps, costs, prices, budget=budget).counts, np.full(gaps.size, budget / prices.sum())]
    for other in others:
        assert found.loss <= gaussian_loss(other, gaps, costs) * (1 + 1e-12)


def test_it_beats_uniform_sampling_where_the_oracle_loses_to_it() -> None:
    uniform = gaussian_loss(np.full(50, 5.0), LINEAR)
    assert static_optimum(LINEAR, budget=250).loss < uniform < oracle(LINEAR, budget=250).loss


@pytest.mark.parametrize("budget", [1e-9, 1.0, 1e9, 1e60])
def test_extreme_numbers_give_finite_answers(budget: float) -> None:
    gaps = [0.0, 1e-60, 1e-8, 1.0, 1e8, 1e60]
    found = static_optimum(gaps, np.geomspace(1e-5, 1e5, 6), np.geomspace(1e5, 1e-5, 6), budget=budget)
    assert np.all(np.isfinite(found.counts))
    assert 0.0 <= found.loss < math.inf


def test_nothing_to_spend_and_nothing_to_judge() -> None:
    assert static_optimum([1.0, 2.0], [3.0, 4.0], budget=0).loss == pytest.approx(3.5)
    assert static_optimum([0.0], budget=10).loss == 0.0
