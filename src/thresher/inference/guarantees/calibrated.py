"""The chance of error of each decision, under the population fitted to all arms."""

from __future__ import annotations

from statistics import NormalDist
from typing import ClassVar

import numpy as np

from thresher.inference.decision_intervals import excluded, own_intervals, posterior_intervals
from thresher.inference.guarantees.guarantee import Decided, Guarantee, GuaranteeCase, LevelToDecide
from thresher.inference.intervals import Intervals
from thresher.types import Bools

SHRINKAGE = 8.0  # outcomes at the bar: other arms are not known here, and most of those in doubt lie near it
SHARE_OF_RISK = 0.5  # an arm's own chance of error, looked at after each outcome, is too hopeful by about this factor


class Calibrated(Guarantee):
    """The chance of error is at most the level in force, and the arm's own outcomes speak for the verdict.

    It is measured, not proved.
    """

    name: ClassVar[str] = "calibrated"
    promise: ClassVar[str] = "a chance of error of at most {risk}"
    is_early: ClassVar[bool] = True
    held_back_by: ClassVar[str] = "own outcomes say too little yet"

    def decide(self, case: GuaranteeCase) -> Decided:
        """Return which chances of error are at most the level in force."""
        own = own_intervals(case.question, case.seen, case.worth, case.levels)
        speaks = excluded(np.zeros(case.sides.size), case.sides, own, case.tolerance)

        def interval(is_decided: Bools) -> Intervals:
            gaps = posterior_intervals(case.posterior, own, case.levels, is_decided, case.tolerance)
            return Intervals(case.bars + gaps.low, case.bars + gaps.high)

        return (case.p_wrong <= case.levels) & speaks, interval

    def missed(self, level: float, n_arms: int) -> float | None:
        """Return twice the level: it is the chance of each side."""
        return 2.0 * level

    def level_to_decide(self, risk: float, n_arms: int) -> LevelToDecide:
        r"""Return :math:`x^*` of the normal quantile, :math:`\rho` and `mixing`."""
        return 0.5 * NormalDist().inv_cdf(1.0 - SHARE_OF_RISK * risk) ** 2, SHRINKAGE, 0.0
