"""Money in whole millionths, so that no order of payments changes a sum and a database can add it up."""

from __future__ import annotations

import math
from typing import Any

from thresher.errors import InvalidProblemError
from thresher.problem import SMALLEST_COST

PER_UNIT = round(1 / SMALLEST_COST)
LARGEST = 1e12  # in units; in millionths it fits 64 bits with room to add


def ticks_of(amount: Any, *, what: str = "budget") -> int:
    """Return an amount in whole millionths.

    Raises
    ------
    InvalidProblemError
        If the amount is not a positive finite number below 10¹².
    """
    if not (isinstance(amount, (int, float)) and math.isfinite(amount) and SMALLEST_COST <= amount <= LARGEST):
        raise InvalidProblemError(
            f"a {what} of {amount!r}", instead=f"give a number from {SMALLEST_COST:g} to {LARGEST:g}"
        )
    return round(amount / SMALLEST_COST)


def amount_of(ticks: int) -> float:
    """Return whole millionths as an amount: an int where it is whole, else the nearest float."""
    return ticks // PER_UNIT if ticks % PER_UNIT == 0 else ticks / PER_UNIT
