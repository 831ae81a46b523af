r"""The chance of error of each decision, under the population fitted to all arms.

The interval behind a decision is equal-tailed, with the level in force beyond each end, of the posterior that gives the
chance of error (:mod:`thresher.inference.chance_of_error`). If something else keeps the arm undecided, it is the hull
of that and the arm's own likelihood interval.

An arm is decided only if its own outcomes speak for it: among arms that have shown the same, for instance tests that
never failed, all chances of error are equal, and a small change of the fitted population would decide all of them or
none. Of the log odds that a decision at level `l` needs, :math:`\log \frac{1 - l}{l}`, a share :data:`OWN_SHARE` must
be in the likelihood ratio of the arm itself: between its best mean and the best one for which the verdict is wrong.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.inference.bars import QuestionBar
from thresher.inference.chance_of_error import Posterior
from thresher.inference.guarantees.guarantee import Decided, Guarantee, LevelToDecide
from thresher.inference.intervals import Intervals, intervals
from thresher.problem import Question, Statistics
from thresher.types import Bools, Floats

if TYPE_CHECKING:
    from thresher.inference.decisions import GuaranteeCase

OWN_SHARE = 0.25  # share of the log odds of a decision that must come from the arm's own outcomes
SHRINKAGE = 8.0  # pseudo-outcomes at the bar: here, without the other arms, most arms in doubt lie near it
SHARE_OF_RISK = 0.5  # an arm's own chance of error, looked at after each outcome, is too hopeful by about this factor


class Calibrated(Guarantee):
    """The chance of error is at most the level in force, and the arm's own outcomes speak for the verdict.

    It is measured, not proved.
    """

    name: ClassVar[str] = "calibrated"
    promise: ClassVar[str] = "a chance of error of at most {risk}"
    is_early: ClassVar[bool] = True
    held_back_by: ClassVar[str] = "own outcomes are not enough evidence yet"

    def decide(self, case: GuaranteeCase) -> Decided:
        """Return which chances of error are at most the level in force."""
        own = own_intervals(case.bar, case.seen, case.worth, case.levels)
        speaks = case.excluded(own, np.zeros(case.sides.size))

        def interval(is_decided: Bools) -> Intervals:
            gaps = posterior_intervals(case.posterior, own, case.levels, is_decided, case.tolerance)
            return Intervals(case.bars + gaps.low, case.bars + gaps.high)

        return (case.p_wrong <= case.levels) & speaks, interval

    def valid_level(self, risk: float, n_arms: int) -> float | None:
        """Return None: its intervals hold at the end of a budget."""
        return None

    def missed(self, level: float, n_arms: int) -> float | None:
        """Return twice the level: it is the chance of each side."""
        return 2.0 * level

    def level_to_decide(self, risk: float, n_arms: int) -> LevelToDecide:
        r"""Return :math:`x^*` of the normal quantile, :math:`\rho` and `mixing`."""
        return 0.5 * NormalDist().inv_cdf(1.0 - SHARE_OF_RISK * risk) ** 2, SHRINKAGE, 0.0


def own_intervals(bar: QuestionBar, seen: Statistics, worth: Statistics, levels: Floats) -> Intervals:
    """Return the likelihood interval of each arm by its own outcomes, of distances from the bar.

    Parameters
    ----------
    bar, seen, worth
        As of :func:`thresher.inference.decisions.decide`.
    levels : ndarray of float64, shape (K,)
        The chance of error at which the arm may be decided.
    """
    low, high = _own(*bar.known(worth), OWN_SHARE * np.log(np.maximum((1.0 - levels) / levels, 1.0)))
    ends = [end - bar.compared_limits for end in bar.attainable(seen)]
    return Intervals(np.clip(low, *ends), np.clip(high, *ends))


def _own(question: Question, worth: Statistics, drops: Floats) -> Intervals:
    if question.kind.tells_all:
        known = intervals(question, worth)
        gaps = known.low - question.thresholds
        return Intervals(np.where(np.isnan(gaps), -np.inf, gaps), np.where(np.isnan(gaps), np.inf, gaps))
    low, high = question.kind.likelihood(question, worth).within(drops)
    ends = np.stack([low, high], axis=1)
    points = np.where(np.isfinite(ends), ends, 0.0)
    places = question.kind.means_at(question, worth, points, slice(None)) - question.thresholds[:, None]
    return Intervals(*np.where(np.isfinite(ends), places, ends).T)


def posterior_intervals(
    posterior: Posterior, own: Intervals, levels: Floats, is_decided: Bools, tolerance: float
) -> Intervals:
    """Return the equal-tailed interval of each arm, of distances from the bar.

    Undecided arms whose interval has no mean on one side of the bar get the hull with their own likelihood interval, as
    do arms that say nothing.
    """
    tails = np.minimum(levels, 0.5)
    low, high = posterior.quantile(tails), posterior.quantile(1.0 - tails)
    is_held = ~is_decided & ((low > -tolerance) | (high <= tolerance) | np.isinf(own.high - own.low))
    return Intervals(
        np.where(is_held, np.minimum(low, own.low), low), np.where(is_held, np.maximum(high, own.high), high)
    )
