r"""Where the mean of each arm lies relative to its bar: the posterior behind chance of error, interval and decision.

The distance :math:`\mu_k - \theta_k` of an arm, in the unit of the outcomes, has a probability in each of some cells
and is uniform within a cell. Chances of error are masses beyond a point, intervals are quantiles, both of the same
numbers. If the bar itself is uncertain, :func:`average` mixes the posteriors for each of its values.

The population fitted to all arms (:mod:`thresher.inference.population`) gives a posterior of each mean. With few arms
it is a poor guide: two arms that always passed look like a population of arms that always pass. The same holds for many
arms with two outcomes each. So where the arm by itself is the more doubtful one, its posterior is a mixture,
:math:`w \cdot \text{own} + (1 - w) \cdot \text{fitted}`, of the one from its own outcomes and the fitted one, with

.. math:: w = \Big(\frac{c}{c + R}\Big)^2, \qquad
          R = \sum_k \max\Big(A_k, \frac{n_k}{n_k + m} F_k\Big)

with `c` :data:`FEW_ARMS`, `m` :data:`FEW_OUTCOMES`, and `R` the arms that the fit rests on. :math:`A_k` and :math:`F_k`
are :math:`(P(\text{above}) - P(\text{below}))^2` by the arm alone and by the fit: 1 for an arm whose side is known, 0
for one that may be on either side. An arm counts by its own outcomes or, once it has some, by the population: no single
one of fifty tests that passed forty times shows that it passes in 98 % of its runs.
``python -m benchmarks.decisions calibration`` shows what the weight does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thresher.inference.population import UNLIKE_OTHERS, FittedPopulation, fit_population
from thresher.jit import kernel, quickest
from thresher.problem import Question, Statistics
from thresher.problem.families import Likelihood
from thresher.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from thresher.inference.bars import QuestionBar

FEW_ARMS = 3.0  # number of arms behind the fit at which the own posterior has a weight of one quarter
FEW_OUTCOMES = 10.0  # outcomes at which an arm whose side the population shows counts one half
MOST = 0.5  # where the population contradicts the sign of the mean, the arm is too close to call
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


class Doubt(NamedTuple):
    """How likely either verdict on each arm would be wrong, shape (K,) each.

    Attributes
    ----------
    above : ndarray of float64
        Chance that ``above`` is wrong.
    below : ndarray of float64
        Chance that ``below`` is wrong.
    """

    above: Floats
    below: Floats

    def of(self, sides: Ints) -> Floats:
        """Return the chance that these verdicts are wrong, shape (K,), at most ½.

        Parameters
        ----------
        sides : ndarray of int64, shape (K,)
            1 for above, -1 for below, 0 for no verdict, which counts ½.
        """
        return np.minimum(np.where(sides > 0, self.above, np.where(sides < 0, self.below, MOST)), MOST)

    def within(self) -> Bools:
        """Return whether each mean is more likely than not within the tolerance of its bar, shape (K,)."""
        return np.asarray(self.above + self.below < 0.5)

    def cheaper_sides(self, false_above: float, false_below: float) -> Ints:
        """Return the verdicts whose mistakes are expected to cost less, 1 or -1, shape (K,)."""
        return np.where(self.above * false_above < self.below * false_below, 1, -1).astype(np.int64)


def doubt(
    bar: QuestionBar,
    seen: Statistics,
    *,
    tolerance: float = 0.0,
    is_stopping: bool = False,
    told: Statistics | None = None,
) -> Doubt:
    """Return how likely either verdict on each arm would be wrong; with a control, on each of the judged arms.

    Parameters
    ----------
    bar, seen, is_stopping, told
        As of :func:`posterior_of`.
    tolerance : float
        As of :func:`doubt_by`.
    """
    return doubt_by(posterior_of(bar, seen, is_stopping=is_stopping, told=told), tolerance)


def doubt_by(posterior: Posterior, tolerance: float = 0.0) -> Doubt:
    r"""Return how likely either verdict on each arm would be wrong.

    Parameters
    ----------
    posterior : Posterior
    tolerance : float
        :math:`\epsilon \ge 0`: ``above`` is wrong only if :math:`\mu \le \theta - \epsilon`, ``below`` only if
        :math:`\mu > \theta + \epsilon`.
    """
    return Doubt(above=posterior.below(-tolerance), below=posterior.above(tolerance))


def posterior_of(
    bar: QuestionBar, seen: Statistics, *, is_stopping: bool = False, told: Statistics | None = None
) -> Posterior:
    """Return where the mean of each arm lies relative to its bar; with a control, that of each of the judged arms.

    It is the average over the values that the bar may have.

    Parameters
    ----------
    bar : QuestionBar
        That of the question.
    seen : Statistics
        What was seen of each arm, or outcomes of independent draws that would say as much.
    is_stopping : bool
        Measuring ends when the chances are small. It then ends where the fitted population is most hopeful, and the
        more doubtful of both posteriors is returned for each arm, for any number of arms.
    told : Statistics, optional
        Outcomes of items as they were told, where `seen` has effective samples: means that the items that are left
        cannot give have the probability 0.
    """
    at = partial(posterior_at, is_stopping=is_stopping)
    values = bar.possible(seen, at)
    posteriors = [at(one.question, one.seen) for one in values]
    found = average(posteriors, [one.weight for one in values])
    return found if told is None else found.cut(*(end - bar.compared_limits for end in bar.attainable(told)))


def posterior_at(question: Question, seen: Statistics, is_stopping: bool = False) -> Posterior:
    """Return the posterior of the distances from known bars; parameters as of :func:`posterior_of`."""
    if question.kind.tells_all:
        return _told_all(question, seen)
    population = fit_population(question, seen)
    fitted, own = (posterior_under(question, seen, each) for each in (population, population.unfitted()))
    weight = own_weights(fitted, own, None if is_stopping else seen.counts)
    return average([own, fitted], [weight, 1.0 - weight])


def own_weights(fitted: Posterior, own: Posterior, counts: Floats | None) -> Floats:
    """Return the weight of the posterior by its own outcomes of each arm: `w` above where it is more doubtful, else 0.

    Parameters
    ----------
    fitted, own : Posterior
    counts : ndarray of float64, shape (K,), optional
        Outcomes of each arm; None for `w` = 1.
    """
    mine, theirs = own.above(0.0), fitted.above(0.0)
    is_more_doubtful = np.where(mine > 0.5, mine <= theirs, mine >= theirs)
    if counts is None:
        return np.where(is_more_doubtful, 1.0, 0.0)
    by_arm, by_fit = (2.0 * mine - 1.0) ** 2, (2.0 * theirs - 1.0) ** 2
    informative = float(np.maximum(by_arm, counts / (counts + FEW_OUTCOMES) * by_fit).sum())
    return np.where(is_more_doubtful, (FEW_ARMS / (FEW_ARMS + informative)) ** 2, 0.0)


def _told_all(question: Question, seen: Statistics) -> Posterior:
    """Return the posterior of arms whose mean is known, or may be on either side."""
    means, _ = question.kind.limits(question, seen, 0.5)
    known = ~np.isnan(means)
    gaps = np.where(known, means, 0.0)[:, None] * np.ones(3)
    edges = np.where(known[:, None], gaps - question.thresholds[:, None], np.array([-1.0, 0.0, 1.0]))
    return Posterior(question.n_arms, lambda arms: [PosteriorCells(edges[arms], np.full(edges[arms, 1:].shape, 0.5))])


def posterior_under(question: Question, seen: Statistics, population: FittedPopulation) -> Posterior:
    """Return where each mean lies relative to its bar, under a population.

    Parameters
    ----------
    question : Question
        Not of the family ``two-point``.
    seen : Statistics
    population : FittedPopulation
        That of these arms: of :func:`fit_population` or :meth:`FittedPopulation.unfitted`.
    """
    likelihood = question.kind.likelihood(question, seen)
    edges = np.concatenate([-population.edges[::-1], population.edges[1:]])

    def find_cells(arms: slice) -> list[PosteriorCells]:
        places = question.kind.means_at(question, seen, edges, arms) - question.thresholds[arms, None]
        places[:, population.edges.size - 1] = 0.0  # the bar is an edge, without the rounding
        return [PosteriorCells(places, _posterior(likelihood.part(arms), population))]

    return Posterior(question.n_arms, find_cells)


def expected_means(question: Question, seen: Statistics, population: FittedPopulation) -> tuple[Floats, Floats]:
    """Return the posterior mean and variance of the mean of each arm, shape (K,) each.

    Unlike an empirical mean it is not biased by adaptive sampling, if the arms come from the fitted population.

    Parameters
    ----------
    question : Question
        Not of the family ``two-point``.
    seen : Statistics
    population : FittedPopulation
    """
    arms, first, second = question.kind.likelihood(question, seen), [], []
    for chunk in _chunks(question):
        posterior = _posterior(arms.part(chunk), population)
        places = question.kind.means_at(question, seen, population.centres, chunk)
        first.append((posterior * places).sum(axis=1))
        second.append((posterior * (places - first[-1][:, None]) ** 2).sum(axis=1))
    return np.concatenate(first), np.concatenate(second)


def _chunks(question: Question) -> list[slice]:
    return [slice(first, first + CHUNK) for first in range(0, question.n_arms, CHUNK)]


def _posterior(arms: Likelihood, population: FittedPopulation) -> Floats:
    """Return the probability of each cell for each arm, predicted from the other arms, shape (K, 2 G)."""
    likelihood = arms.at(population.centres)
    posterior = likelihood * _prior(arms, likelihood, population)
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))


def _prior(arms: Likelihood, likelihood: Floats, population: FittedPopulation) -> Floats:
    """Return the weight of each cell for each arm by the other arms' share, in arms, shape (K, 2 G)."""
    weights = population.weights
    own = likelihood * weights
    own *= (arms.strengths > 0.0)[:, None] / np.maximum(own.sum(axis=1, keepdims=True), 1e-300)
    # What an arm has added to a distance was shared out to both sides by the tilt.
    own = (own + own[:, ::-1]) * (weights / np.maximum(weights + weights[::-1], 1e-300))
    others = np.maximum(population.n_arms * weights - own, 0.0)
    return np.asarray(others + UNLIKE_OTHERS * population.alone(arms.strengths))


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
