"""The beta-binomial mixture: outcomes that are 0 or 1, or between them."""

from __future__ import annotations

import math
from math import lgamma

import numpy as np

from thresher.jit import lgamma_of_c, njit, quickest
from thresher.types import Floats

PRECISION = 1e-9  # of the angle at which a search ends
SEARCHING = 0.2  # milliseconds for each arm, interpreted


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
        In (0, 1); not a number at its ends.
    count, total : float
        :math:`n > 0` and :math:`0 \le s \le n`.
    rho : float
        :math:`\rho > 0`, how concentrated the alternatives are.
    """
    if p <= 0.0 or p >= 1.0:
        return math.nan  # a search is so near to an end that the rate is rounded to it
    q, failures = 1.0 - p, count - total
    ones, zeros = rho * p, rho * q
    mixed = lgamma(ones + total) - lgamma(ones) + lgamma(zeros + failures) - lgamma(zeros)
    mixed += lgamma(rho) - lgamma(rho + count)
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
def mixed_refutation(p: float, count: float, total: float, rhos: Floats, logs: Floats) -> float:
    r"""Return :math:`\log \sum_j w_j M_n^{\rho_j}(p)`: the refutation by a mixture over ρ.

    The logarithm of a sum of exponentials of convex functions is convex, so it is convex in `p`, too. `logs` are the
    logarithms of the weights.
    """
    largest, total_weight = -math.inf, 0.0
    for j in range(rhos.size):
        part = logs[j] + bernoulli_refutation(p, count, total, rhos[j])
        if part > largest:
            total_weight = total_weight * math.exp(largest - part) + 1.0
            largest = part
        else:
            total_weight += math.exp(part - largest)
    return largest + math.log(total_weight)


@njit(cache=True)
def bernoulli_limit(count: float, total: float, alpha: float, rhos: Floats, logs: Floats, end: float) -> float:
    r"""Return where the refutation of one arm passes :math:`\log(1/\alpha)` between its mean and an end of [0, 1]."""
    return bernoulli_crossing(count, total, total / count, math.log(1.0 / alpha), 0.0, rhos, logs, end)


@njit(cache=True)
def bernoulli_crossing(
    count: float, total: float, start: float, level: float, floor: float, rhos: Floats, logs: Floats, end: float
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
    rhos, logs : ndarray of float64, shape (J,)
        Of the mixture; the weights may add up to less or more than 1.
    end : float
        0 or 1.
    """
    kept, refuted = 2.0 * math.asin(math.sqrt(min(max(start, 0.0), 1.0))), math.pi * end
    lift, drop = math.inf, -1.0  # how far the root is above the bar at the refuted angle and below it at the kept one
    last = 0
    while abs(refuted - kept) > PRECISION:
        # Far above the bar the line is not a good approximation.
        share = 0.5 if lift > 4.0 else min(max(drop / (drop - lift), 0.001), 0.999)
        angle = kept + share * (refuted - kept)
        side = math.sin(0.5 * angle)  # times itself: a power has other last bits where it is interpreted
        excess = (mixed_refutation(side * side, count, total, rhos, logs) - floor) / (level - floor)
        root = math.sqrt(max(excess, 0.0)) - 1.0
        if root >= 0.0:
            drop = 0.5 * drop if last == 1 else drop
            refuted, lift, last = angle, root, 1
        else:
            lift = 0.5 * lift if last == -1 else lift
            kept, drop, last = angle, root, -1
    side = math.sin(0.5 * refuted)
    return side * side if lift < math.inf else end


def bernoulli_limits(counts: Floats, totals: Floats, alpha: float, rhos: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Return the limits of every arm with outcomes 0 and 1, or between them, shape (K,) each."""
    find = quickest(_limits, SEARCHING * counts.size, lgamma=lgamma_of_c())
    return find(counts, totals, alpha, rhos, logs)


@njit(cache=True)
def _limits(counts: Floats, totals: Floats, alpha: float, rhos: Floats, logs: Floats) -> tuple[Floats, Floats]:
    low, high = np.zeros(counts.size), np.ones(counts.size)
    for k in range(counts.size):
        if counts[k] > 0.0:
            low[k] = bernoulli_limit(counts[k], totals[k], alpha, rhos, logs, 0.0)
            high[k] = bernoulli_limit(counts[k], totals[k], alpha, rhos, logs, 1.0)
    return low, high


def log_e_of_shares(counts: Floats, totals: Floats, bars: Floats, rho: float) -> Floats:
    r"""Return the log of the mixture of :math:`(p/b)^s (q/(1-b))^{n-s}` over the part of Beta(ρb, ρ(1−b)) above `b`.

    For outcomes within [0, 1] each factor is convex in the outcome, hence at most the chord between its values at 0 and
    1: what is a supermartingale for 0/1 outcomes is one for them, too.
    """
    ones, zeros = rho * bars, rho * (1.0 - bars)
    sides = _log_beta_above(ones + totals, zeros + counts - totals, bars) - _log_beta_above(ones, zeros, bars)
    return np.asarray(bernoulli_refutations(bars, counts, totals, rho) + sides)


def _log_beta_above(ones: Floats, zeros: Floats, bars: Floats) -> Floats:
    """Return the logarithm of the probability that Beta(ones, zeros) is above a bar.

    Where it is too small for a float it is the first term of a series of positive terms, a hair low.
    """
    from scipy.special import betaincc, betaln

    with np.errstate(divide="ignore"):
        found = np.log(betaincc(ones, zeros, bars))
    first = ones * np.log(bars) + zeros * np.log1p(-bars) - np.log(zeros) - betaln(ones, zeros)
    return np.asarray(np.where(np.isfinite(found), found, first))
