"""The unknown mean of a control."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from thresher.errors import InvalidInputError
from thresher.inference.bars.bar import BarColumns, QuestionBar
from thresher.inference.bars.control_bars import PossibleBar, PosteriorAt, possible_controls
from thresher.inference.bars.control_e_values import difference_e_value, difference_e_values
from thresher.inference.bars.control_intervals import difference_intervals, lift_intervals
from thresher.inference.bars.control_statistics import as_normal_arms, certain_differences, gaps_of
from thresher.inference.e_values import EValues
from thresher.inference.intervals import Intervals
from thresher.number_text import exact
from thresher.problem import Combination, Question, Statistics
from thresher.problem.bars import Control
from thresher.types import Floats, Ints


class ControlBar(QuestionBar):
    """The unknown mean of a control, with a margin."""

    is_known: ClassVar[bool] = False

    @classmethod
    def takes(cls, question: Question) -> bool:
        """Return whether a question has a control."""
        return question.control is not None

    @property
    def _control(self) -> Control:
        return self.question.known_control

    @property
    def judged(self) -> Ints:
        """All arms but the control."""
        places = np.arange(self.question.n_arms)
        return np.asarray(places[places != self._control.arm])

    def heights(self, means: Floats) -> Floats:
        """Return the bar that the true mean of the control gives."""
        return np.full(self.question.n_arms, self._control.bar(float(means[self._control.arm])))

    def check(self) -> None:
        """Raise unless the family has differences and the margin is within its range."""
        Combination(self.question.family, has_control=True).check()
        (low, high), margin = self.question.range, self._control.margin
        width = high - low
        if abs(margin) >= width:
            outcomes = f"outcomes are from {exact(low)} to {exact(high)}"
            rule = f"must be between {exact(-width)} and {exact(width)} (exclusive): {outcomes}"
            raise InvalidInputError("margin", margin, rule=rule)

    def check_truth(self, means: Floats) -> None:
        """Raise if the control's mean and the margin put the bar where no mean can be."""
        low, high = self.question.range
        mean = float(means[self._control.arm])
        bar = self._control.bar(mean)
        if not low < bar < high:
            raise InvalidInputError(
                "margin",
                self._control.shown,
                rule=f"must put the bar between {exact(low)} and {exact(high)} (exclusive): the control's mean "
                f"is {exact(mean)}, so it is at {exact(bar)}",
            )

    def digest(self) -> dict[str, bytes]:
        """Return which arm is the control, and the margin."""
        return {"control": repr(tuple(self._control)).encode()}

    def summary(self) -> dict[str, Any]:
        """Return which arm is the control, and the margin."""
        return {"control": self.question.arms[self._control.arm], "margin": self._control.shown}

    @property
    def compared_limits(self) -> Floats:
        """0: limits are those of differences from the bar."""
        return np.zeros(self.question.judged.size)

    def possible(self, seen: Statistics, posterior_at: PosteriorAt, /) -> list[PossibleBar]:
        """Return some values that the bar may have, each as likely."""
        return possible_controls(self.question, seen, posterior_at)

    def means_at(self, one: PossibleBar, means: Floats, /) -> Floats:
        """Return these means, and that of the control in its place."""
        base = (float(one.question.thresholds[0]) - self._control.margin) / self._control.ratio
        return np.insert(means, self._control.arm, base)

    def known(self, seen: Statistics) -> tuple[Question, Statistics]:
        """Return the differences of the judged arms as normal arms with the bar 0."""
        return as_normal_arms(self.question, seen)

    def sides(self, means: Floats) -> Ints:
        """Return 1 for a mean above the bar, -1 for one below, 0 where a mean of the two is NaN."""
        gaps = gaps_of(self.question, means)
        return np.where(np.isnan(gaps), 0, np.where(gaps > 0.0, 1, -1))

    def certain(self, seen: Statistics, shift: float = 0.0) -> Ints:
        """Return the sides that the remaining items cannot change: 1, -1, or 0 for none."""
        moved = self._control._replace(margin=self._control.margin + shift)
        return certain_differences(replace(self.question, control=moved), seen)

    def attainable(self, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the least and the largest distance from the bar that each arm can still have."""
        least, most = self.question.sampling.attainable_means(self.question, seen)
        judged, arm = self.question.judged, self._control.arm
        return least[judged] - self._control.bar(most[arm]), most[judged] - self._control.bar(least[arm])

    def limits(self, seen: Statistics, *, alpha: float) -> Intervals:
        """Return the anytime-valid interval of the difference of each arm from its bar."""
        return difference_intervals(self.question, seen, alpha=alpha)

    def e_values(self, seen: Statistics, *, risk: float, tolerance: float = 0.0) -> EValues:
        """Return the e-values of both sides of the bar."""
        return difference_e_values(self.question, seen, risk=risk, tolerance=tolerance)

    def e_value(self, seen: Statistics, side: int, *, risk: float, tolerance: Floats) -> Floats:
        """Return the logarithm of the e-value for one side of the bar moved by a tolerance."""
        return difference_e_value(self.question, seen, side, risk=risk, tolerance=tolerance)

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
            exact = lift_intervals(self.question, seen, alpha=alpha)
            found = [np.where(np.isnan(own), end, own) for own, end in zip(exact, found, strict=True)]
        return Intervals(*found)

    def columns(self, seen: Statistics, means: Floats, *, alpha: float) -> BarColumns:
        """Return the bar by the mean of the control, and differences and lifts with their intervals."""
        base, judged = float(means[self._control.arm]), means[self.question.judged]
        lifts = 100.0 * (judged / base - 1.0) if base > 0.0 else np.full(judged.size, np.nan)
        return BarColumns(
            thresholds=np.full(judged.size, self._control.bar(base)),
            differences=judged - base,
            lifts=lifts,
            lift_limits=lift_intervals(self.question, seen, alpha=alpha),
        )
