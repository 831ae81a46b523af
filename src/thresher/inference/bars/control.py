"""The unknown mean of a control."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thresher.inference.bars.bar import BarColumns, signs
from thresher.inference.bars.control_bars import PossibleBar, PosteriorAt, possible_controls
from thresher.inference.bars.control_e_values import difference_e_value, difference_e_values
from thresher.inference.bars.control_intervals import difference_intervals, lift_intervals
from thresher.inference.bars.control_statistics import as_normal_arms, certain_differences, gaps_of
from thresher.inference.e_values import EValues
from thresher.inference.intervals import Intervals
from thresher.problem import Question, Statistics
from thresher.types import Floats, Ints


class ControlBar:
    """The unknown mean of a control, with a margin."""

    def __init__(self, question: Question) -> None:
        self._question, self._control = question, question.known_control

    @property
    def compared_limits(self) -> Floats:
        """0: limits are those of differences from the bar."""
        return np.zeros(self._question.judged.size)

    def possible(self, seen: Statistics, posterior_at: PosteriorAt, /) -> list[PossibleBar]:
        """Return some values that the bar may have, each as likely."""
        return possible_controls(self._question, seen, posterior_at)

    def means_at(self, one: PossibleBar, means: Floats, /) -> Floats:
        """Return these means, and that of the control in its place."""
        base = (float(one.question.thresholds[0]) - self._control.margin) / self._control.ratio
        return np.insert(means, self._control.arm, base)

    def known(self, seen: Statistics) -> tuple[Question, Statistics]:
        """Return the judged arms as normal arms with the bar 0: what is known of their differences."""
        return as_normal_arms(self._question, seen)

    def sides(self, means: Floats) -> Ints:
        """Return 1 for a mean above the bar, -1 for one below, 0 where a mean of the two is NaN."""
        gaps = gaps_of(self._question, means)
        return signs(np.isnan(gaps), gaps > 0.0)

    def certain(self, seen: Statistics, shift: float = 0.0) -> Ints:
        """Return the sides that what is left in the pools cannot change: 1, -1, or 0 for none."""
        moved = self._control._replace(margin=self._control.margin + shift)
        return certain_differences(replace(self._question, control=moved), seen)

    def attainable(self, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the least and the largest distance from the bar that each arm can still have."""
        least, most = self._question.sampling.attainable_means(self._question, seen)
        judged, arm = self._question.judged, self._control.arm
        return least[judged] - self._control.bar(most[arm]), most[judged] - self._control.bar(least[arm])

    def limits(self, seen: Statistics, *, alpha: float) -> Intervals:
        """Return the anytime-valid interval of the difference of each arm from its bar."""
        return difference_intervals(self._question, seen, alpha=alpha)

    def e_values(self, seen: Statistics, *, risk: float, tolerance: float = 0.0) -> EValues:
        """Return the e-values of both sides of the bar."""
        return difference_e_values(self._question, seen, risk=risk, tolerance=tolerance)

    def e_value(self, seen: Statistics, side: int, *, risk: float, tolerance: Floats) -> Floats:
        """Return the logarithm of the e-value for one side of the bar moved by a tolerance."""
        return difference_e_value(self._question, seen, side, risk=risk, tolerance=tolerance)

    def in_row(self, limits: Intervals, seen: Statistics, means: Floats, *, alpha: float | None = None) -> Intervals:
        """Return the limits of the difference from the control; of the lift, in per cent, if the margin is relative.

        Limits of the lift that are not anytime-valid take the mean of the control as it is.
        """
        if self._control.ratio == 1.0:
            return Intervals(limits.low + self._control.margin, limits.high + self._control.margin)
        base = float(means[self._control.arm])
        known = 100.0 / base if base > 0.0 else np.nan
        found = [100.0 * (self._control.ratio - 1.0) + known * end for end in limits]
        if alpha is not None:
            exact = lift_intervals(self._question, seen, alpha=alpha)
            found = [np.where(np.isnan(own), end, own) for own, end in zip(exact, found, strict=True)]
        return Intervals(*found)

    def columns(self, seen: Statistics, means: Floats, *, alpha: float) -> BarColumns:
        """Return the bar by the mean of the control, and differences and lifts with their intervals."""
        base, judged = float(means[self._control.arm]), means[self._question.judged]
        lifts = 100.0 * (judged / base - 1.0) if base > 0.0 else np.full(judged.size, np.nan)
        return BarColumns(
            thresholds=np.full(judged.size, self._control.bar(base)),
            differences=judged - base,
            lifts=lifts,
            lift_limits=lift_intervals(self._question, seen, alpha=alpha),
        )
