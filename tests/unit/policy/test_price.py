import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy import price


def test_a_worked_case() -> None:
    assert price(math.log(50.0), count=1, cost=2.0, p_wrong=0.25) == pytest.approx(0.02)


def test_a_price_is_never_more_than_what_is_at_stake() -> None:
    assert price(0.0, count=1, cost=2.0, p_wrong=0.25) == 0.5
    assert price(-math.inf, count=1, cost=2.0, p_wrong=0.25) == 0.5
    assert price(-5000.0, count=1, cost=2.0, p_wrong=0.25) == 0.5  # where exp(-F) would overflow
    assert price(3.0, count=1, cost=2.0, p_wrong=0.0) == 0.0


def test_a_settled_arm_is_worth_nothing() -> None:
    assert price(math.inf, count=1, cost=1.0, p_wrong=0.3) == 0.0


@given(index=st.floats(-1e4, 1e4), rise=st.floats(0.0, 100.0), cost=st.floats(1e-6, 1e6), p_wrong=st.floats(0.0, 0.5))
def test_a_price_falls_as_the_index_rises(index: float, rise: float, cost: float, p_wrong: float) -> None:
    dear = price(index, count=2, cost=cost, p_wrong=p_wrong)
    assert 0.0 <= price(index + rise, count=2, cost=cost, p_wrong=p_wrong) <= dear <= cost * p_wrong


def test_an_exact_tie_is_worth_what_one_more_sample_can_save() -> None:
    # N(0, 1/n) and one more sample: the chance of error falls from 1/2 to arctan(sqrt(n)) / pi.
    assert price(-math.inf, count=1, cost=1.0, p_wrong=0.5) == pytest.approx(0.25)
    assert price(-math.inf, count=100_000, cost=1.0, p_wrong=0.5) == pytest.approx(0.00101, rel=0.01)
    assert price(-math.inf, count=0, cost=1.0, p_wrong=0.5) == 0.5
