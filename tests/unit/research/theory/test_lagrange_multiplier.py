"""The price of a budget, where spending is smooth and where it jumps."""

import math

import pytest

from thresher.research.theory.lagrange_multiplier import log_price


@pytest.mark.parametrize("start", [-500.0, -1.0, 0.0, 3.0, 500.0])
def test_spending_that_is_a_power_of_the_price(start: float) -> None:
    found = log_price(lambda price: 7.0 * math.exp(-2.0 * price / 100.0), budget=3.5, start=start)
    assert found == pytest.approx(50.0 * math.log(2.0), abs=1e-9)


def test_spending_that_jumps_over_the_budget() -> None:
    found = log_price(lambda price: 10.0 if price < -3.25 else 0.0, budget=5.0, start=4.0)
    assert found == pytest.approx(-3.25, abs=1e-10)


def test_a_coarse_answer_is_as_near_as_it_was_asked_to_be() -> None:
    found = log_price(lambda price: -price, budget=1e9, start=-1.0, tolerance=1e-3)
    assert found == pytest.approx(-1e9, abs=2e-3)
