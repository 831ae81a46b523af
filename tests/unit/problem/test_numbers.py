"""Numbers of any library and texts; money is counted in whole millionths."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.problem.numbers import amount_of, budget_of, finite_or_none, number_in, real, ticks_of, whole, with_nulls


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (3, 3.0),
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3.0),
        (Fraction(1, 4), 0.25),
        (10**400, math.inf),
        (-(10**400), -math.inf),
    ],
)
def test_a_number_of_any_library_is_a_float(given: Any, found: float) -> None:
    assert real(given) == found
    assert type(real(given)) is float


@pytest.mark.parametrize("given", [True, "3", None, Decimal(3), 3j, np.array([3.0])])
def test_what_is_no_number_is_nan(given: Any) -> None:
    assert math.isnan(real(given))


def test_a_whole_number_is_an_int() -> None:
    assert whole(3) == whole(np.int32(3)) == 3
    assert type(whole(np.int32(3))) is int
    assert [whole(given) for given in (True, 3.0, "3", None)] == [None] * 4


def test_an_array_with_one_element_is_its_number() -> None:
    assert real(np.array(0.5)) == 0.5
    assert math.isnan(real(np.bool_(True)))


@pytest.mark.parametrize(("text", "number"), [("0.5", 0.5), (" -2 ", -2.0), ("+1e-3", 0.001), (".5", 0.5), ("7.", 7.0)])
def test_a_text_may_be_a_number(text: str, number: float) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize("text", ["", "x", "yes", "nan", "inf", "1e999", "1_000", "0,5", "0x1", "१"])
def test_another_text_is_none(text: str) -> None:
    assert number_in(text) is None


def test_a_number_that_is_not_finite_is_none() -> None:
    assert [finite_or_none(number) for number in (math.inf, -math.inf, math.nan, 0.5)] == [None, None, None, 0.5]
    assert with_nulls({"a": math.nan, "b": 0.5, "c": "nan", "d": True}) == {"a": None, "b": 0.5, "c": "nan", "d": True}


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


@pytest.mark.parametrize("value", [30, 30.0, np.int64(30), np.float32(30)])
def test_a_number_is_a_budget(value: Any) -> None:
    assert budget_of(value) == 30.0
    assert type(budget_of(value)) is float


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0, -5, "30", True, None, [30], 10**400])
def test_anything_else_is_none(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="must be a positive finite number"):
        budget_of(value)


def test_the_sentence_shows_what_was_given() -> None:
    with pytest.raises(InvalidInputError, match=r"^budget is nan; must"):
        budget_of(float("nan"))
    with pytest.raises(InvalidInputError, match=r"^budget is 'x'; must"):
        budget_of("x")
