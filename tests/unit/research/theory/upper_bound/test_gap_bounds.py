"""Bounds for the sum of gaps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.upper_bound import sum_of_gaps, sum_of_gaps_corollary_3

LINEAR = np.arange(1, 51) / 50

gaps = st.lists(st.floats(0.05, 5.0), min_size=1, max_size=8)


def test_corollary_3_of_a_worked_case() -> None:
    # Gaps 1 and 2, T = 60, H = 5/4. Arm 1: 30 + 1.5 * (1/4) log(1/4); arm 2: 30 + 1.5 * log 4; each over 2 H = 5/2.
    one = math.exp(-(30.0 + 0.375 * math.log(0.25)) / 2.5)
    two = 2.0 * math.exp(-(30.0 + 1.5 * math.log(4.0)) / 2.5)
    assert sum_of_gaps_corollary_3([1.0, 2.0], budget=60).value == pytest.approx(
        2.0 * math.sqrt(60.0 * math.e) * (one + two)
    )


def test_the_condition_of_corollary_3_on_a_worked_case() -> None:
    # One arm of gap 1: T >= 2 (3 - log(T / e)), that is T + 2 log T >= 8. At T = 4.7: 7.80, at T = 5: 8.22.
    assert not sum_of_gaps_corollary_3([1.0], budget=4.7).applies
    assert sum_of_gaps_corollary_3([1.0], budget=5.0).applies


@given(gaps, st.floats(10.0, 1e7))
def test_the_bound_for_every_budget_is_never_above_corollary_3(sizes: list[float], budget: float) -> None:
    large, every = sum_of_gaps_corollary_3(sizes, budget=budget), sum_of_gaps(sizes, budget=budget, form="half")
    if large.applies:
        assert every.log_value <= large.log_value + 1e-5
    assert every.value <= sum(sizes) * (1.0 + 1e-9)


@pytest.mark.parametrize("budget", [1.5e5, 3e5])
def test_at_large_budgets_they_are_the_same(budget: float) -> None:
    large, every = sum_of_gaps_corollary_3(LINEAR, budget=budget), sum_of_gaps(LINEAR, budget=budget, form="half")
    assert large.applies
    assert every.value == pytest.approx(large.value, rel=1e-6)


def test_the_factor_of_the_appendix_is_gone() -> None:
    # An arm near its threshold takes 1.5 exp(2 C / 3 - 1) pulls whatever its gap: a tenth of it changes nothing.
    one, two = (sum_of_gaps([1.0, tiny], budget=3000).log_shares[0] for tiny in (1e-9, 1e-10))
    assert one == pytest.approx(two, abs=1e-6)


def test_its_loss_is_at_most_the_sum_of_the_gaps() -> None:
    bound = sum_of_gaps(LINEAR, budget=10)
    assert bound.value == pytest.approx(LINEAR.sum())
    assert bound.worst == pytest.approx(LINEAR.sum())
    assert bound.is_vacuous


def test_an_arm_at_its_threshold() -> None:
    assert not sum_of_gaps_corollary_3([1.0, 0.0], budget=1e9).applies
    bound = sum_of_gaps([1.0, 0.0], budget=1e6)
    assert bound.applies
    assert not bound.is_vacuous


@pytest.mark.parametrize("budget", [1.0, 1e3, 1e12])
def test_extreme_numbers_give_numbers(budget: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        bound = sum_of_gaps([1e-6, 1e-3, 0.0, 1.0, 1e6], budget=budget)
        large = sum_of_gaps_corollary_3([1e-6, 1e-3, 1.0, 1e6], budget=budget)
    assert 0.0 <= bound.value <= 1e6 + 2.0
    assert math.isfinite(large.log_value)
