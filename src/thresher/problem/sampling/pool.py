"""Draws without replacement from a finite pool of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher.jit import plain
from thresher.martingales import effective_counts
from thresher.problem.sampling.certain import certain_side
from thresher.problem.sampling.sampling import Sampling, ToldItems
from thresher.problem.sampling.signalled import limits_by_signals, log_e_by_signals
from thresher.problem.statistics import Statistics
from thresher.problem.structure import Structure
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question

_certain_side = plain(certain_side)
WHOLE = 0.5  # items that count as unknown where all of a pool are known


class PoolSampling(Sampling):
    """An arm answers each of its items at most once, and the mean is that of all of them.

    Parameters
    ----------
    structure : Structure
    """

    kind: ClassVar[str] = "pool"

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    @classmethod
    def of(cls, structure: Structure | None) -> Self | None:
        """Return the sampling of arms with items, of whatever kind."""
        return None if structure is None or not cls.takes(structure) else cls(structure)

    @classmethod
    def takes(cls, structure: Structure) -> bool:
        """Return whether items are of this kind."""
        return structure.items is None

    @property
    def whole_sizes(self) -> Ints:
        """How many items each arm has, shape (K,)."""
        return self.structure.sizes

    @property
    def history(self) -> Floats | None:
        """Outcomes of past arms on the shared items."""
        return self.structure.history

    @property
    def proxy(self) -> Floats | None:
        """Cheap scores of answers."""
        return self.structure.proxy

    def uses_forecasts(self, question: Question) -> bool:
        """Return whether outcomes have a range: then one can bet on them."""
        return question.kind.has_range

    def sizes(self, n_arms: int) -> Floats:
        """Return how many items each arm has."""
        return self.structure.sizes.astype(np.float64)

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits of the family for a pool, by outcomes as they were told and by what signals foresaw."""
        sizes = self.sizes(question.n_arms)
        plain = question.kind.pool_limits(question, seen, sizes, alpha)
        if seen.foreseen is None:
            return plain
        halved = question.kind.pool_limits(question, seen, sizes, 0.5 * alpha)
        return limits_by_signals(question, seen.foreseen, sizes, alpha, plain=plain, halved=halved)

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value of the family for a pool; infinite where the side is certain."""
        sides = self.certain_sides(question, seen, bars)
        is_open = (sides == 0) & (seen.counts > 0.0)
        counts = np.where(is_open, seen.counts, 1.0)
        pools, totals = np.where(is_open, self.sizes(question.n_arms), 3.0), np.where(is_open, seen.totals, 0.0)
        samples = effective_counts(counts, pools)
        found = question.kind.pool_log_e(question, seen, counts, totals, pools, samples, bars, rho)
        if seen.foreseen is not None:
            found = log_e_by_signals(question, seen, seen.foreseen, self.sizes(question.n_arms), bars, found)
        return np.where(sides == 0, found, np.where(sides > 0, np.inf, -np.inf))

    def samples_per_outcome(self, told: ToldItems, shares: Floats) -> Floats:
        r"""Return :math:`\nu/n`, shape (K,): how many independent draws say as much as one outcome.

        Parameters
        ----------
        told : ToldItems
        shares : ndarray of float64, shape (K,)
            Of the variance, what other arms' answers leave.
        """
        sizes = self.structure.sizes
        return 1.0 / (shares * np.maximum(1.0 - told.outcomes / sizes, WHOLE / sizes))

    @property
    def ends_known(self) -> bool:
        """Whether all outcomes that an arm can have tell its mean: they do."""
        return True

    def attainable_means(self, question: Question, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the least and the largest mean: the items left have outcomes within the range of the family."""
        sizes = self.sizes(question.n_arms)
        left = sizes - seen.counts
        # Without an item left infinite limits would give 0 · ∞.
        least, most = (seen.totals + np.where(left > 0.0, np.maximum(left, 1.0) * end, 0.0) for end in question.range)
        return least / sizes, most / sizes

    def certain_sides(self, question: Question, seen: Statistics, bars: Floats) -> Ints:
        """Return 1 or -1 where the items that are left cannot change the side of the mean of all, else 0."""
        sizes = self.sizes(question.n_arms)
        rows = zip(seen.counts.tolist(), seen.totals.tolist(), bars.tolist(), sizes.tolist(), strict=True)
        return np.array([_certain_side(*row, *question.range) for row in rows], np.int64)
