"""Known thresholds."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from thresher.inference.bars.bar import BarColumns, QuestionBar
from thresher.inference.bars.control_bars import PossibleBar, PosteriorAt
from thresher.inference.e_values import EValues, e_value, e_values
from thresher.inference.intervals import Intervals
from thresher.problem import Question, Statistics
from thresher.types import Floats, Ints


class FixedBar(QuestionBar):
    """Known thresholds, one for each arm."""

    is_known: ClassVar[bool] = True

    @classmethod
    def takes(cls, question: Question) -> bool:
        """Return whether a question has no control."""
        return question.control is None

    @property
    def judged(self) -> Ints:
        """All arms."""
        return np.arange(self.question.n_arms)

    def heights(self, means: Floats) -> Floats:
        """Return the thresholds."""
        return self.question.thresholds

    @property
    def compared_limits(self) -> Floats:
        """The thresholds."""
        return self.question.thresholds

    def possible(self, seen: Statistics, _: PosteriorAt, /) -> list[PossibleBar]:
        """Return the one value that the bar has."""
        return [PossibleBar(1.0, self.question, seen)]

    def means_at(self, _: PossibleBar, means: Floats, /) -> Floats:
        """Return these means: all arms are judged."""
        return means

    def known(self, seen: Statistics) -> tuple[Question, Statistics]:
        """Return the arms as they are."""
        return self.question, seen

    def sides(self, means: Floats) -> Ints:
        """Return 1 for a mean above its bar, -1 for one below, 0 for NaN."""
        return np.where(np.isnan(means), 0, np.where(means > self.question.thresholds, 1, -1))

    def certain(self, seen: Statistics, shift: float = 0.0) -> Ints:
        """Return the sides that the remaining items cannot change: 1, -1, or 0 for none."""
        return self.question.sampling.certain_sides(self.question, seen, self.question.thresholds + shift)

    def attainable(self, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the least and the largest mean that each arm can still have."""
        return self.question.sampling.attainable_means(self.question, seen)

    def limits(self, seen: Statistics, *, alpha: float) -> Intervals:
        """Return the anytime-valid interval of the mean of each arm."""
        return Intervals(*self.question.sampling.limits(self.question, seen, alpha))

    def e_values(self, seen: Statistics, *, risk: float, tolerance: float = 0.0) -> EValues:
        """Return the e-values of both sides of each arm's bar."""
        return e_values(self.question, seen, risk=risk, tolerance=tolerance)

    def e_value(self, seen: Statistics, side: int, *, risk: float, tolerance: Floats) -> Floats:
        """Return the logarithm of the e-value for one side of the bar moved by a tolerance."""
        return e_value(self.question, seen, side, risk=risk, tolerance=tolerance)

    def in_row(self, limits: Intervals, seen: Statistics, means: Floats, *, alpha: float | None = None) -> Intervals:
        """Return the limits of the mean as they are."""
        return limits

    def columns(self, seen: Statistics, means: Floats, *, alpha: float) -> BarColumns:
        """Return the thresholds; there are no differences."""
        none = np.full_like(means, np.nan)
        return BarColumns(self.question.thresholds, none, none, Intervals(none, none))
