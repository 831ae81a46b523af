r"""How likely each verdict is wrong: the one number behind `p_wrong`, expected mistakes and calibrated decisions.

The population fitted to all arms (:mod:`thresher.policy.population`) says how likely a mean is on the other side. With
few arms it is a poor guide: two arms that always passed look like a population of arms that always pass. Where the arm
by itself is more doubtful than the population says, its own chance is mixed in with the weight

.. math:: w = \Big(\frac{c}{c + K}\Big)^2

with `K` the arms that the fit rests on and `c` :data:`FEW_ARMS`; ``python -m benchmarks.decisions`` shows what it does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.policy.population import chances, fit_population, unfitted_population
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.types import Bools, Floats, Ints

FEW_ARMS = 16.0  # with so many arms the own chance has a weight of one quarter
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


def own_weight(n_arms: int) -> float:
    """Return the weight of what an arm shows by itself, beside a population that rests on so many arms."""
    return (FEW_ARMS / (FEW_ARMS + n_arms)) ** 2


def doubt(question: Question, seen: Seen, *, tolerance: float = 0.0, is_stopping: bool = False) -> Doubt:
    r"""Return how likely either verdict on each arm would be wrong.

    Parameters
    ----------
    question : Question
    seen : Seen
    tolerance : float
        :math:`\epsilon \ge 0`: ``above`` is wrong only if :math:`\mu \le \theta - \epsilon`, ``below`` only if
        :math:`\mu > \theta + \epsilon`.
    is_stopping : bool
        Measuring ends when the chances are small. It then ends where the fitted population is most hopeful, and the
        larger of both chances is returned, whatever the number of arms.
    """
    if question.family == "two-point":
        sign = np.sign(seen.totals)  # one outcome other than 0 tells the side
        return Doubt(0.5 * (1.0 - sign), 0.5 * (1.0 + sign))
    population = fit_population(question, seen)
    weight = 1.0 if is_stopping else own_weight(population.n_arms)
    fitted = chances(question, seen, population, tolerance=tolerance)
    alone = chances(question, seen, unfitted_population(question, seen), tolerance=tolerance)
    below, above = (here + weight * np.maximum(own - here, 0.0) for here, own in zip(fitted, alone, strict=True))
    return Doubt(above=below, below=above)
