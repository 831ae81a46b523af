r"""Where the means of all arms lie relative to their bars: the posterior behind chance of error, interval and decision.

The distance :math:`\mu_k - \theta_k` of an arm, in the unit of the outcomes, has a probability in each of some cells
and is uniform within a cell. Chances of error are masses beyond a point, intervals are quantiles, both of the same
numbers. If the bar itself is uncertain, :func:`average` mixes the posteriors for each of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from thresher.jit import kernel, quickest
from thresher.types import Floats, Ints

CHUNK = 4096  # arms whose cells are held at a time
HALVINGS = 60  # of the range of an arm in the search for a quantile
HALVING = 0.2  # milliseconds for each arm, interpreted


class PosteriorCells(NamedTuple):
    """PosteriorCells of A arms, from the lowest to the highest.

    Attributes
    ----------
    edges : ndarray of float64, shape (A, C + 1)
        Distances from the bar, not decreasing. A cell of width 0 is a point.
    masses : ndarray of float64, shape (A, C)
        Probability of each cell.
    """

    edges: Floats
    masses: Floats

    def below(self, points: Floats) -> Floats:
        """Return how much of each arm is at or below its point, shape (A,)."""
        return np.asarray((self.masses * self._shares_below(points)).sum(axis=1))

    def above(self, points: Floats) -> Floats:
        """Return how much of each arm is above its point, shape (A,)."""
        return np.asarray((self.masses * (1.0 - self._shares_below(points))).sum(axis=1))

    def _shares_below(self, points: Floats) -> Floats:
        low, high, here = self.edges[:, :-1], self.edges[:, 1:], points[:, None]
        is_inside = (low <= here) & (here < high)
        inside = np.where(is_inside, here - low, 0.0) / np.where(is_inside, high - low, 1.0)
        return np.where(high <= here, 1.0, inside)


@dataclass(frozen=True, eq=False)
class Posterior:
    """The distribution of the distance from its bar of each of K arms.

    Parameters
    ----------
    n_arms : int
    find_cells : callable
        Returns the cells of a slice of the arms: a sequence of :class:`PosteriorCells`, masses adding up to 1 for
        each arm.
    """

    n_arms: int
    find_cells: Callable[[slice], Sequence[PosteriorCells]]
    _held: dict[tuple[int, int], Sequence[PosteriorCells]] = field(default_factory=dict, init=False, repr=False)

    def below(self, points: Floats | float) -> Floats:
        """Return how likely each distance is at most its point, shape (K,)."""
        return self._each(PosteriorCells.below, points)

    def above(self, points: Floats | float) -> Floats:
        """Return how likely each distance is more than its point, shape (K,)."""
        return self._each(PosteriorCells.above, points)

    def quantile(self, levels: Floats | float) -> Floats:
        """Return the distance below which each arm lies with the probability of its level, shape (K,)."""
        wanted, found = np.broadcast_to(levels, self.n_arms), np.empty(self.n_arms)
        for arms in self._chunks():
            cells = self.cells_of(arms)
            edges = np.concatenate([each.edges for each in cells], axis=1)
            sums = np.concatenate([_cumulated(each.masses) for each in cells], axis=1)
            starts = np.cumsum([0, *(each.edges.shape[1] for each in cells)])
            find = quickest(_quantiles, HALVING * edges.shape[0])
            found[arms] = find(edges, sums, starts, np.ascontiguousarray(wanted[arms]))
        return found

    def cut(self, low: Floats, high: Floats) -> Posterior:
        """Return the posterior of distances from `low` to `high`, shape (K,) each.

        A cell beyond an end becomes a point there, a cell across it becomes narrower.
        """

        def find_cells(arms: slice) -> list[PosteriorCells]:
            ends = low[arms, None], high[arms, None]
            return [PosteriorCells(np.clip(each.edges, *ends), each.masses) for each in self.cells_of(arms)]

        return Posterior(self.n_arms, find_cells)

    def cells_of(self, arms: slice) -> Sequence[PosteriorCells]:
        """Return the cells of a slice of the arms; the last ones are kept, which are all arms unless there are many."""
        key = (arms.start, arms.stop)
        if key not in self._held:
            found = self.find_cells(arms)
            self._held.clear()
            self._held[key] = found
        return self._held[key]

    def _each(self, find: Callable[[PosteriorCells, Floats], Floats], points: Floats | float) -> Floats:
        wanted, found = np.broadcast_to(points, self.n_arms), np.empty(self.n_arms)
        for arms in self._chunks():
            found[arms] = sum(find(each, wanted[arms]) for each in self.cells_of(arms))
        # A sum of masses may exceed 1 in the last bit: a probability does not.
        return np.clip(found, 0.0, 1.0)

    def _chunks(self) -> list[slice]:
        return [slice(first, min(first + CHUNK, self.n_arms)) for first in range(0, self.n_arms, CHUNK)]


def average(posteriors: Sequence[Posterior], weights: Sequence[Floats | float]) -> Posterior:
    """Return the mixture of posteriors of the same arms.

    For a bar that may have several values: each posterior is that of the distances from one of them.

    Parameters
    ----------
    posteriors : sequence of Posterior
    weights : sequence of float or of ndarray of float64, shape (K,)
        One for each posterior, or one for each posterior and arm; for each arm they add up to 1.
    """
    n_arms = posteriors[0].n_arms
    shares = [np.broadcast_to(each, n_arms) for each in weights]

    def find_cells(arms: slice) -> list[PosteriorCells]:
        return [
            PosteriorCells(each.edges, share[arms, None] * each.masses)
            for posterior, share in zip(posteriors, shares, strict=True)
            for each in posterior.cells_of(arms)
        ]

    return Posterior(n_arms, find_cells)


def _cumulated(masses: Floats) -> Floats:
    return np.concatenate([np.zeros((masses.shape[0], 1)), np.cumsum(masses, axis=1)], axis=1)


@kernel
def _quantiles(edges: Floats, sums: Floats, starts: Ints, levels: Floats) -> Floats:
    """Return the quantile of each arm by halving its range.

    Parameters
    ----------
    edges, sums : ndarray of float64, shape (A, E)
        Edges of the cells, and the mass of their distribution up to each.
    starts : ndarray of int64, shape (J + 1,)
        Where the edges of each of the J distributions that are mixed begin.
    levels : ndarray of float64, shape (A,)
    """
    found = np.empty(levels.size)
    for k in range(levels.size):
        low, high = edges[k].min(), edges[k].max()
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if _mass_below(edges[k], sums[k], starts, middle) >= levels[k]:
                high = middle
            else:
                low = middle
        found[k] = high
    return found


@kernel
def _mass_below(edges: Floats, sums: Floats, starts: Ints, point: float) -> float:
    """Return the probability of distances at most a point."""
    mass = 0.0
    for j in range(starts.size - 1):
        first, last = starts[j], starts[j + 1] - 1
        if point >= edges[last]:
            mass += sums[last]
        elif point >= edges[first]:
            while last - first > 1:
                middle = (first + last) // 2
                if edges[middle] <= point:
                    first = middle
                else:
                    last = middle
            share = (point - edges[first]) / (edges[last] - edges[first])
            mass += sums[first] + share * (sums[last] - sums[first])
    return mass
