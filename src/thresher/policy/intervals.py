r"""Anytime-valid intervals: for each arm, limits that leave its mean out at *any* time with probability at most α.

Each interval is the set of means that a test martingale has not refuted: a nonnegative process :math:`M_n(m)` that
starts at 1 and is a (super)martingale if `m` is the mean, so that :math:`P(\exists n: M_n(m) \ge 1/\alpha) \le \alpha`
(Ville). It holds at all times at once, whatever rule chose the pulls and whenever the interval is read. The martingales
are mixtures over alternatives, spread as if :math:`\rho` samples had shown them; :math:`\rho` is such that the
intervals are narrowest about :data:`TUNED_AT` pulls. Those for unknown variances are in :mod:`thresher.policy.student`,
those for finite pools of items in :mod:`thresher.policy.pool_intervals`.

The promise is for one arm at a time. For all K arms at once take ``alpha / K``. It is void if outcomes are left out or
changed because of their values.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.jit import njit
from thresher.policy.pool_intervals import pool_limits
from thresher.policy.seen import Seen
from thresher.policy.student import radius_per_deviation
from thresher.problem import Question
from thresher.problem.family import BERNOULLI, BOUNDED, GAUSSIAN, UNKNOWN_VARIANCE
from thresher.types import Floats, Ints

TUNED_AT = (
    50.0  # pulls; from 20 to 1,000 of them the Gaussian limits are within 10 % of the best tuning for that number
)
PRECISION = 1e-9  # of the angle at which a search ends
STEEPEST, SLOPES = 0.58, 7  # the slopes of the Bernstein limits: each half of the one before


class Intervals(NamedTuple):
    """Limits for the mean of every arm, each of shape (K,); NaN where no interval exists."""

    low: Floats
    high: Floats

    def sides(self, thresholds: Floats) -> Ints:
        """Return 1 where the whole interval is above the bar, -1 where it is not above it, 0 where it holds both."""
        return np.where(self.low > thresholds, 1, np.where(self.high <= thresholds, -1, 0))


def intervals(question: Question, seen: Seen, *, alpha: float = 0.05) -> Intervals:
    """Return an interval for the mean of every arm that is valid at all times, under any choice of pulls.

    Parameters
    ----------
    question : Question
        Of family, thresholds, σ and range.
    seen : Seen
        Outcomes told, shape (K,).
    alpha : float
        In (0, 1): the chance that the interval of an arm ever leaves its mean out is at most this.

    Raises
    ------
    InvalidInputError
        If `alpha` is not in (0, 1).
    """
    if not 0.0 < alpha < 1.0:
        raise InvalidInputError("alpha", alpha, rule="must be between 0 and 1 (exclusive)")
    if question.structure is not None:
        return Intervals(*pool_limits(question, seen, alpha, pseudo_samples(alpha)))
    if question.kind is BERNOULLI:
        return Intervals(*bernoulli_limits(seen.counts, seen.totals, alpha, pseudo_samples(alpha)))
    if question.kind is BOUNDED:
        return _bounded(question, seen, alpha)
    if question.kind is GAUSSIAN:
        return _around(seen, gaussian_radius(seen.counts, question.sigma, alpha))
    if question.kind is UNKNOWN_VARIANCE:
        return _around(seen, np.sqrt(seen.variances(question)) * radius_per_deviation(seen.counts, alpha))
    return _two_point(seen)


def pseudo_samples(alpha: float) -> float:
    r"""Return :math:`\rho = m / (2 \log \frac1\alpha + \log(1 + 2 \log \frac1\alpha))`, the tuning for `m` pulls.

    :cite:p:`howard2021`, on tuning the normal mixture; there it is an approximation of a Lambert function.
    """
    twice = 2.0 * math.log(1.0 / alpha)
    return TUNED_AT / (twice + math.log1p(twice))


def gaussian_radius(counts: Floats, sigma: Floats, alpha: float) -> Floats:
    r"""Return half the width of the intervals for Gaussian (or sub-Gaussian) outcomes of known σ, shape (K,).

    .. math:: \frac{\sigma}{n} \sqrt{(n + \rho) \log \frac{n + \rho}{\rho \alpha^2}}

    The two-sided normal mixture :cite:p:`robbins1970,howard2021`: :math:`\mu - m \sim N(0, \sigma^2/\rho)` mixes the
    likelihood ratios.
    """
    rho = pseudo_samples(alpha)
    counted = np.maximum(counts, 1.0)
    radius = sigma / counted * np.sqrt((counted + rho) * np.log((counted + rho) / (rho * alpha**2)))
    return np.where(counts > 0.0, radius, np.nan)


@njit(cache=True)
def bernoulli_refutation(p: float, count: float, total: float, rho: float) -> float:
    r"""Return :math:`\log M_n(p)` of the beta-binomial mixture: how strongly the outcomes refute the mean `p`.

    .. math:: M_n(p) = \frac{B(\rho p + s, \rho q + n - s)}{B(\rho p, \rho q) \, p^s q^{n-s}}, \qquad q = 1 - p

    :cite:p:`howard2021`, the beta-binomial mixture; the Beta(ρp, ρq) alternatives are centred at `p`. For 0/1
    outcomes it is a martingale, and :math:`\log M_n` is convex in `p`; for outcomes within [0, 1] it is a
    supermartingale, because :math:`E[e^{\lambda X}] \le q + p e^\lambda`. It is at most 0 at the empirical mean.

    Parameters
    ----------
    p : float
        In (0, 1).
    count, total : float
        :math:`n > 0` and :math:`0 \le s \le n`.
    rho : float
        :math:`\rho > 0`, how concentrated the alternatives are.
    """
    q, failures = 1.0 - p, count - total
    ones, zeros = rho * p, rho * q
    mixed = math.lgamma(ones + total) - math.lgamma(ones) + math.lgamma(zeros + failures) - math.lgamma(zeros)
    mixed += math.lgamma(rho) - math.lgamma(rho + count)
    successes_there = total * math.log(p) if total > 0.0 else 0.0
    return mixed - successes_there - (failures * math.log(q) if failures > 0.0 else 0.0)


@njit(cache=True)
def bernoulli_refutations(bars: Floats, counts: Floats, totals: Floats, rho: float) -> Floats:
    """Return how strongly the outcomes of each arm refute that its bar is its mean, shape (K,); 0 without outcomes."""
    found = np.zeros(counts.size)
    for k in range(counts.size):
        if counts[k] > 0.0:
            found[k] = bernoulli_refutation(bars[k], counts[k], totals[k], rho)
    return found


@njit(cache=True)
def bernoulli_limit(count: float, total: float, alpha: float, rho: float, end: float) -> float:
    r"""Return where the refutation of one arm passes :math:`\log(1/\alpha)` between its mean and an end of [0, 1]."""
    return bernoulli_crossing(count, total, total / count, math.log(1.0 / alpha), 0.0, rho, end)


@njit(cache=True)
def bernoulli_crossing(
    count: float, total: float, start: float, level: float, floor: float, rho: float, end: float
) -> float:
    r"""Return where the refutation of one arm passes a level between a start and an end of [0, 1].

    There is at most one such place; without one it is the end. The search is by false position (the Illinois variant)
    in the angle :math:`2 \arcsin \sqrt p`, where the root of the refutation is almost a straight line.

    Parameters
    ----------
    count, total : float
        :math:`n > 0` and :math:`0 \le s \le n`.
    start : float
        A rate in [0, 1] that is refuted less than to the level.
    level, floor : float
        The level, and a number below it that is about the refutation at the start.
    rho, end : float
        How concentrated the alternatives are; 0 or 1.
    """
    kept, refuted = 2.0 * math.asin(math.sqrt(min(max(start, 0.0), 1.0))), math.pi * end
    lift, drop = math.inf, -1.0  # how far the root is above the bar at the refuted angle and below it at the kept one
    last = 0
    while abs(refuted - kept) > PRECISION:
        # Far above the bar the line is not a good approximation.
        share = 0.5 if lift > 4.0 else min(max(drop / (drop - lift), 0.001), 0.999)
        angle = kept + share * (refuted - kept)
        excess = (bernoulli_refutation(math.sin(0.5 * angle) ** 2, count, total, rho) - floor) / (level - floor)
        root = math.sqrt(max(excess, 0.0)) - 1.0
        if root >= 0.0:
            drop = 0.5 * drop if last == 1 else drop
            refuted, lift, last = angle, root, 1
        else:
            lift = 0.5 * lift if last == -1 else lift
            kept, drop, last = angle, root, -1
    return math.sin(0.5 * refuted) ** 2 if lift < math.inf else end


@njit(cache=True)
def bernoulli_limits(counts: Floats, totals: Floats, alpha: float, rho: float) -> tuple[Floats, Floats]:
    """Return the limits of every arm with outcomes 0 and 1, or between them, shape (K,) each."""
    low, high = np.zeros(counts.size), np.ones(counts.size)
    for k in range(counts.size):
        if counts[k] > 0.0:
            low[k] = bernoulli_limit(counts[k], totals[k], alpha, rho, 0.0)
            high[k] = bernoulli_limit(counts[k], totals[k], alpha, rho, 1.0)
    return low, high


def bernstein_radius(counts: Floats, variances: Floats, alpha: float) -> Floats:
    r"""Return half the width of the intervals for outcomes within [0, 1] that know how these vary, shape (K,).

    The least :math:`d` at which one of `J` slopes λ has

    .. math:: n \big(\lambda d - \psi(\lambda) (\hat\sigma^2 + d^2)\big) \ge \log \frac{2J}{\alpha}, \qquad
              \psi(\lambda) = -\log(1 - \lambda) - \lambda

    If :math:`m = \hat\mu - d` is the mean and :math:`\xi_i = X_i - m \ge -1`, then :math:`\exp(\lambda \sum \xi_i -
    \psi(\lambda) \sum \xi_i^2)` is a supermartingale, by :math:`e^{\lambda \xi - \psi(\lambda) \xi^2} \le 1 +
    \lambda \xi` :cite:p:`fan2015`. Since :math:`\sum \xi_i^2 = n(\hat\sigma^2 + d^2)` it needs no order of the
    outcomes. The other side mirrors it. Every distance from `d` to 1 is refuted too, because
    :math:`\lambda \ge 2 \psi(\lambda)` for these slopes.
    """
    counted = np.maximum(counts, 1.0)
    radius = np.full(counts.size, np.inf)
    for slope in STEEPEST * 0.5 ** np.arange(SLOPES):
        psi = -math.log1p(-slope) - slope
        constant = psi * variances + math.log(2.0 * SLOPES / alpha) / counted
        inner = slope**2 - 4.0 * psi * constant
        root = 2.0 * constant / (slope + np.sqrt(np.maximum(inner, 0.0)))
        radius = np.where(inner >= 0.0, np.minimum(radius, root), radius)
    return np.where(counts > 0.0, radius, np.inf)


def _bounded(question: Question, seen: Seen, alpha: float) -> Intervals:
    """Half of α goes to the limits that know the mean alone, half to those that know the variance too."""
    width = question.high - question.low
    totals = (seen.totals - question.low * seen.counts) / width
    low, high = bernoulli_limits(seen.counts, totals, 0.5 * alpha, pseudo_samples(0.5 * alpha))
    means = totals / np.maximum(seen.counts, 1.0)
    radius = bernstein_radius(seen.counts, seen.variances(question) / width**2, 0.5 * alpha)
    counted = seen.counts > 0.0
    low = np.where(counted, np.maximum(low, means - radius), 0.0)
    high = np.where(counted, np.minimum(high, means + radius), 1.0)
    return Intervals(question.low + width * low, question.low + width * high)


def _around(seen: Seen, radius: Floats) -> Intervals:
    means = np.where(seen.counts > 0.0, seen.means, 0.0)
    return Intervals(means - radius, means + radius)


def _two_point(seen: Seen) -> Intervals:
    """One outcome other than 0 tells the mean, half of it; before that nothing does."""
    known = seen.totals != 0.0
    means = 0.5 * np.divide(seen.squares, seen.totals, out=np.zeros_like(seen.totals), where=known)
    known_means = np.where(known, means, np.nan)
    return Intervals(known_means, known_means)
