r"""Betting on outcomes less their forecast by signals, drawn without replacement from a pool.

Outcomes are within [0, 1], and those of a pool of `N` items are fixed numbers with the sum `M`; the order in which the
arm is asked is a random permutation. Before place `t` (0, 1, …) of the order, forecasts :math:`f_i` of all items are
fixed: by signals that were known when the place was asked, and by outcomes at earlier places. Given these, the item at
place `t` is each of the :math:`N - t` items left with the same probability, so that

.. math:: \xi_t = y_t - \big(f_t - \bar f\big) - \frac{M - s_t}{N - t}

has the conditional expectation 0, where :math:`\bar f` is the mean forecast of the items left and :math:`s_t` the sum
of the outcomes before. The product of :math:`1 + \lambda_t \xi_t` is a test martingale if :math:`\lambda_t` is fixed
before and no factor can be negative (:cite:p:`csillag2025`, prediction-powered e-values, in a finite population, with
bets as in :cite:p:`waudby-smith2024`). Here :math:`\lambda` takes the values :data:`BETS`, each cut so that a factor
is at least :math:`1 - 0.9`, and the martingale is the mean of the products. It starts at 1. It is one for the order
itself: when an outcome is told, and when one looks, does not matter as long as all places before are told.

Each factor falls with `M`, the cut among them: with :math:`r = (M - s_t)/(N - t)`, a cut factor is
:math:`1 + 0.9\,(y_t - f_t + \bar f - r)/(f_{\max} - \bar f + r)`, whose fraction is at least -1 and falls with `r`. So
the product refutes all totals below one that it refutes, and under a smaller total than `M` it is a supermartingale.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from thresher.jit import kernel
from thresher.types import Bools, Floats, Ints

BETS = np.array([0.25, 0.5, 1.0, 2.0])
BOLDEST = 0.9  # of what an outcome can cost
OWN = 20.0  # weight of the first coefficients, in outcomes
CORRELATION = 0.5  # assumed correlation of outcomes and scores, for the first coefficient of the scores
MIDDLE = 0.5  # the largest standard deviation of outcomes within [0, 1]
REFITTED = 1.125  # growth of the number of outcomes after which the forecasts are fitted again
RESCALED = 16  # factors after which a product is rescaled


class Foreseen(NamedTuple):
    """The outcomes of each arm in its order, and their forecasts.

    Attributes
    ----------
    is_used : ndarray of bool, shape (K,)
        Whether signals count for an arm: it had some before its first ticket, and no outcome was imported before.
    is_ordered : ndarray of bool, shape (K,)
        Whether all its outcomes came by its order: none was imported later.
    counts, totals : ndarray of float64, shape (K,)
        Number and sum of the outcomes up to the first place that is not told.
    outcomes : ndarray of float64, shape (K, P)
        Those in the order of the arm, as shares of the range.
    shifts : ndarray of float64, shape (K, P)
        Forecast of the outcome at each place, less the mean forecast of the items left.
    above, below : ndarray of float64, shape (K, P)
        How far the largest forecast of the items left is above that mean, and the least below.
    """

    is_used: Bools
    is_ordered: Bools
    counts: Floats
    totals: Floats
    outcomes: Floats
    shifts: Floats
    above: Floats
    below: Floats

    def part(self, chosen: Ints | Bools | slice) -> Foreseen:
        """Return the forecasts of some arms."""
        columns: list[Any] = [column[chosen] for column in self]
        return Foreseen(*columns)

    def mirrored(self) -> Foreseen:
        """Return the same with outcomes and forecasts mirrored: evidence for below becomes evidence for above."""
        turned = self._replace(totals=self.counts - self.totals, outcomes=1.0 - self.outcomes, shifts=-self.shifts)
        return turned._replace(above=self.below, below=self.above)

    def log_e_above(self, sizes: Floats, sums: Floats) -> Floats:
        """Return the log of the product against a total of at most `sums`, shape (K,); 0 for arms without signals.

        The totals must be possible: at least the sum of the outcomes, and at most that with every item left at 1.
        """
        return log_products(self.is_used, self.counts, self.outcomes, self.shifts, self.above, sizes, sums)


@kernel
def log_products(
    is_used: Bools, counts: Floats, outcomes: Floats, shifts: Floats, above: Floats, sizes: Floats, sums: Floats
) -> Floats:
    """Return the logarithm of the mean over the bets of the products, shape (K,)."""
    found = np.zeros(counts.size)
    for k in range(counts.size):
        if not is_used[k]:
            continue
        products, seen, log = np.ones(BETS.size), 0.0, 0.0
        for t in range(int(counts[k])):
            rest = (sums[k] - seen) / (sizes[k] - t)
            error, worst = outcomes[k, t] - shifts[k, t] - rest, above[k, t] + rest
            for j in range(BETS.size):
                bet = BETS[j] if BETS[j] * worst <= BOLDEST else BOLDEST / worst
                products[j] *= 1.0 + bet * error
            seen += outcomes[k, t]
            if t % RESCALED == RESCALED - 1:
                largest = products.max()
                products /= largest
                log += math.log(largest)
        found[k] = log + math.log(products.sum() / BETS.size)
    return found


@kernel
def foresee(
    counts: Floats, outcomes: Floats, past: Floats, slopes: Floats, scores: Floats, issued: Floats, asked: Floats
) -> tuple[Floats, Floats, Floats]:
    r"""Return `shifts`, `above` and `below` of :class:`Foreseen`.

    The forecast of an item is :math:`\beta_1 h_i + \beta_2 z_i` by what past arms answered and by its score, with the
    coefficients of a ridge regression on the outcomes at earlier places. They begin at fixed values that weigh as much
    as :data:`OWN` outcomes, and are fitted again whenever the outcomes have grown by an eighth.

    Parameters
    ----------
    counts : ndarray of float64, shape (K,)
        Places of each arm for which forecasts are needed.
    outcomes : ndarray of float64, shape (K, P)
    past : ndarray of float64, shape (K, N)
        Effects of the items by past arms, in the order of the arm, with the mean 0.
    slopes : ndarray of float64, shape (K,)
        The first coefficient of these.
    scores : ndarray of float64, shape (K, N)
        In the order of the arm; NaN where there is none.
    issued : ndarray of float64, shape (K, N)
        Number of the last ticket that was issued before each score was told; infinite where that is not known.
    asked : ndarray of float64, shape (K, N)
        Number of the first ticket for each place or a later one: a score counts if it was told before.
    """
    size = past.shape[1]
    shifts, above, below = np.zeros(outcomes.shape), np.zeros(outcomes.shape), np.zeros(outcomes.shape)
    known = np.empty(size)
    for k in range(counts.size):
        first = 0
        while first < int(counts[k]):
            last = min(max(first + 1, int(REFITTED * first)), int(counts[k]))
            _centre(scores[k], issued[k], asked[k, first], known)
            by_past, by_score = _coefficients(outcomes[k, :first], past[k], known, slopes[k])
            total, highest, lowest = 0.0, -math.inf, math.inf
            for t in range(size - 1, first - 1, -1):
                forecast = by_past * past[k, t] + by_score * known[t]
                total, highest, lowest = total + forecast, max(highest, forecast), min(lowest, forecast)
                if t < last:
                    mean = total / (size - t)
                    shifts[k, t], above[k, t], below[k, t] = forecast - mean, highest - mean, mean - lowest
            first = last
    return shifts, above, below


@kernel
def _centre(scores: Floats, issued: Floats, asked: float, known: Floats) -> None:
    """Write the scores that were told before that ticket less their mean; 0 where there is none."""
    mean, count, largest = 0.0, 0, 0.0
    for i in range(scores.size):
        known[i] = 0.0
        if not math.isnan(scores[i]) and issued[i] < asked:
            count += 1
            mean += (scores[i] - mean) / count
    for i in range(scores.size):
        if not math.isnan(scores[i]) and issued[i] < asked:
            known[i] = scores[i] - mean
            largest = max(largest, abs(known[i]))
    if largest > 0.0:
        known /= largest  # their unit does not matter, and squares of huge ones would overflow


@kernel
def _coefficients(outcomes: Floats, past: Floats, known: Floats, slope: float) -> tuple[float, float]:
    """Return the coefficients of past arms and of scores by the outcomes at the first places."""
    spread_past = spread_known = 0.0
    for i in range(past.size):
        spread_past += past[i] * past[i] / past.size
        spread_known += known[i] * known[i] / past.size
    first = CORRELATION * MIDDLE / math.sqrt(spread_known) if spread_known > 0.0 else 0.0
    pp = pk = kk = py = ky = 0.0
    mean_past = mean_known = mean = 0.0
    n = outcomes.size
    for t in range(n):
        mean_past, mean_known, mean = mean_past + past[t] / n, mean_known + known[t] / n, mean + outcomes[t] / n
    for t in range(n):
        p, x, y = past[t] - mean_past, known[t] - mean_known, outcomes[t] - mean
        pp, pk, kk, py, ky = pp + p * p, pk + p * x, kk + x * x, py + p * y, ky + x * y
    pp, py = pp + OWN * spread_past, py + OWN * spread_past * slope
    kk, ky = kk + OWN * spread_known, ky + OWN * spread_known * first
    if spread_past == 0.0 or spread_known == 0.0:
        return py / pp if spread_past > 0.0 else 0.0, ky / kk if spread_known > 0.0 else 0.0
    determinant = pp * kk - pk * pk
    return (py * kk - ky * pk) / determinant, (ky * pp - py * pk) / determinant
