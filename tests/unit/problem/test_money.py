"""Money is counted in whole millionths."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.problem.money import amount_of, ticks_of


def test_worked_cases() -> None:
    assert ticks_of(2.5) == 2_500_000
    assert ticks_of(1e-6) == 1
    assert (amount_of(2_500_000), amount_of(7_000_000)) == (2.5, 7)
    assert isinstance(amount_of(7_000_000), int)
    assert ticks_of(np.int64(7)) == ticks_of(Fraction(7)) == ticks_of(np.float32(7)) == 7_000_000


@given(st.integers(1, 10**15))
def test_there_and_back(ticks: int) -> None:
    assert ticks_of(amount_of(ticks)) == ticks


def test_ten_dimes_are_one() -> None:
    assert sum(ticks_of(0.1) for _ in range(10)) == ticks_of(1)


@pytest.mark.parametrize("amount", [0, -1, 1e-7, 2e12, float("nan"), float("inf"), 10**400, "9", None, True])
def test_what_is_no_amount_is_refused(amount: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^fee is .*; must be a number from 1e-06 to 1,000,000,000,000"):
        ticks_of(amount, what="fee")
