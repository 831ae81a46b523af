r"""Effective samples of arms whose items may be asked several times, or stand for a population.

Of the variance of an outcome the share :math:`\rho` lies between items and the rest within them. With `m` of `N` items
answered, :math:`n_i` times item `i`, the mean over items of the items' means is known as by :math:`\nu` independent
draws:

.. math:: \frac1\nu = r \rho \frac{1 - m/N}{m} + (1 - \rho) \frac{\sum_i 1/n_i}{m^2}

where other arms' answers leave the share :math:`r` of what lies between items. If the items stand for a population,
:math:`\rho/N` is added: the mean of all `N` items is that of a sample. With :math:`r = 1` this is
:math:`\rho/m + (1 - \rho) \sum_i (1/n_i)/m^2`.

The share :math:`\rho` is fitted to all arms together:

.. math:: \rho = 1 - \frac{W + 2V}{(D + 2) V}, \qquad W = \sum_{k,i,j} (y_{kij} - \bar y_{ki})^2, \qquad
          D = \sum_{k,i} (n_{ki} - 1),

with the variance :math:`V` of an outcome about the mean of its arm, over the arms in proportion to their part of `D`.
Two of the degrees of freedom are made up, as if items made no difference (:math:`\rho = 0`); below ten :math:`\rho` is
0. Where items stand for a population, the cautious value is 1 in place of 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.inference.effective_samples import Effective
from thresher.inference.evidence import evidence_in_flight
from thresher.jit import kernel, njit
from thresher.problem.sampling import LEAST, early_repeats, repeated_before
from thresher.types import Bools, Floats

PSEUDO_DEGREES = 2.0  # degrees of freedom that are made up at the cautious value of ρ
FEWEST_DEGREES = 10.0  # degrees of freedom below which ρ is the cautious value


class Variance(NamedTuple):
    r"""What the variance of a mean over items is made of.

    Attributes
    ----------
    rho : float
        :math:`\rho`, from 0 to 1.
    share : float
        :math:`r`, what other arms' answers leave of the variance between items.
    for_population : bool
        Whether the items stand for a population.
    """

    rho: float
    share: float
    for_population: bool


class Answered(NamedTuple):
    """How many items an arm has answered, and the sum of one over the number of outcomes of each."""

    items: float
    inverses: float


@njit(cache=True)
def answered(count: int, size: int, repeats: int) -> Answered:
    """Return the items that an arm has answered by its first `count` outcomes."""
    early = early_repeats(size, repeats)
    if count < size + early:
        before = repeated_before(count, size, repeats)
        return Answered(float(count - before), float(count - 2 * before) + 0.5 * before)
    passes, rest = count // size, count % size
    return Answered(float(size), rest / (passes + 1.0) + (size - rest) / float(passes))


@njit(cache=True)
def effective_samples(told: Answered, size: float, variance: Variance) -> float:
    r"""Return :math:`\nu` of an arm that has answered at least one item."""
    rho, m = variance.rho, told.items
    between = variance.share * rho * (1.0 - m / size) / m
    if variance.for_population:
        between += rho / size
    return 1.0 / max(between + (1.0 - rho) * told.inverses / (m * m), LEAST)


@njit(cache=True)
def repeated_in_flight(
    count: int, seen: float, evidence: float, outstanding: int, size: int, repeats: int, variance: Variance
) -> Effective:
    r"""Return the effective samples that an arm is expected to have once its outstanding pulls have come back.

    As :func:`thresher.inference.effective_samples.effective_in_flight`, with the items in the order of
    :mod:`thresher.problem.sampling.repeats`. The gain is that of the next outcome; that of an early repeat is the mean
    of its own and the next one, because an early repeat has no value by itself if outcomes of an item agree.

    Parameters
    ----------
    count, outstanding : int
        Outcomes told, at least one; pulls outstanding, not all that are left.
    seen, evidence : float
        Outcomes with pseudo-samples, and the evidence of this many independent draws.
    size, repeats : int
        Items, and how often each may be asked.
    variance : Variance
    """
    later = count + outstanding
    now = effective_samples(answered(count, size, repeats), size, variance)
    then = effective_samples(answered(later, size, repeats), size, variance)
    next_two = answered(min(later + 2, size * repeats), size, repeats)
    after = effective_samples(answered(later + 1, size, repeats), size, variance)
    gain = after - then
    if repeated_before(later + 1, size, repeats) > repeated_before(later, size, repeats):
        gain = 0.5 * (effective_samples(next_two, size, variance) - then)
    before, scaled = seen * now / count, (seen + outstanding) * then / later
    expected = evidence_in_flight(evidence * now / count, before, max(scaled - before, 0.0))
    return Effective(scaled, expected, max(gain, 0.0))


@kernel
def fit_rho(sums: Floats, squares: Floats, counts: Floats, n_arms: int, cautious: float) -> float:
    r"""Return :math:`\rho`, the share of the variance of an outcome that lies between items.

    Parameters
    ----------
    sums, squares, counts : ndarray of float64, shape (K N,)
        Of the outcomes of every arm on every item, arm by arm: their sum, the sum of their squares, their number.
    n_arms : int
    cautious : float
        The value without enough repeats: 0 if the items themselves are in question, 1 for their population.
    """
    n_items = counts.size // n_arms
    within = degrees = weighted = 0.0
    for k in range(n_arms):
        own, total, square, number = 0.0, 0.0, 0.0, 0.0
        for cell in range(k * n_items, (k + 1) * n_items):
            if counts[cell] > 0.0:
                total, square, number = total + sums[cell], square + squares[cell], number + counts[cell]
                within += squares[cell] - sums[cell] * sums[cell] / counts[cell]
                own += counts[cell] - 1.0
        if own > 0.0:
            degrees += own
            weighted += own * (square - total * total / number) / (number - 1.0)
    if degrees < FEWEST_DEGREES or weighted <= 0.0:
        return cautious
    variance = weighted / degrees
    found = 1.0 - (within + PSEUDO_DEGREES * (1.0 - cautious) * variance) / ((degrees + PSEUDO_DEGREES) * variance)
    return min(max(found, 0.0), 1.0)


class ItemCells(NamedTuple):
    """The outcomes of K arms on N items, up to R of each pair.

    Attributes
    ----------
    table : ndarray of float64, shape (R, K, N)
        The first outcomes, the second ones, and so on; NaN where there is none.
    is_single : bool
        Whether each item is asked once, so that its outcome is the truth of the item.
    """

    table: Floats
    is_single: bool

    @classmethod
    def of(cls, outcomes: Floats) -> ItemCells:
        """Return the cells of outcomes of shape (K, N), or (R, K, N) where items may be asked several times."""
        return cls(outcomes[None], True) if outcomes.ndim == 2 else cls(outcomes, False)

    @property
    def counts(self) -> Floats:
        """How many outcomes each arm has on each item, shape (K, N)."""
        return np.asarray(np.count_nonzero(~np.isnan(self.table), axis=0).astype(np.float64))

    @property
    def sums(self) -> Floats:
        """The sum of the outcomes of each arm on each item, shape (K, N)."""
        return np.asarray(np.nansum(self.table, axis=0))

    @property
    def means(self) -> Floats:
        """The mean outcome of each arm on each item, shape (K, N); NaN where there is none."""
        if self.is_single:
            return np.asarray(self.table[0])
        counts = self.counts
        return np.asarray(np.where(counts > 0.0, self.sums / np.maximum(counts, 1.0), np.nan))

    @property
    def is_told(self) -> Bools:
        """Which arms have an outcome on which items, shape (K, N)."""
        return np.asarray(~np.isnan(self.table).all(axis=0))

    def all_succeed(self, k: int) -> Floats:
        r"""Return an unbiased estimate of pass^k of each arm, shape (K,): that all of `k` trials on an item succeed.

        An item with `s` successes in `n` outcomes, :math:`n \ge k`, gives :math:`\binom sk / \binom nk`: the share of
        the subsets of `k` outcomes that are all successes, whose mean is :math:`p^k`. It is the mean over these items;
        NaN without one.
        """
        counts, sums = self.counts, self.sums
        chances = np.where(counts >= k, 1.0, np.nan)
        for j in range(k):
            chances = chances * np.maximum(sums - j, 0.0) / np.maximum(counts - j, 1.0)
        known = np.count_nonzero(counts >= k, axis=1)
        return np.asarray(np.where(known > 0, np.nansum(chances, axis=1) / np.maximum(known, 1), np.nan))

    def rho(self, cautious: float) -> float:
        """Return the share of the variance of an outcome that lies between items; `cautious` with few repeats."""
        squares = np.nansum(self.table**2, axis=0)
        sums, squares, counts = (np.ascontiguousarray(part).ravel() for part in (self.sums, squares, self.counts))
        return float(fit_rho(sums, squares, counts, self.table.shape[1], cautious))
