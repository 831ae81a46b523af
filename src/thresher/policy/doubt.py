r"""How likely each verdict is wrong: the one number behind `p_wrong`, expected mistakes and calibrated decisions.

The population fitted to all arms (:mod:`thresher.policy.population`) says how likely a mean is on the other side. With
few arms it is a poor guide: two arms that always passed look like a population of arms that always pass. So it is with
many arms of two outcomes each. Where the arm by itself is more doubtful than the population says, its own chance is
mixed in with the weight

.. math:: w = \Big(\frac{c}{c + R}\Big)^2, \qquad
          R = \sum_k \max\Big(A_k, \frac{n_k}{n_k + m} F_k\Big)

with `c` :data:`FEW_ARMS`, `m` :data:`FEW_OUTCOMES`, and `R` the arms that the fit rests on. :math:`A_k` and :math:`F_k`
are :math:`(P(\text{above}) - P(\text{below}))^2` by the arm alone and by the fit: 1 for an arm whose side is known, 0
for one that may be on either side. An arm counts by what it tells by itself or, once it has some outcomes, by what the
population tells of it: by itself none of fifty tests that passed forty times tells whether it passes in 98 % of its
runs. ``python -m benchmarks.decisions calibration`` shows what the weight does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.policy.differences import compared
from thresher.policy.population import Chances, chances, fit_population, unfitted_population
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.types import Bools, Floats, Ints

FEW_ARMS = 10.0  # with so many arms that the fit rests on, the own chance has a weight of one quarter
FEW_OUTCOMES = 10.0  # with so many an arm whose side the population tells counts one half
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


def n_informative(fitted: Chances, alone: Chances, counts: Floats) -> float:
    """Return how many arms the fitted population rests on, `R` above."""
    by_fit, by_arm = ((found.above - found.below) ** 2 for found in (fitted, alone))
    return float(np.maximum(by_arm, counts / (counts + FEW_OUTCOMES) * by_fit).sum())


def doubt(question: Question, seen: Seen, *, tolerance: float = 0.0, is_stopping: bool = False) -> Doubt:
    r"""Return how likely either verdict on each arm would be wrong; with a control, on each of the judged arms.

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
    if question.control is not None:
        question, seen = compared(question, seen)
    if question.family == "two-point":
        sign = np.sign(seen.totals)  # one outcome other than 0 tells the side
        return Doubt(0.5 * (1.0 - sign), 0.5 * (1.0 + sign))
    fitted = chances(question, seen, fit_population(question, seen), tolerance=tolerance)
    alone = chances(question, seen, unfitted_population(question, seen), tolerance=tolerance)
    weight = 1.0 if is_stopping else (FEW_ARMS / (FEW_ARMS + n_informative(fitted, alone, seen.counts))) ** 2
    below, above = (here + weight * np.maximum(own - here, 0.0) for here, own in zip(fitted, alone, strict=True))
    return Doubt(above=below, below=above)
