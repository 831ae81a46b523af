"""The bar of a question: the methods that each kind has."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

from thresher.inference.bars.control_bars import PossibleBar, PosteriorAt
from thresher.inference.e_values import EValues
from thresher.inference.intervals import Intervals
from thresher.problem import Question, Statistics
from thresher.problem.bars import ProblemBar
from thresher.types import Floats, Ints


class BarColumns(NamedTuple):
    """What a row shows of its bar, shape (K,) each; NaN where there is no such number.

    Attributes
    ----------
    thresholds : ndarray of float64
        The bar; with a control its current estimate.
    differences, lifts : ndarray of float64
        Of the mean from that of the control: in the unit of the outcomes, and in per cent of the control's mean.
    lift_limits : Intervals
        Of the lift, valid at every moment.
    """

    thresholds: Floats
    differences: Floats
    lifts: Floats
    lift_limits: Intervals


class QuestionBar(ProblemBar):
    """What arms are compared with, and the evidence on it in the outcomes."""

    @property
    @abstractmethod
    def compared_limits(self) -> Floats:
        """The number on each arm's bar, in the unit of :meth:`limits`; shape (K,)."""

    @abstractmethod
    def possible(self, seen: Statistics, posterior_at: PosteriorAt, /) -> list[PossibleBar]:
        """Return the values that the bar may have, with weights that add up to 1.

        `posterior_at` returns the posterior of the distances from known bars.
        """

    @abstractmethod
    def means_at(self, one: PossibleBar, means: Floats, /) -> Floats:
        """Return the means of all arms of the question if the bar has this value and the judged arms have these."""

    @abstractmethod
    def known(self, seen: Statistics) -> tuple[Question, Statistics]:
        """Return an equivalent question and statistics with a known bar, from outcomes of arm and control alone."""

    @abstractmethod
    def sides(self, means: Floats) -> Ints:
        """Return 1 for a mean above its bar, -1 for one below, 0 for NaN; `means` are of all arms of the question."""

    @abstractmethod
    def certain(self, seen: Statistics, shift: float = 0.0) -> Ints:
        """Return the sides of the bar plus `shift` that the remaining items cannot change: 1, -1, or 0 for none."""

    @abstractmethod
    def attainable(self, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the least and the largest number that each arm can still have, in the unit of :meth:`limits`."""

    @abstractmethod
    def limits(self, seen: Statistics, *, alpha: float) -> Intervals:
        """Return the anytime-valid interval of each arm: of its mean, or of its difference from the bar."""

    @abstractmethod
    def e_values(self, seen: Statistics, *, risk: float, tolerance: float = 0.0) -> EValues:
        """Return the e-values of both sides of each arm's bar."""

    @abstractmethod
    def e_value(self, seen: Statistics, side: int, *, risk: float, tolerance: Floats) -> Floats:
        """Return the logarithm of the e-value for one side, 1 or -1, of the bar moved by a tolerance; shape (K,)."""

    @abstractmethod
    def in_row(self, limits: Intervals, seen: Statistics, means: Floats, *, alpha: float | None = None) -> Intervals:
        """Return the interval of a row, whose bar is a fixed number, from limits in the unit of :meth:`limits`.

        `alpha` is the level of limits that are anytime-valid.
        """

    @abstractmethod
    def columns(self, seen: Statistics, means: Floats, *, alpha: float) -> BarColumns:
        """Return what a row shows; `means` are those shown, of all arms of the question."""


def bar_of(question: Question) -> QuestionBar:
    """Return the bar that the arms of a question are compared with."""
    found = question.bar
    assert isinstance(found, QuestionBar)
    return found
