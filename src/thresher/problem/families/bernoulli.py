"""Outcomes that are 0 or 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.errors import InvalidOutcomeError
from thresher.martingales import (
    bernoulli_limits,
    log_e_of_pools,
    log_e_of_shares,
    log_ratios_of_ones,
    mixture_of,
    ones_limits,
    rate_limits,
)
from thresher.number_text import exact
from thresher.problem.arrays import demand_inside
from thresher.problem.families.likelihood import Ranged
from thresher.problem.statistics import Statistics
from thresher.types import Floats

if TYPE_CHECKING:
    from thresher.problem.question import Question


class Bernoulli(Ranged):
    """``bernoulli``: σ is ½, the largest that it can be."""

    name: ClassVar[str] = "bernoulli"
    summary: ClassVar[str] = "0 or 1"
    draw: ClassVar[str] = "zero-one"
    law: ClassVar[str] = "coin"
    is_coin: ClassVar[bool] = True
    evidences: ClassVar[tuple[str, ...]] = ("squared", "kl")

    def misfit(self, outcome: float, *, low: float, high: float) -> str | None:
        """Return why an outcome is neither 0 nor 1, or None if it is."""
        fault = super().misfit(outcome, low=low, high=high)
        return f"{exact(outcome)} is neither 0 nor 1" if fault is None and outcome not in (0.0, 1.0) else fault

    @property
    def advice(self) -> str:
        """What to do with scores and times."""
        return (
            "; scores need a new campaign of the family 'bounded' (--family bounded), with low and high, "
            "and times one with a quantile (--quantile 0.5)"
        )

    def own_sigma(self, low: float, high: float) -> float:
        """Return ½."""
        return 0.5

    def check_thresholds(self, question: Question) -> None:
        """Raise unless every threshold is inside (0, 1)."""
        demand_inside("thresholds", question.thresholds, 0.0, 1.0, closed=False, arms=question.arms)

    def check_means(self, question: Question, means: Floats, *, is_drawn: bool) -> None:
        """Raise unless every mean is from 0 to 1."""
        demand_inside("means", means, 0.0, 1.0, closed=True, arms=question.arms)

    def check_total(self, count: int, total: float, *, low: float, high: float) -> None:
        """Raise unless a sum of 0/1 outcomes can be this."""
        if total != math.floor(total) or not 0 <= total <= count:
            raise InvalidOutcomeError(
                f"a sum of {exact(total)} over {count} outcomes of 0 or 1", instead=f"give 0 to {count}"
            )

    def raw_squares(self, count: int, total: float, squares: float | None, *, low: float, high: float) -> float:
        """Return the sum, which is that of the squares."""
        if squares is not None and squares != total:
            raise InvalidOutcomeError("a sum of squares unlike the sum of outcomes of 0 or 1", instead="leave it out")
        return total

    def variances(self, question: Question, seen: Statistics) -> Floats:
        """Return the variances of the rates, each with half an outcome more of either kind."""
        smooth = (seen.totals + 0.5) / (seen.counts + 1.0)
        return np.asarray(smooth * (1.0 - smooth))

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits by the beta-binomial mixture."""
        return bernoulli_limits(seen.counts, seen.totals, alpha, *mixture_of(alpha))

    def noise_limits(self, question: Question, counts: Floats, totals: Floats, alpha: float) -> tuple[Floats, Floats]:
        r"""Return the limits for equal means.

        For rates :math:`p_i` of mean `p`, :math:`\prod_i (1 - p_i + p_i e^\lambda) \le (1 - p + p e^\lambda)^n`: the
        mixture of likelihood ratios is a test supermartingale here too (Hoeffding 1956).
        """
        return self.limits(question, Statistics(counts, totals, np.zeros_like(counts)), alpha)

    def pool_limits(self, question: Question, seen: Statistics, sizes: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits by the number of ones that the pool can have."""
        return ones_limits(sizes, seen.counts, seen.totals, np.array(question.thresholds), alpha, *mixture_of(alpha))

    def pool_refutation(
        self, question: Question, counts: Floats, totals: Floats, sizes: Floats, sums: Floats, alpha: float, side: int
    ) -> Floats:
        """Return the log of the ratio of prior to posterior; the sums are numbers of ones."""
        bars = np.array(question.thresholds)
        return log_ratios_of_ones(sizes, counts, totals, bars, sums, side, *mixture_of(alpha))

    def difference_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        """Return the image of the joint region of an arm and the control under the difference."""
        _, ratio, margin = question.known_control
        low, high = _joint_limits(question, seen, ratio, alpha, is_lift=False)
        return low - margin, high - margin

    def ratio_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        """Return the image of the joint region of an arm and the control under the ratio."""
        return _joint_limits(question, seen, 1.0, alpha, is_lift=True)

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value by the part of the beta-binomial mixture above the bar."""
        return log_e_of_shares(seen.counts, seen.totals, bars, rho)

    def pool_log_e(
        self, question: Question, seen: Statistics, counts: Floats, totals: Floats, pools: Floats, samples: Floats,
        bars: Floats, rho: float,
    ) -> Floats:  # fmt: skip
        """Return the log of the e-value by the number of ones that the pool can have."""
        return log_e_of_pools(pools, counts, totals, bars, rho)


def _joint_limits(
    question: Question, seen: Statistics, ratio: float, alpha: float, *, is_lift: bool
) -> tuple[Floats, Floats]:
    """Return the ends of the image of the joint region of each judged arm, searched once for arms with equal sums."""
    judged, place = question.judged, question.known_control.arm
    sums = np.stack([seen.counts[judged], seen.totals[judged]])
    _, first, back = np.unique(sums, axis=1, return_index=True, return_inverse=True)
    low, high = rate_limits(seen.counts, seen.totals, judged[first], place, ratio, alpha, *mixture_of(alpha), is_lift)
    return low[back.ravel()], high[back.ravel()]
