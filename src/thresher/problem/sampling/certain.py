"""When the items that are left cannot change the side of an arm."""

from __future__ import annotations

import math

from thresher.jit import njit


@njit(cache=True, inline="always")
def certain_side(count: float, total: float, threshold: float, size: float, low: float, high: float) -> int:
    """Return 1 or -1 if the items that are left cannot change the side of the mean of all; 0 if they can.

    Parameters
    ----------
    count, total : float
        Items known, and the sum of their outcomes.
    threshold : float
        The mean is above if it is greater.
    size : float
        Items in the pool; infinite where draws are independent.
    low, high : float
        The range of outcomes; infinite if there is no limit.
    """
    if size == math.inf:
        return 0
    left = size - count
    # Without an item left infinite limits would give 0 · ∞.
    least, most = (total + left * low, total + left * high) if left > 0.0 else (total, total)
    if least / size > threshold:
        return 1
    return -1 if most / size <= threshold else 0
