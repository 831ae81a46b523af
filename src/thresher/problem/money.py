"""Amounts in integer millionths: sums do not depend on their order, and databases can compute them."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInputError
from thresher.number_text import exact
from thresher.problem.numbers import real

SMALLEST_COST = 1e-6  # one tick
PER_UNIT = round(1 / SMALLEST_COST)
MOST_MONEY = 1e12  # nine times this, in ticks, fits in a 64-bit integer
MOST_TICKS = round(MOST_MONEY) * PER_UNIT


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
