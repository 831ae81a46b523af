r"""How likely each verdict is wrong: the posterior behind `p_wrong`, expected mistakes and calibrated decisions.

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

from functools import partial
from typing import NamedTuple

import numpy as np

from thresher.inference.bars import bar_of
from thresher.inference.population import fit_population, posterior_under
from thresher.inference.posterior import Posterior, PosteriorCells, average
from thresher.problem import Question, Statistics
from thresher.types import Bools, Floats, Ints

FEW_ARMS = 3.0  # number of arms behind the fit at which the own posterior has a weight of one quarter
FEW_OUTCOMES = 10.0  # outcomes at which an arm whose side the population shows counts one half
MOST = 0.5  # where the population contradicts the sign of the mean, the arm is too close to call


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
    question: Question,
    seen: Statistics,
    *,
    tolerance: float = 0.0,
    is_stopping: bool = False,
    told: Statistics | None = None,
) -> Doubt:
    """Return how likely either verdict on each arm would be wrong; with a control, on each of the judged arms.

    Parameters
    ----------
    question, seen, is_stopping, told
        As of :func:`posterior_of`.
    tolerance : float
        As of :func:`doubt_by`.
    """
    return doubt_by(posterior_of(question, seen, is_stopping=is_stopping, told=told), tolerance)


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
    question: Question, seen: Statistics, *, is_stopping: bool = False, told: Statistics | None = None
) -> Posterior:
    """Return where the mean of each arm lies relative to its bar; with a control, that of each of the judged arms.

    It is the average over the values that the bar may have (:func:`thresher.inference.bars.bar_of`).

    Parameters
    ----------
    question : Question
    seen : Statistics
        What was seen of each arm, or outcomes of independent draws that would say as much.
    is_stopping : bool
        Measuring ends when the chances are small. It then ends where the fitted population is most hopeful, and the
        more doubtful of both posteriors is returned for each arm, for any number of arms.
    told : Statistics, optional
        Outcomes of items as they were told, where `seen` has effective samples: means that the items that are left
        cannot give have the probability 0.
    """
    bar = bar_of(question)
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
