"""Tails and quantiles of the Beta and the normal distribution, for compiled code."""

from __future__ import annotations

import math

from numba import njit

TINY = 1e-300
LOWEST = -690.0  # the logarithm of the least quantile that is told from 0


@njit(cache=True)
def log_density_factor(a: float, b: float, x: float) -> float:
    r"""Return :math:`\log\big(x^a (1-x)^b / B(a, b)\big)` for :math:`0 < x < 1`."""
    return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)


@njit(cache=True)
def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete Beta function, by Lentz's method; quick for x below the mean."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        for term in (even, odd):
            d, c = 1.0 + term * d, 1.0 + term / c
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = c if abs(c) > TINY else TINY
            value *= d * c
        if abs(d * c - 1.0) < 1e-15:
            break
    return value


@njit(cache=True)
def beta_tails(a: float, b: float, x: float) -> tuple[float, float]:
    """Return how much of Beta(a, b) lies below and above x; the smaller of the two has nearly all its digits.

    Parameters
    ----------
    a, b : float
        Both positive.
    x : float
        In [0, 1].
    """
    if x <= 0.0:
        return 0.0, 1.0
    if x >= 1.0:
        return 1.0, 0.0
    factor = math.exp(log_density_factor(a, b, x))
    if x < (a + 1.0) / (a + b + 2.0):
        below = factor * _fraction(a, b, x) / a
        return below, 1.0 - below
    above = factor * _fraction(b, a, 1.0 - x) / b
    return 1.0 - above, above


@njit(cache=True)
def beta_quantile(level: float, a: float, b: float) -> float:
    r"""Return the x below which a share of Beta(a, b) lies.

    Newton's method for :math:`\log F` as a function of :math:`\log x`, nearly a straight line in the left tail,
    within a bracket that shrinks.

    Parameters
    ----------
    level : float
        In (0, ½]; for a share near 1 turn the distribution round, which keeps the digits.
    a, b : float
        Both positive.
    """
    low, high, goal = LOWEST, 0.0, math.log(level)  # of log x
    mean = a / (a + b)
    start = mean - math.sqrt(-2.0 * goal * mean * (1.0 - mean) / (a + b + 1.0))
    if start > 0.0:
        place = math.log(start)
    else:  # F(x) is near xᵃ / (a B(a, b))
        place = max((goal + math.log(a) + math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)) / a, LOWEST)
    place = min(place, math.log(mean))
    for _ in range(100):
        x = math.exp(place)
        below = max(beta_tails(a, b, x)[0], TINY)
        if below > level:
            high = place
        else:
            low = place
        slope = math.exp(log_density_factor(a, b, x)) / ((1.0 - x) * below) if x < 1.0 else 0.0
        step = (goal - math.log(below)) / slope if slope > 0.0 else math.inf
        following = place + step if low < place + step < high else 0.5 * (low + high)
        if abs(following - place) < 1e-14 * max(-place, 1e-6):
            return math.exp(following)
        place = following
    return math.exp(place)


@njit(cache=True)
def normal_quantile(level: float) -> float:
    r"""Return :math:`\Phi^{-1}` of a level in (0, ½]: Newton's method on the logarithm of the tail, from its expansion.

    The logarithm of :math:`\Phi` is concave, so that every step from the left stays on the left and gains.
    """
    if level >= 0.5:
        return 0.0
    z = -math.sqrt(-2.0 * math.log(level))  # Φ(z) < exp(-z²/2): a place to the left of the quantile
    for _ in range(60):
        tail = 0.5 * math.erfc(-z / math.sqrt(2.0))
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        step = (math.log(level) - math.log(tail)) * tail / density
        z += step
        if abs(step) < 1e-14 * abs(z):
            break
    return z
