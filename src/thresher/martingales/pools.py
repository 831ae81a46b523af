r"""Intervals and e-values for arms that answer a finite pool of items, each once in a random order.

The mean in question is that of all :math:`N` items of the arm. Given what was seen, each item that is left is as likely
to come next, so the next outcome has the mean of those that are left, :math:`(N\mu - S_n)/(N - n)`.

* 0/1 outcomes: with :math:`M` ones in the pool and a Beta-binomial prior for `M`, the ratio of prior to posterior at
  the true `M` is a nonnegative martingale that starts at 1, so the set of `M` where it is below :math:`1/\alpha` is
  valid at all times :cite:p:`waudby-smith2020`, Theorem 2.1. The ratio is the probability of the outcomes under the
  prior over that given `M`. It depends on the order of the outcomes no more than they do, and falls and then rises in
  `M`. The prior is centred at the bar, where the test of the bar is that of :mod:`thresher.martingales.beta_binomial`.
  It is a mixture of Beta-binomial ones over several ρ (:mod:`thresher.martingales.mixture`): any prior will do.
* Other outcomes: :math:`Z_n = (S_n - n\mu)/(N - n)` is a martingale with increments
  :math:`(X_n - E[X_n])/(N - n)`. If outcomes lie in an interval of width `w` it is sub-Gaussian with the variance
  :math:`\frac{w^2}{4} \sum_{i \le n} (N - i)^{-2}` (Hoeffding). If the items themselves are a sample from a normal
  distribution of variance :math:`\sigma^2` its increments are normal, and its variance is :math:`\sigma^2 n / (N (N -
  n))`. Times `N` it is the sum of :math:`\nu = n/(1 - n/N)` independent outcomes less their mean, and the limits of
  :mod:`thresher.martingales.normal` and :mod:`thresher.martingales.student` hold for :math:`\nu`. Nothing is assumed
  of 0/1 and bounded outcomes; for the other families the normal items are.

With all items known the interval is the mean itself. Items that are added later change the question: the limits hold
again once an arm has answered those of the new items that its order puts before the ones it had answered.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import njit
from thresher.types import Floats


@njit(cache=True)
def log_prior(count: float, total: float, a: float, b: float) -> float:
    """Return the log of the probability of outcomes, in their order, under a Beta-binomial prior for the ones."""
    prior = math.lgamma(a + total) - math.lgamma(a) + math.lgamma(b + count - total) - math.lgamma(b)
    return prior + math.lgamma(a + b) - math.lgamma(a + b + count)


@njit(cache=True)
def log_given(ones: float, size: float, count: float, total: float) -> float:
    """Return the log of the probability of outcomes, in their order, of a pool with this number of ones."""
    zeros = count - total
    if ones < total or size - ones < zeros:
        return -math.inf
    given = math.lgamma(ones + 1.0) - math.lgamma(ones - total + 1.0)
    given += math.lgamma(size - ones + 1.0) - math.lgamma(size - ones - zeros + 1.0)
    return given - math.lgamma(size + 1.0) + math.lgamma(size - count + 1.0)


@njit(cache=True)
def mixed_prior(count: float, total: float, bar: float, rhos: Floats, logs: Floats) -> float:
    """Return the log of the probability of outcomes under the mixture of the priors centred at the bar."""
    parts = np.empty(rhos.size)
    for j in range(rhos.size):
        parts[j] = logs[j] + log_prior(count, total, rhos[j] * bar, rhos[j] * (1.0 - bar))
    largest = parts.max()
    return float(largest + math.log(np.exp(parts - largest).sum()))


@njit(cache=True)
def likeliest_ones(size: float, count: float, total: float) -> float:
    """Return the number of ones under which outcomes are likeliest."""
    return min(max(math.floor(total * (size + 1.0) / count), total), size - count + total)


@njit(cache=True)
def ones_limit(size: float, count: float, total: float, prior: float, alpha: float, end: float) -> float:
    """Return the number of ones nearest to an end (0 or `size`) that is not refuted at level `alpha`.

    `prior` is the log of the probability of the outcomes under the prior.
    """
    bar = math.log(1.0 / alpha)
    refuted = -1.0 if end == 0.0 else size + 1.0
    kept = likeliest_ones(size, count, total)
    while abs(refuted - kept) > 1.0:
        middle = math.floor(0.5 * (refuted + kept))
        if prior - log_given(middle, size, count, total) >= bar:
            refuted = middle
        else:
            kept = middle
    return kept


@njit(cache=True)
def ones_limits(
    sizes: Floats, counts: Floats, totals: Floats, bars: Floats, alpha: float, rhos: Floats, logs: Floats
) -> tuple[Floats, Floats]:
    """Return the limits of the mean of every arm with 0/1 outcomes, shape (K,) each."""
    low, high = np.zeros(counts.size), np.ones(counts.size)
    for k in range(counts.size):
        if counts[k] > 0.0:
            prior = mixed_prior(counts[k], totals[k], bars[k], rhos, logs)
            low[k] = ones_limit(sizes[k], counts[k], totals[k], prior, alpha, 0.0) / sizes[k]
            high[k] = ones_limit(sizes[k], counts[k], totals[k], prior, alpha, sizes[k]) / sizes[k]
    return low, high


@njit(cache=True)
def log_ratios_of_ones(
    sizes: Floats, counts: Floats, totals: Floats, bars: Floats, ones: Floats, side: int, rhos: Floats, logs: Floats
) -> Floats:
    """Return the log of the ratio of prior to posterior at a number of ones, shape (K,); infinite if it is impossible.

    On one side of the likeliest number: beyond it, 1 for fewer and -1 for more, that of the likeliest one.
    """
    found = np.zeros(counts.size)
    for k in range(counts.size):
        if counts[k] > 0.0:
            best = likeliest_ones(sizes[k], counts[k], totals[k])
            number = min(ones[k], best) if side > 0 else max(ones[k], best)
            prior = mixed_prior(counts[k], totals[k], bars[k], rhos, logs)
            found[k] = prior - log_given(number, sizes[k], counts[k], totals[k])
    return found


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
    given = log_given(most, size, count, total)
    if given == -math.inf:
        return -math.inf  # more zeros than this number of ones leaves room for
    ratio = log_prior(count, total, a, b) - given
    above = log_tail(int(size - count), a + total, b + zeros, int(most - total) + 1)
    return ratio + above - log_tail(int(size), a, b, int(most) + 1)


@njit(cache=True)
def log_e_of_pools(sizes: Floats, counts: Floats, totals: Floats, bars: Floats, rho: float) -> Floats:
    """Return the log of the e-value of every arm with 0/1 outcomes, shape (K,)."""
    found = np.zeros(counts.size)
    for k in range(counts.size):
        found[k] = log_e_of_ones(sizes[k], counts[k], totals[k], bars[k], rho)
    return found
