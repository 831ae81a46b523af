"""The best sequential test of one arm between two means, at a price per sample: errors and samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.types import Floats

SMALL = 1e-4  # below it the first terms of the series are exact to the last digits, and the closed forms are not


@dataclass(frozen=True, eq=False)
class SequentialTest:
    r"""Error and sample size of the optimal test of each arm, in dimensionless units.

    Attributes
    ----------
    error : array of float
        :math:`(\alpha + \beta)/2`, the chance of a mistake when both means are equally likely.
    forward, reverse : array of float
        :math:`\mathrm{kl}(\alpha, 1-\beta)` and :math:`\mathrm{kl}(\beta, 1-\alpha)`: the samples under the first mean
        and under the second, each times its divergence from the other.
    """

    error: Floats
    forward: Floats
    reverse: Floats


def best_test(log_forward: Floats, log_reverse: Floats) -> SequentialTest:
    r"""Return errors and samples of the test that minimises mistakes plus the price of its samples.

    With a the cost of a mistake, c the price of a sample, :math:`D` the divergence of the second mean from the first
    and :math:`D'` of the first from the second, minimise over the two error rates

    .. math:: \tfrac12 a(\alpha+\beta)
              + \tfrac12 c\Big[\frac{\mathrm{kl}(\alpha, 1-\beta)}{D} + \frac{\mathrm{kl}(\beta, 1-\alpha)}{D'}\Big].

    A test that stops when the log-likelihood ratio reaches u or −v has
    :math:`\alpha = (e^v-1)/(e^{u+v}-1)` and :math:`\beta = (e^u-1)/(e^{u+v}-1)` :cite:p:`wald1947`, and in u and v the
    conditions of the minimum are, with :math:`p = aD/c` and :math:`q = aD'/c`,

    .. math:: \frac{u+v}{p} + \frac{e^u - e^{-v}}{q} = 1, \qquad \frac{u+v}{q} + \frac{e^v - e^{-u}}{p} = 1.

    The product of the two is one equation in :math:`b = (u+v)/2`, see `half_width`; their quotient then gives
    :math:`u - v`.

    Parameters
    ----------
    log_forward, log_reverse : array of float
        :math:`\log p` and :math:`\log q`; at most one of an arm's two is inf (a mean that one sample can rule out).
    """
    half = half_width(log_forward, log_reverse)
    tilt = _half_difference(half, log_forward, log_reverse)
    up, down, whole = half + tilt, half - tilt, 2.0 * half
    scale = -np.expm1(-whole)
    alpha = np.exp(-up) * -np.expm1(-down) / scale
    beta = np.exp(-down) * -np.expm1(-up) / scale
    return SequentialTest(0.5 * (alpha + beta), _binary_divergence(up, down), _binary_divergence(down, up))


def symmetric_boundary(log_rates: Floats) -> Floats:
    r"""Return the boundary b of the best test when the two divergences are equal: `half_width` for p = q, much faster.

    .. math:: \sinh b + b = p/2

    Parameters
    ----------
    log_rates : array of float
        :math:`\log p`, the logarithm of mistake cost times divergence over the price of a sample.
    """
    level = log_rates - math.log(2.0)
    linear = np.exp(np.minimum(level, 300.0))
    bound = np.where(level > 300.0, level + math.log(2.0), np.minimum(0.5 * linear, np.arcsinh(linear)))
    for _ in range(60):
        gone = -np.expm1(-bound)
        rest = gone * (2.0 - gone) + 2.0 * bound * (1.0 - gone)
        step = (bound - math.log(2.0) + np.log(rest) - level) * rest / (bound * (2.0 - gone) ** 2)
        bound = bound / (1.0 + step)  # not below bound * exp(-step): it stays to the right of the solution
        if np.max(np.abs(step), initial=0.0) < 1e-8:  # the next step would be its square
            break
    return bound


def half_width(log_forward: Floats, log_reverse: Floats) -> Floats:
    r"""Return half the distance between the two boundaries of the best test.

    It is the positive solution of

    .. math:: 4(\sinh^2 b - b^2) + 2(p+q)\, b = pq,

    found by Newton's method on the logarithm of both sides as a function of :math:`\log b`. The left side is a power
    series with positive coefficients, hence convex on that scale, and the start lies to the right of the solution: the
    iteration falls to it monotonically. With p = q it is :math:`\sinh b + b = p/2`.

    Parameters
    ----------
    log_forward, log_reverse : array of float
        As for `best_test`.
    """
    log_both = log_forward + log_reverse
    widest = -math.log(2.0) - np.logaddexp(-log_forward, -log_reverse)
    root = np.minimum(0.5 * log_both, 300.0)
    asinh = np.where(log_both > 600.0, 0.5 * log_both, np.arcsinh(0.5 * np.exp(root)))
    half = np.minimum(np.exp(np.minimum(widest, 700.0)), asinh)
    for _ in range(60):
        curved, slope = _log_curved(half)
        linear = np.log(half) - widest
        value = np.logaddexp(linear, curved - log_both)
        share = np.exp(curved - log_both - value)
        step = value / (1.0 + share * (slope - 1.0))
        half = half * np.exp(-step)
        if np.all(np.abs(step) < 1e-14):
            break
    return half


def _log_curved(half: Floats) -> tuple[Floats, Floats]:
    """Return the logarithm of 4(sinh² b − b²), and its slope in log b."""
    small = half < 0.1
    square = np.minimum(half, 0.1) ** 2
    series = np.log(4.0 / 3.0) + 4.0 * np.log(half) + np.log1p(square * (2.0 / 15.0 + square / 105.0))
    kept = np.maximum(half, 0.1)
    fall = np.exp(-2.0 * kept)
    rest = (1.0 - fall) ** 2 - 4.0 * (kept * fall) * kept
    slope = 2.0 * kept * (1.0 - fall**2 - 4.0 * kept * fall) / rest
    return np.where(small, series, 2.0 * kept + np.log(rest)), np.where(small, 4.0, slope)


def _half_difference(half: Floats, log_forward: Floats, log_reverse: Floats) -> Floats:
    """Return (u − v)/2 of the best test, from the quotient of its two conditions."""
    log_small, log_large = np.minimum(log_forward, log_reverse), np.maximum(log_forward, log_reverse)
    log_sinh = half + np.log(-np.expm1(-2.0 * half))
    exact = log_sinh - log_small - np.log1p(-np.minimum(2.0 * half * np.exp(-log_large), 0.5))
    # Near b = 0 the two conditions are the same line, and only the next term tells u from v.
    series = np.tanh(0.5 * (log_large - log_small)) * np.minimum(half, SMALL) ** 2 / 6.0
    size = np.where(half < SMALL, series, exact)
    signed = np.where(log_forward < log_reverse, size, -size)
    return np.where(log_forward == log_reverse, 0.0, signed)


def _binary_divergence(here: Floats, there: Floats) -> Floats:
    """Return kl(α, 1 − β) of the test with boundaries u = `here` and −v = −`there`: (1 − α) v − α u."""
    whole = here + there
    alpha = np.exp(-here) * np.expm1(-there) / np.expm1(-whole)
    # Near 0 the difference cancels: (e^v − 1)(B(v) − B(s)), s = u + v, with the series of B(x) = x/(e^x − 1).
    u, v, s = (np.minimum(part, 0.05) for part in (here, there, whole))
    cubes = (s**2 + v**2) * (s + v)
    series = np.expm1(v) * u * (0.5 - (s + v) / 12.0 + cubes / 720.0)
    return np.where(whole < 0.05, series, there - alpha * whole)
