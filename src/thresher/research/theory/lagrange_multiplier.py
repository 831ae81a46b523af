"""The Lagrange multiplier of a separable problem: the price at which the budget is just spent."""

from __future__ import annotations

import math
from collections.abc import Callable

LEAST_SHARE = 1e-300  # of the budget: stands for zero spending, which has no logarithm


def log_price(spending: Callable[[float], float], *, budget: float, start: float, tolerance: float = 1e-13) -> float:
    """Return the logarithm of the Lagrange multiplier (the price) at which `spending` equals the budget.

    Spending is compared with the budget in logarithms: near a price where it is a power of the price, and near one
    where it is the logarithm of the price, that is nearly a straight line, and few calls are needed (about ten).

    Parameters
    ----------
    spending : callable
        ``spending(log_price)``: what is spent at that price; non-increasing, unbounded to the left and near 0 to the
        right. Where it jumps over the budget, the price of the jump is returned.
    budget : float
        :math:`T > 0`.
    start : float
        A first guess of the logarithm of the price.
    tolerance : float
        How far the answer may be off.
    """
    from scipy.optimize import brentq

    def excess(at: float) -> float:
        return math.log(max(spending(at) / budget, LEAST_SHARE))

    return float(brentq(excess, *_bracket(excess, start), xtol=tolerance))


def _bracket(excess: Callable[[float], float], start: float) -> tuple[float, float]:
    """Return two points around the zero of a non-increasing function, searched from `start` in doubling steps."""
    here, direction = start, 1.0 if excess(start) > 0.0 else -1.0
    step = 1.0
    while True:
        there = here + direction * step
        if direction * excess(there) <= 0.0:
            return (here, there) if direction > 0.0 else (there, here)
        here, step = there, 2.0 * step
