r"""Decisions: which verdicts can be acted on, under one of four guarantees, and the interval behind each.

======================  ==============================================================================================
``calibrated``          the chance of error is at most the level in force, under the population fitted to all arms, and
                        the arm's own outcomes speak for the verdict
``anytime``             the interval at level `risk` excludes the bar, for each arm and at every look
``fdr``                 e-BH: the false discovery rate is at most the risk, at any stopping time
``fwer``                the interval at level `risk / K` excludes the bar: no wrong decision at all
======================  ==============================================================================================

The last three hold whatever the other arms are like; the first is measured, not proved. The interval of an arm is the
one that its decision rests on, given by the guarantee: if the arm is decided, it contains no mean for which the
decision is wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.inference.bars import QuestionBar
from thresher.inference.chance_of_error import Posterior, doubt_by
from thresher.inference.guarantees import GUARANTEES, RULES
from thresher.inference.intervals import Intervals
from thresher.number_text import exact
from thresher.problem import Question, Statistics
from thresher.types import Bools, Floats, Ints

PASSES = ("above", "below")


def sides_of(bar: QuestionBar, seen: Statistics, means: Floats) -> Ints:
    """Return the verdict on each arm: the certain side, else that of the mean; 0 where nothing was told."""
    certain = bar.certain(seen)
    return np.where(certain != 0, certain, bar.sides(means))


class Decisions(NamedTuple):
    """What is decided of each arm, shape (K,) each.

    With a control, both intervals are of the differences from the bar; otherwise of the means.

    Attributes
    ----------
    sides : ndarray of int64
        The verdicts: 1 above, -1 below, 0 none.
    is_decided : ndarray of bool
        Whether the arm is decided under the guarantee; otherwise it is undecided.
    is_proven : ndarray of bool
        The anytime-valid interval excludes the bar, whatever the guarantee.
    p_wrong : ndarray of float64
        Chance that the verdict is wrong, at most ½.
    limits : Intervals
        Anytime-valid at level `risk`, whatever the guarantee: ``valid_low`` and ``valid_high`` of a row.
    interval : Intervals
        The interval behind the decision: ``low`` and ``high`` of a row. NaN where none exists.
    levels : ndarray of float64
        The chance of error up to which ``calibrated`` decides each arm now.
    """

    sides: Ints
    is_decided: Bools
    is_proven: Bools
    p_wrong: Floats
    limits: Intervals
    interval: Intervals
    levels: Floats

    def words(self, passes: str = "above") -> list[str]:
        """Return ``pass``, ``fail`` or ``open`` for each arm; `passes` names the side that passes."""
        passing = 1 if passes == "above" else -1
        sides = np.where(self.is_decided, self.sides * passing, 0)
        return [("open", "pass", "fail")[side] for side in sides.tolist()]

    def settled(self, certain: Ints) -> Decisions:
        """Return decisions in which the verdicts of `certain`, which the remaining items cannot change, are decided."""
        is_certain = (self.sides != 0) & (self.sides == certain)
        return self._replace(
            is_decided=self.is_decided | is_certain,
            is_proven=self.is_proven | is_certain,
            p_wrong=np.where(is_certain, 0.0, self.p_wrong),
        )


def excluded(bars: Floats, sides: Ints, limits: Intervals, tolerance: float = 0.0) -> Bools:
    """Return whether the interval of each arm excludes every mean for which the verdict is wrong; False without one."""
    above, below = limits.low > bars - tolerance, limits.high <= bars + tolerance
    return np.where(sides > 0, above, np.where(sides < 0, below, False))


@dataclass(frozen=True, eq=False)
class GuaranteeCase:
    """What a guarantee decides by: the parameters of :func:`decide`."""

    bar: QuestionBar
    seen: Statistics
    worth: Statistics
    sides: Ints
    posterior: Posterior
    risk: float
    levels: Floats
    tolerance: float

    @property
    def bars(self) -> Floats:
        """The number on each arm's bar, in the unit of the limits."""
        return self.bar.compared_limits

    @cached_property
    def p_wrong(self) -> Floats:
        """Chance that the verdict is wrong, at most ½."""
        return doubt_by(self.posterior, self.tolerance).of(self.sides)

    @cached_property
    def limits(self) -> Intervals:
        """Anytime-valid at level `risk`."""
        return self.bar.limits(self.seen, alpha=self.risk)

    @cached_property
    def is_proven(self) -> Bools:
        """Whether these exclude every mean for which the verdict is wrong."""
        return self.excluded(self.limits)

    def excluded(self, limits: Intervals, bars: Floats | None = None) -> Bools:
        """Return whether limits exclude every mean for which the verdict is wrong; `bars` if in another unit."""
        return excluded(self.bars if bars is None else bars, self.sides, limits, self.tolerance)


def decide(
    bar: QuestionBar,
    seen: Statistics,
    sides: Ints,
    posterior: Posterior,
    *,
    worth: Statistics | None = None,
    risk: float = 0.05,
    level: Floats | float | None = None,
    guarantee: str = "calibrated",
    tolerance: float = 0.0,
) -> Decisions:
    r"""Return which of the verdicts are decided, and the interval behind each.

    With a control the arms here are those that get a verdict, intervals are those of their differences from the bar,
    and `K` does not count the control.

    Parameters
    ----------
    bar : QuestionBar
        That of the question.
    seen : Statistics
        Of all arms, a control among them.
    sides : ndarray of int64, shape (K,)
        The verdicts: 1 above, -1 below, 0 none.
    posterior : Posterior
        Of the distances from the bar.
    worth : Statistics, optional
        Independent outcomes that would say as much as `seen`; the same unless arms answer items.
    risk : float
        In (0, 1).
    level : float or ndarray of float64, shape (K,), optional
        The chance of error at which ``calibrated`` decides now: the risk at the end of a budget and unless given, less
        before. The other guarantees hold at every look and do not use it.
    guarantee : str
        One of :data:`GUARANTEES`.
    tolerance : float
        :math:`\epsilon \ge 0`: above is wrong only if :math:`\mu \le \theta - \epsilon`, below only if
        :math:`\mu > \theta + \epsilon`.

    Raises
    ------
    InvalidInputError
        If the risk, the guarantee or the tolerance breaks its rule.
    """
    check_terms(bar.question, risk=risk, guarantee=guarantee, tolerance=tolerance)
    case = _case(bar, seen, sides, posterior, worth, risk, level, tolerance)
    found, interval = RULES[guarantee].decide(case)
    is_decided, ends = np.asarray(found & (sides != 0)), bar.attainable(seen)
    inside = Intervals(*(np.clip(end, *ends) for end in interval(found)))
    shown = _agreeing(inside, case.bars, sides, is_decided, tolerance)
    return Decisions(sides, is_decided, case.is_proven, case.p_wrong, case.limits, shown, case.levels)


def _agreeing(interval: Intervals, bars: Floats, sides: Ints, is_decided: Bools, tolerance: float) -> Intervals:
    """Return intervals that agree with their decisions, without rounding errors; NaN where an end is infinite.

    The ends were found by search, the decisions by comparing chances or e-values with a level.
    """
    lowest, highest = np.nextafter(bars - tolerance, np.inf), bars + tolerance
    above, below = is_decided & (sides > 0), is_decided & (sides < 0)
    low = np.where(above, np.maximum(interval.low, lowest), interval.low)
    low = np.where(~is_decided & (sides > 0), np.minimum(low, bars - tolerance), low)
    high = np.where(below, np.minimum(interval.high, highest), interval.high)
    high = np.where(~is_decided & (sides < 0), np.maximum(high, np.nextafter(highest, np.inf)), high)
    low, high = np.where(below, np.minimum(low, high), low), np.where(above, np.maximum(low, high), high)
    is_known = np.isfinite(low) & np.isfinite(high)
    return Intervals(np.where(is_known, low, np.nan), np.where(is_known, high, np.nan))


def decided_arms(
    bar: QuestionBar,
    seen: Statistics,
    sides: Ints,
    posterior: Posterior,
    *,
    risk: float = 0.05,
    guarantee: str = "calibrated",
    tolerance: float = 0.0,
) -> Bools:
    """Return which of the verdicts are decided at the end of a budget, without intervals; as of :func:`decide`."""
    case = _case(bar, seen, sides, posterior, None, risk, None, tolerance)
    return np.asarray(RULES[guarantee].decide(case)[0] & (sides != 0))


def _case(
    bar: QuestionBar,
    seen: Statistics,
    sides: Ints,
    posterior: Posterior,
    worth: Statistics | None,
    risk: float,
    level: Floats | float | None,
    tolerance: float,
) -> GuaranteeCase:
    levels = np.broadcast_to(np.asarray(risk if level is None else level), sides.size)
    known = seen if worth is None else worth
    return GuaranteeCase(bar, seen, known, sides, posterior, risk, levels, tolerance)


def check_terms(question: Question, *, risk: float, guarantee: str, tolerance: float) -> None:
    """Raise unless decisions can be made under these terms.

    Raises
    ------
    InvalidInputError
    """
    if not 0.0 < risk < 1.0:
        raise InvalidInputError("risk", risk, rule="must be between 0 and 1 (exclusive)")
    if guarantee not in GUARANTEES:
        raise InvalidInputError("guarantee", guarantee, rule=f"must be one of {', '.join(GUARANTEES)}")
    if not (math.isfinite(tolerance) and tolerance >= 0.0):
        raise InvalidInputError("tolerance", tolerance, rule="must be a finite number, 0 or more")
    low, high = question.range
    room = float(np.minimum(question.thresholds - low, high - question.thresholds).min())
    if tolerance >= room:
        raise InvalidInputError(
            "tolerance", tolerance, rule=f"must be less than {exact(room)}, from a bar to the end of the range"
        )
