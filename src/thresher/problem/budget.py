"""What a budget may be."""

from __future__ import annotations

import math
from typing import Any

from thresher.errors import InvalidProblemError


def budget_of(value: Any) -> float:
    """Return a budget as a number.

    Raises
    ------
    InvalidProblemError
        If it is not a positive finite number.
    """
    try:
        budget = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        budget = math.nan
    if not (math.isfinite(budget) and budget > 0):
        shown = f"{value:g}" if isinstance(value, float) else repr(value)
        raise InvalidProblemError(f"budget {shown}", instead="give a positive finite number")
    return budget
