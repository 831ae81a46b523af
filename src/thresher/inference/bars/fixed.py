"""Known thresholds."""

from __future__ import annotations

import numpy as np

from thresher.inference.bars.bar import BarColumns, signs
from thresher.inference.bars.control_bars import PossibleBar, PosteriorAt
from thresher.inference.e_values import EValues, e_value, e_values
from thresher.inference.intervals import Intervals, intervals
from thresher.problem import Question, Statistics
from thresher.types import Floats, Ints


class FixedBar:
    """Known thresholds, one for each arm."""

    def __init__(self, question: Question) -> None:
        self._question = question

    @property
    def compared_limits(self) -> Floats:
        """The thresholds."""
        return self._question.thresholds

    def possible(self, seen: Statistics, _: PosteriorAt, /) -> list[PossibleBar]:
        """Return the one value that the bar has."""
        return [PossibleBar(1.0, self._question, seen)]

    def means_at(self, _: PossibleBar, means: Floats, /) -> Floats:
        """Return these means: all arms are judged."""
        return means

    def known(self, seen: Statistics) -> tuple[Question, Statistics]:
        """Return the arms as they are."""
        return self._question, seen

    def sides(self, means: Floats) -> Ints:
        """Return 1 for a mean above its bar, -1 for one below, 0 for NaN."""
        return signs(np.isnan(means), means > self._question.thresholds)

    def certain(self, seen: Statistics, shift: float = 0.0) -> Ints:
        """Return the sides that items that are left cannot change: 1, -1, or 0 for none."""
        return self._question.sampling.certain_sides(self._question, seen, self._question.thresholds + shift)

    def attainable(self, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the least and the largest mean that each arm can still have."""
        return self._question.sampling.attainable_means(self._question, seen)

    def limits(self, seen: Statistics, *, alpha: float) -> Intervals:
        """Return the anytime-valid interval of the mean of each arm."""
        return intervals(self._question, seen, alpha=alpha)

    def e_values(self, seen: Statistics, *, risk: float, tolerance: float = 0.0) -> EValues:
        """Return the e-values of both sides of each arm's bar."""
        return e_values(self._question, seen, risk=risk, tolerance=tolerance)

    def e_value(self, seen: Statistics, side: int, *, risk: float, tolerance: Floats) -> Floats:
        """Return the logarithm of the e-value for one side of the bar moved by a tolerance."""
        return e_value(self._question, seen, side, risk=risk, tolerance=tolerance)

    def in_row(self, limits: Intervals, seen: Statistics, means: Floats, *, alpha: float | None = None) -> Intervals:
        """Return the limits of the mean as they are."""
        return limits

    def columns(self, seen: Statistics, means: Floats, *, alpha: float) -> BarColumns:
        """Return the thresholds; there are no differences."""
        none = np.full_like(means, np.nan)
        return BarColumns(self._question.thresholds, none, none, Intervals(none, none))
