"""Golden sections: the least value of functions with one valley."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from thresher.types import Floats

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


def least_between(function: Callable[[Floats], Floats], low: Floats, high: Floats, *, steps: int) -> Floats:
    """Return the least value of each component of a function between two ends; each has one valley there."""
    first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_first, at_second = function(first), function(second)
    for _ in range(steps):
        is_left = at_first < at_second
        low, high = np.where(is_left, low, first), np.where(is_left, second, high)
        new = np.where(is_left, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        at_new = function(new)
        first, second = np.where(is_left, new, second), np.where(is_left, first, new)
        at_first, at_second = np.where(is_left, at_new, at_second), np.where(is_left, at_first, at_new)
    return np.minimum(at_first, at_second)
