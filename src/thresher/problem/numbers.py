"""Numbers of any library, and texts, as Python numbers; Booleans are not numbers. Amounts of money and budgets.

Amounts are integer millionths: sums do not depend on their order, and databases can compute them.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from thresher.errors import InvalidInputError
from thresher.number_text import exact

SMALLEST_COST = 1e-6  # one tick
PER_UNIT = round(1 / SMALLEST_COST)
MOST_MONEY = 1e12  # nine times this, in ticks, fits in a 64-bit integer
MOST_TICKS = round(MOST_MONEY) * PER_UNIT

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def real(value: Any) -> float:
    """Return a number as a float: infinite if it is too large for one, NaN for anything else."""
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()  # of an array with one element
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def finite_or_none(value: float) -> float | None:
    """Return a number; None if it is not finite, because JSON has neither infinities nor NaN."""
    return value if math.isfinite(value) else None


def with_nulls(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for JSON: None for numbers that are not finite."""
    return {key: finite_or_none(value) if isinstance(value, float) else value for key, value in row.items()}


def whole(value: Any) -> int | None:
    """Return a whole number as an int, None for anything else."""
    return None if isinstance(value, bool) or not isinstance(value, Integral) else operator.index(value)


def number_in(text: str) -> float | None:
    """Parse a finite decimal number; return None for ``nan``, ``1_000``, ``0,5``, ``yes`` and the like."""
    number = float(text) if NUMBER.fullmatch(text.strip()) else math.inf
    return number if math.isfinite(number) else None


def percent_in(value: Any) -> float | None:
    """Return the rate that a text such as ``80%`` stands for; None for anything else."""
    text = value.strip() if isinstance(value, str) else ""
    if not text.endswith("%") or number_in(text[:-1]) is None:
        return None
    return float(Decimal(text[:-1].strip()).scaleb(-2))  # 0.1% is 0.001, not 0.1 / 100


def rate_in(text: str) -> float | None:
    """Parse a number, or a rate in per cent; return None for anything else."""
    number = number_in(text)
    return percent_in(text) if number is None else number


def ticks_of(amount: Any, *, what: str = "budget", least: float = SMALLEST_COST) -> int:
    """Return an amount in whole millionths.

    Raises
    ------
    InvalidInputError
        If the amount is not a number from `least` (10⁻⁶ unless given) to 10¹².
    """
    number = real(amount)
    if not least <= number <= MOST_MONEY:
        raise InvalidInputError(what, amount, rule=f"must be a number from {exact(least)} to {exact(MOST_MONEY)}")
    return round(number / SMALLEST_COST)


def amount_of(ticks: int) -> float:
    """Return whole millionths as an amount: an int where it is whole, else the nearest float."""
    return ticks // PER_UNIT if ticks % PER_UNIT == 0 else ticks / PER_UNIT


def budget_of(value: Any) -> float:
    """Return a budget as a number.

    Raises
    ------
    InvalidInputError
        If it is not a positive finite number.
    """
    budget = real(value)
    if not (math.isfinite(budget) and budget > 0):
        raise InvalidInputError("budget", value, rule="must be a positive finite number")
    return budget
