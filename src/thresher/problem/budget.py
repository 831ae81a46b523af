"""Validation of budgets."""

from __future__ import annotations

import math
from typing import Any

from thresher.errors import InvalidInputError
from thresher.problem.numbers import real


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
