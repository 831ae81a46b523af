"""Whole allocations: they spend the budget, and no other whole allocation does better."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.research.theory.arms import ArmRates
from thresher.research.theory.error_rates import gaussian_error_rates, gaussian_loss
from thresher.research.theory.rounding import (
    gaussian_log_gain,
    hoeffding_log_gain,
    whole_oracle,
    whole_static_optimum,
)
from thresher.types import Floats, Ints

gaps = st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 1e2)), min_size=1, max_size=8)
allocations = pytest.mark.parametrize("allocate", [whole_oracle, whole_static_optimum])


def hoeffding_sum(counts: Ints, gaps: Floats, costs: Floats) -> float:
    return float(np.sum(costs * np.exp(-counts * gaps**2)))


@allocations
@pytest.mark.parametrize("budget", [1, 5, 12])
def test_no_other_whole_allocation_is_better(allocate: object, budget: int) -> None:
    gaps, costs = np.array([0.2, 0.6, 1.1]), np.array([1.0, 2.0, 0.5])
    exact = allocate is whole_static_optimum
    value = gaussian_loss if exact else hoeffding_sum
    found = (whole_static_optimum if exact else whole_oracle)(gaps, costs, budget=budget)
    everything = itertools.product(range(budget + 1), repeat=3)
    best = min(value(np.array(counts), gaps, costs) for counts in everything if sum(counts) == budget)
    assert value(found, gaps, costs) == pytest.approx(best, rel=1e-12)


@given(gaps=gaps, budget=st.integers(0, 10**9), data=st.data())
def test_a_whole_budget_is_spent_to_the_last_pull(gaps: list[float], budget: int, data: st.DataObject) -> None:
    costs = data.draw(st.lists(st.floats(1e-5, 1e5), min_size=len(gaps), max_size=len(gaps)))
    for allocate in (whole_oracle, whole_static_optimum):
        found = allocate(gaps, costs, budget=budget)
        assert found.sum() == budget
        assert found.min() >= 0
        if any(gaps):
            assert np.all(found[np.array(gaps) == 0.0] == 0)


@given(gaps=gaps, budget=st.floats(0.0, 1e3), data=st.data())
def test_with_pull_costs_nothing_is_overspent_and_no_useful_pull_is_left(
    gaps: list[float], budget: float, data: st.DataObject
) -> None:
    prices = np.array(data.draw(st.lists(st.floats(0.1, 30.0), min_size=len(gaps), max_size=len(gaps))))
    for allocate in (whole_oracle, whole_static_optimum):
        left = budget - allocate(gaps, None, prices, budget=budget) @ prices
        assert left >= -1e-11 * budget
        useful = np.array(gaps) > 0.0
        assert not np.any(prices[useful] <= left)


@allocations
def test_tenths_that_do_not_add_up_exactly_are_spent_all_the_same(allocate: object) -> None:
    counts = (whole_oracle if allocate is whole_oracle else whole_static_optimum)([1.0], pull_costs=0.1, budget=0.3)
    assert counts.tolist() == [3]


def test_ties_go_to_the_arm_of_fewest_pulls_and_then_to_the_lowest() -> None:
    assert whole_oracle([0.5, 0.5, 0.5], budget=5).tolist() == [2, 2, 1]
    assert whole_static_optimum([0.0, 0.0], budget=3).tolist() == [2, 1]


def test_the_gains_are_those_of_the_definitions() -> None:
    arms = ArmRates.of([0.01, 0.3, 2.0, 0.0], [1.0, 2.0, 3.0, 4.0])
    for count in (0.0, 1.0, 7.0, 20.0):
        counts = np.full(4, count)
        exact = arms.costs * (gaussian_error_rates(counts, arms.rates) - gaussian_error_rates(counts + 1, arms.rates))
        np.testing.assert_allclose(np.exp(gaussian_log_gain(counts, arms)), exact, rtol=1e-6, atol=1e-300)
        bound = arms.costs * (np.exp(-counts * arms.rates**2) - np.exp(-(counts + 1) * arms.rates**2))
        np.testing.assert_allclose(np.exp(hoeffding_log_gain(counts, arms)), bound, rtol=1e-9)


@pytest.mark.parametrize("gap", [1e-60, 1e-9, 1e-5])
def test_the_gain_of_a_first_pull_of_a_hard_arm_is_in_proportion_to_its_gap(gap: float) -> None:
    # Φ(√2 Δ) - 1/2 = Δ/√π to first order
    assert gaussian_log_gain(np.zeros(1), ArmRates.of([gap]))[0] == pytest.approx(
        math.log(gap / math.sqrt(math.pi)), rel=1e-9
    )


@pytest.mark.parametrize("gap", [1e-60, 1e-6, 1e-3, 0.1, 1.0, 30.0, 1e10])
def test_gains_fall_with_every_pull_however_many_there_are(gap: float) -> None:
    # Factors of ten between the counts: the changes of method in between may not turn the order round.
    counts = np.concatenate([[0.0], np.geomspace(1, 1e9, 60)])
    arms = ArmRates.of(np.full(counts.size, gap))
    for gain in (gaussian_log_gain(counts, arms), hoeffding_log_gain(counts, arms)):
        assert np.all(np.isfinite(gain))
        assert np.all(np.diff(gain) <= 1e-9 * np.abs(gain[1:]))


def test_more_pulls_than_can_be_counted_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"2\*\*53"):
        whole_oracle([1.0], budget=1e16)


@allocations
def test_extreme_numbers_are_allocated(allocate: object) -> None:
    gaps = [0.0, 1e-60, 1e-8, 1.0, 1e8, 1e60]
    costs = np.geomspace(1e-5, 1e5, 6)
    counts = (whole_oracle if allocate is whole_oracle else whole_static_optimum)(gaps, costs, budget=10**9)
    assert counts.sum() == 10**9
    assert math.isfinite(gaussian_loss(counts, gaps, costs))
