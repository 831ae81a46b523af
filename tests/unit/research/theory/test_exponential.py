"""The least sum of exponentials: by hand, and by its conditions of optimality."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.exponential import least_exponential_sum
from thresher.types import Floats

numbers = st.floats(1e-3, 1e3)
arms = st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=12)


def test_two_arms_by_hand() -> None:
    # rates 1 and 4, costs 1: a ρ = 1, 4. The second arm alone until H = log(4)/4 is spent; with T = 1 both are sampled:
    # C = (1 + 0 + log(1/4)/4)/(5/4), N = (C, (C + log 4)/4), sum e^(-C) · 5/4
    found = least_exponential_sum(np.array([1.0, 4.0]), np.ones(2), np.ones(2), budget=1.0)
    level = (1 - math.log(4) / 4) / 1.25
    assert found.level == pytest.approx(level)
    np.testing.assert_allclose(found.counts, [level, (level + math.log(4)) / 4])
    assert found.least == pytest.approx(1.25 * math.exp(-level))


def test_an_arm_joins_only_when_the_budget_exceeds_what_the_others_take_first() -> None:
    first = math.log(4) / 4
    for budget, sampled in [(first, [False, True]), (first * (1 + 1e-9), [True, True])]:
        found = least_exponential_sum(np.array([1.0, 4.0]), np.ones(2), np.ones(2), budget=budget)
        np.testing.assert_array_equal(found.sampled, sampled)


@given(arms=arms, budget=st.floats(1e-3, 1e6))
def test_the_budget_is_spent_and_no_shift_of_it_helps(arms: list[tuple[float, float, float]], budget: float) -> None:
    rates, costs, prices = np.array(arms).T
    found = least_exponential_sum(rates, costs, prices, budget=budget)
    assert prices @ found.counts == pytest.approx(budget, rel=1e-9)
    # The slope of the sum for each unit of money is e^(-C) at every sampled arm, and no more at the others.
    log_slopes = np.log(costs * rates / prices) - rates * found.counts
    scale = 1e-9 * (1 + np.abs(rates * found.counts))
    np.testing.assert_array_less(np.abs(log_slopes + found.level)[found.sampled], scale[found.sampled])
    assert np.all(log_slopes[~found.sampled] <= -found.level + 1e-9)
    assert found.log_least == pytest.approx(_log_sum(rates, costs, found.counts), rel=1e-9, abs=1e-9)


def _log_sum(rates: Floats, costs: Floats, counts: Floats) -> float:
    terms = np.log(costs) - rates * counts
    return float(np.logaddexp.reduce(terms))


def test_nothing_to_spend_and_nothing_to_judge() -> None:
    idle = least_exponential_sum(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones(2), budget=0.0)
    assert not idle.sampled.any()
    assert idle.least == pytest.approx(7.0)
    empty = least_exponential_sum(np.zeros(2), np.ones(2), np.ones(2), budget=5.0)
    assert (empty.least, empty.counts.sum()) == (0.0, 0.0)
