"""Tails and quantiles of the Beta and the normal distribution, for compiled code."""

from __future__ import annotations

import math

from thresher.jit import njit

TINY, HUGE = 1e-300, 1e300
LOWEST = -690.0  # the logarithm of the least quantile that is distinguished from 0


@njit(cache=True)
def log_beta(a: float, b: float) -> float:
    r"""Return :math:`\log B(a, b)`."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


@njit(cache=True)
def log_density_factor(a: float, b: float, x: float) -> float:
    r"""Return :math:`\log\big(x^a (1-x)^b / B(a, b)\big)` for :math:`0 < x < 1`."""
    return a * math.log(x) + b * math.log1p(-x) - log_beta(a, b)


@njit(cache=True)
def _fraction(a: float, b: float, x: float) -> float:
    r"""Return the continued fraction of the incomplete Beta function; quick for x below the mean.

    Of :math:`1/(1 + d_1/(1 + d_2/(1 + \dots` the even part,
    :math:`1/(1 + d_1 - d_1 d_2/(1 + d_2 + d_3 - d_3 d_4/(\dots`, by the recurrence of its numerators and denominators:
    two divisions a step, and none waits for another.
    """
    odd = -(a + b) * x / (a + 1.0)
    top_before, top, bottom_before, bottom = 0.0, 1.0, 1.0, 1.0 + odd
    for m in range(1, 10_000):
        place = a + 2.0 * m
        even = m * (b - m) * x / ((place - 1.0) * place)
        product = odd * even
        odd = -(a + m) * (a + b + m) * x / (place * (place + 1.0))
        both = 1.0 + even + odd
        top_before, top = top, both * top - product * top_before
        bottom_before, bottom = bottom, both * bottom - product * bottom_before
        now, before = top * bottom_before, top_before * bottom
        if abs(now - before) <= 1e-15 * abs(now):
            break
        if not TINY < abs(now) < HUGE:
            scale = 1.0 / bottom
            top_before, top, bottom_before, bottom = top_before * scale, top * scale, bottom_before * scale, 1.0
    return top / bottom


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
def log_quantile_guess(goal: float, a: float, b: float) -> float:
    r"""Return about where log x is below which a share of Beta(a, b) lies, from the logarithm of that share.

    Half the log odds of a Beta variable is nearly normal, here with corrections for its skewness and with
    :math:`z^2 = L - \log(2 \pi L)` for the square of the normal quantile, L = -2 log level. If a or b is below 1,
    where that fails, from :math:`F(x) \approx x^a / (a B(a, b))`. It is where iterations start, no more.
    """
    if a < 1.0 or b < 1.0:
        return min(max((goal + math.log(a) + log_beta(a, b)) / a, LOWEST), math.log(a / (a + b)))
    square = max(-2.0 * goal - math.log(-4.0 * math.pi * goal), 0.0)
    over_a, over_b = 1.0 / (2.0 * a - 1.0), 1.0 / (2.0 * b - 1.0)
    h, third = 2.0 / (over_a + over_b), (square - 3.0) / 6.0
    w = math.sqrt(square * max(h + third, 0.0)) / h - (over_b - over_a) * (third + 5.0 / 6.0 - 2.0 / (3.0 * h))
    return -math.log1p(b / a * math.exp(2.0 * w))


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
    place = log_quantile_guess(goal, a, b)
    for _ in range(100):
        x = math.exp(place)
        below = max(beta_tails(a, b, x)[0], TINY)
        if below > level:
            high = place
        else:
            low = place
        slope = math.exp(log_density_factor(a, b, x)) / ((1.0 - x) * below) if x < 1.0 else 0.0
        step = (goal - math.log(below)) / slope if slope > 0.0 else math.inf
        if abs(step) < 1e-13 or high - low < 1e-13:
            return math.exp(place + min(step, 1e-13))
        place = place + step if low < place + step < high else 0.5 * (low + high)
    return math.exp(place)


@njit(cache=True)
def log_share_below(a: float, b: float, log_norm: float, place: float) -> tuple[float, float]:
    r"""Return :math:`\log F(x)` of Beta(a, b) at :math:`x = e^y`, and its slope in y.

    Parameters
    ----------
    a, b : float
        Both positive.
    log_norm : float
        :math:`\log B(a, b)`.
    place : float
        :math:`y < 0`, at best to the left of the mean.
    """
    x = math.exp(place)
    fraction = _fraction(a, b, x)
    return a * place + b * math.log1p(-x) - log_norm + math.log(fraction / a), a / ((1.0 - x) * fraction)


@njit(cache=True)
def place_beyond(a: float, b: float, place: float, slope: float, rise: float) -> float:
    r"""Return nearly where :math:`\log F` of Beta(a, b) is higher by so much than at :math:`y = \log x`.

    By the Taylor series of third order of y in :math:`g = \log F`. With the slope :math:`s = dg/dy`,
    :math:`o = x/(1-x)` and :math:`q = a - s - (b-1) o` the slope changes by :math:`ds/dy = s q`, so that

    .. math:: \frac{dy}{dg} = \frac1s, \quad \frac{d^2y}{dg^2} = -\frac{q}{s^2}, \quad
              \frac{d^3y}{dg^3} = \frac{2q^2 + s q + (b-1)\,o\,(1+o)}{s^3}

    A rise of more than ½ is gone by the tangent alone, and never more than half-way to :math:`y = 0`.
    """
    x, w = math.exp(place), rise / slope
    if abs(rise) > 0.5:
        return min(place + w, 0.5 * place)
    odds = x / (1.0 - x)
    q = a - slope - (b - 1.0) * odds
    third = 2.0 * q * q + slope * q + (b - 1.0) * odds * (1.0 + odds)
    return min(place + w * (1.0 - w * (q / 2.0 - w * third / 6.0)), 0.5 * place)


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
