r"""Intervals and e-values for arms that answer a finite pool of items, each once in a random order.

The mean in question is that of all :math:`N` items of the arm. Given what was seen, each item that is left is as likely
to come next, so the next outcome has the mean of those that are left, :math:`(N\mu - S_n)/(N - n)`.

* 0/1 outcomes: with :math:`M` ones in the pool and a Beta-binomial prior for `M`, the ratio of prior to posterior at
  the true `M` is a nonnegative martingale that starts at 1, so the set of `M` where it is below :math:`1/\alpha` is
  valid at all times :cite:p:`waudby-smith2020`, Theorem 2.1. The ratio is the probability of the outcomes under the
  prior over that given `M`. It depends on the order of the outcomes no more than they do, and falls and then rises in
  `M`. The prior is centred at the bar, where the test of the bar is the one of :mod:`thresher.policy.intervals`.
* Other outcomes: :math:`Z_n = (S_n - n\mu)/(N - n)` is a martingale with increments
  :math:`(X_n - E[X_n])/(N - n)`. If outcomes lie in an interval of width `w` it is sub-Gaussian with the variance
  :math:`\frac{w^2}{4} \sum_{i \le n} (N - i)^{-2}` (Hoeffding). If the items themselves are a sample from a normal
  distribution of variance :math:`\sigma^2` its increments are normal, and its variance is :math:`\sigma^2 n / (N (N -
  n))`. Times `N` it is the sum of :math:`\nu = n/(1 - n/N)` independent outcomes less their mean, and the limits of
  :mod:`thresher.policy.intervals` and :mod:`thresher.policy.student` hold for :math:`\nu`. Nothing is assumed of 0/1
  and bounded outcomes; for the other families the normal items are.

With all items known the interval is the mean itself. Items that are added later change the question: the limits hold
again once an arm has answered those of the new items that its order puts before the ones it had answered.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.index.effective import certain_side
from thresher.jit import njit
from thresher.policy.seen import Seen
from thresher.policy.student import radius_per_deviation
from thresher.problem import Question, sizes_of
from thresher.problem.family import BERNOULLI, BOUNDED, UNKNOWN_VARIANCE
from thresher.types import Floats, Ints


@njit(cache=True)
def log_ratio(ones: float, size: float, count: float, total: float, a: float, b: float) -> float:
    r"""Return the log of the probability of the outcomes under Beta-binomial(N, a, b) over that with `M` ones.

    Infinite if so many ones are not possible.

    Parameters
    ----------
    ones, size : float
        :math:`M` and :math:`N`.
    count, total : float
        :math:`n` outcomes, of which :math:`s` are 1.
    a, b : float
        Of the prior.
    """
    zeros = count - total
    if ones < total or size - ones < zeros:
        return math.inf
    prior = math.lgamma(a + total) - math.lgamma(a) + math.lgamma(b + zeros) - math.lgamma(b)
    prior += math.lgamma(a + b) - math.lgamma(a + b + count)
    given = math.lgamma(ones + 1.0) - math.lgamma(ones - total + 1.0)
    given += math.lgamma(size - ones + 1.0) - math.lgamma(size - ones - zeros + 1.0)
    return prior - given + math.lgamma(size + 1.0) - math.lgamma(size - count + 1.0)


@njit(cache=True)
def ones_limit(size: float, count: float, total: float, a: float, b: float, alpha: float, end: float) -> float:
    """Return the number of ones nearest to an end (0 or `size`) that is not refuted at level `alpha`."""
    bar = math.log(1.0 / alpha)
    refuted = -1.0 if end == 0.0 else size + 1.0
    kept = min(max(math.floor(total * (size + 1.0) / count), total), size - count + total)
    while abs(refuted - kept) > 1.0:
        middle = math.floor(0.5 * (refuted + kept))
        if log_ratio(middle, size, count, total, a, b) >= bar:
            refuted = middle
        else:
            kept = middle
    return kept


@njit(cache=True)
def _ones_limits(
    sizes: Floats, counts: Floats, totals: Floats, bars: Floats, alpha: float, rho: float
) -> tuple[Floats, Floats]:
    """Return the limits of the mean of every arm with 0/1 outcomes, shape (K,) each."""
    low, high = np.zeros(counts.size), np.ones(counts.size)
    for k in range(counts.size):
        if counts[k] > 0.0:
            a, b = rho * bars[k], rho * (1.0 - bars[k])
            low[k] = ones_limit(sizes[k], counts[k], totals[k], a, b, alpha, 0.0) / sizes[k]
            high[k] = ones_limit(sizes[k], counts[k], totals[k], a, b, alpha, sizes[k]) / sizes[k]
    return low, high


def effective_counts(counts: Floats, sizes: Floats) -> Floats:
    r"""Return :math:`\nu = n/(1 - n/N)`, shape (K,); infinite where all items are known."""
    with np.errstate(divide="ignore"):
        return np.asarray(counts / (1.0 - counts / sizes))


def hoeffding_variances(counts: Floats, sizes: Floats) -> Floats:
    r"""Return :math:`N^2 \sum_{i \le n} (N - i)^{-2}`, shape (K,), for :math:`n < N`; infinite where all are known."""
    from scipy.special import polygamma

    left = np.maximum(sizes - counts, 1.0)
    sums = sizes**2 * (polygamma(1, left) - polygamma(1, np.maximum(sizes, 1.0)))
    return np.where(counts < sizes, np.maximum(sums, 0.0), np.inf)


def pool_limits(question: Question, seen: Seen, alpha: float, rho: float) -> tuple[Floats, Floats]:
    """Return the limits of the mean of all items of every arm, shape (K,) each; NaN where no interval exists.

    Parameters
    ----------
    question : Question
        With a structure; not of the family ``two-point``.
    seen : Seen
        Outcomes of items, not adjusted for what other arms answered.
    alpha : float
        In (0, 1).
    rho : float
        How concentrated the mixtures are, in outcomes.
    """
    sizes = sizes_of(question.structure, question.n_arms)
    if question.kind is BERNOULLI:
        return _ones_limits(sizes, seen.counts, seen.totals, np.array(question.thresholds), alpha, rho)
    radius = np.where(seen.counts < sizes, _radius(question, seen, sizes, alpha, rho), 0.0)
    means = np.where(seen.counts > 0.0, seen.means, 0.0)
    if question.kind is not BOUNDED:
        return means - radius, means + radius
    left = sizes - seen.counts
    least, most = (seen.totals + left * end for end in (question.low, question.high))
    low, high = np.maximum(means - radius, least / sizes), np.minimum(means + radius, most / sizes)
    is_seen = seen.counts > 0.0
    return np.where(is_seen, low, question.low), np.where(is_seen, high, question.high)


def _radius(question: Question, seen: Seen, sizes: Floats, alpha: float, rho: float) -> Floats:
    """Return half the width of the intervals of arms that have items left."""
    is_open = (seen.counts > 0.0) & (seen.counts < sizes)
    counts = np.where(is_open, seen.counts, 1.0)
    pools = np.where(is_open, sizes, 3.0)
    samples = effective_counts(counts, pools)
    if question.kind is UNKNOWN_VARIANCE:
        found = np.sqrt(seen.variances(question)) * radius_per_deviation(counts, alpha, samples)
    else:
        spread = hoeffding_variances(counts, pools) if question.kind is BOUNDED else samples
        found = question.sigma / samples * np.sqrt((spread + rho) * np.log((spread + rho) / (rho * alpha**2)))
    return np.where(is_open, found, np.nan)


@njit(cache=True)
def log_tail(size: int, a: float, b: float, first: int) -> float:
    """Return the log of the probability that a Beta-binomial(`size`, a, b) number is at least `first`."""
    log = math.lgamma(b + size) + math.lgamma(a + b) - math.lgamma(b) - math.lgamma(a + b + size)
    top, total = -math.inf, 0.0
    for j in range(size + 1):
        if j >= first:
            if log > top:
                total, top = total * math.exp(top - log) + 1.0, log
            else:
                total += math.exp(log - top)
        if j < size:
            log += math.log((size - j) * (a + j) / ((j + 1.0) * (b + size - j - 1.0)))
    return top + math.log(total) if total > 0.0 else -math.inf


@njit(cache=True)
def log_e_of_ones(size: float, count: float, total: float, bar: float, rho: float) -> float:
    r"""Return the log of an e-process against a mean at or below the bar, for 0/1 outcomes of a pool.

    With :math:`M_0` the most ones of such a mean, the mixture of the likelihood ratios of :math:`M > M_0` to
    :math:`M_0` over the part of the prior above :math:`M_0`. Given the outcomes so far, the expectation of the next
    factor grows with the number of ones that are left, and is 1 at :math:`M_0`: with fewer ones it is a
    supermartingale.
    """
    most = 1.0 * math.floor(size * bar)
    while (most + 1.0) / size <= bar:
        most += 1.0
    while most / size > bar:
        most -= 1.0
    if total > most:
        return math.inf
    a, b, zeros = rho * bar, rho * (1.0 - bar), count - total
    ratio = log_ratio(most, size, count, total, a, b)
    if ratio == math.inf:
        return -math.inf  # more zeros than so many ones leave room for
    above = log_tail(int(size - count), a + total, b + zeros, int(most - total) + 1)
    return ratio + above - log_tail(int(size), a, b, int(most) + 1)


@njit(cache=True)
def log_e_of_pools(sizes: Floats, counts: Floats, totals: Floats, bars: Floats, rho: float) -> Floats:
    """Return the log of the e-value of every arm with 0/1 outcomes, shape (K,)."""
    found = np.zeros(counts.size)
    for k in range(counts.size):
        found[k] = log_e_of_ones(sizes[k], counts[k], totals[k], bars[k], rho)
    return found


def certain_sides(question: Question, seen: Seen, bars: Floats) -> Ints:
    """Return 1 or -1 where the items that are left cannot change the side of the mean of all, else 0; shape (K,).

    Parameters
    ----------
    question : Question
    seen : Seen
    bars : ndarray of float64, shape (K,)
        The mean is above if it is greater.
    """
    sizes = sizes_of(question.structure, question.n_arms)
    low, high = (question.low, question.high) if question.kind.has_range else (-math.inf, math.inf)
    rows = zip(seen.counts.tolist(), seen.totals.tolist(), bars.tolist(), sizes.tolist(), strict=True)
    return np.array([_certain_side(*row, low, high) for row in rows], np.int64)


_certain_side = getattr(certain_side, "py_func", certain_side)
