"""Numbers of any library as Python's own; truth values and texts are none."""

from __future__ import annotations

import math
import operator
from numbers import Integral, Real
from typing import Any


def real(value: Any) -> float:
    """Return a number as a float: infinite if it is too large for one, NaN for what is no number."""
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()  # of an array with one element
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def whole(value: Any) -> int | None:
    """Return a whole number as an int, None for anything else."""
    return None if isinstance(value, bool) or not isinstance(value, Integral) else operator.index(value)
