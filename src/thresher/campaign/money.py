"""Money in whole millionths, so that no order of payments changes a sum and a database can add it up."""

from __future__ import annotations

import math
from typing import Any

from thresher.campaign.numbers import real
from thresher.errors import InvalidInputError
from thresher.problem import SMALLEST_COST

PER_UNIT = round(1 / SMALLEST_COST)
LARGEST = 1e12  # in units; in millionths it fits 64 bits with room to add
MOST_TICKS = round(LARGEST) * PER_UNIT


def ticks_of(amount: Any, *, what: str = "budget") -> int:
    """Return an amount in whole millionths.

    Raises
    ------
    InvalidInputError
        If the amount is not a positive finite number below 10¹².
    """
    number = real(amount)
    if not SMALLEST_COST <= number <= LARGEST:
        value = amount if math.isnan(number) else number
        raise InvalidInputError(what, value, rule=f"must be a number from {SMALLEST_COST:g} to {LARGEST:g}")
    return round(number / SMALLEST_COST)


def amount_of(ticks: int) -> float:
    """Return whole millionths as an amount: an int where it is whole, else the nearest float."""
    return ticks // PER_UNIT if ticks % PER_UNIT == 0 else ticks / PER_UNIT
