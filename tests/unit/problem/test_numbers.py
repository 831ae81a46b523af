import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from thresher.problem.numbers import finite_or_none, number_in, real, whole, with_nulls


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
