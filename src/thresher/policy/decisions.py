r"""Decisions: which verdicts can be acted on, under one of four guarantees.

======================  ================================================================================
``calibrated``          the chance of error is at most the risk, under the population fitted to all arms
``anytime``             the interval at level `risk` excludes the bar, for each arm and at every look
``fdr``                 e-BH: the false discovery rate is at most the risk, at any stopping time
``fwer``                the interval at level `risk / K` excludes the bar: no wrong decision at all
======================  ================================================================================

The last three hold whatever the other arms are like; the first is measured, not proved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.policy.difference_evalues import difference_e_values
from thresher.policy.difference_intervals import difference_intervals
from thresher.policy.doubt import Doubt
from thresher.policy.evalues import EValues, e_values
from thresher.policy.intervals import Intervals, intervals
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.types import Bools, Floats, Ints

GUARANTEES = ("calibrated", "anytime", "fdr", "fwer")
PASSES = ("above", "below")


class Decisions(NamedTuple):
    """What is decided of each arm, shape (K,) each.

    Attributes
    ----------
    sides : ndarray of int64
        The verdicts: 1 above, -1 below, 0 none.
    is_decided : ndarray of bool
        Whether the arm is decided under the guarantee; otherwise it is open.
    is_proven : ndarray of bool
        The anytime-valid interval excludes the bar, whatever the guarantee.
    p_wrong : ndarray of float64
        Chance that the verdict is wrong, at most ½.
    limits : Intervals
        At level `risk`.
    """

    sides: Ints
    is_decided: Bools
    is_proven: Bools
    p_wrong: Floats
    limits: Intervals

    def words(self, passes: str = "above") -> list[str]:
        """Return ``pass``, ``fail`` or ``open`` for each arm; `passes` names the side that passes."""
        passing = 1 if passes == "above" else -1
        sides = np.where(self.is_decided, self.sides * passing, 0)
        return [("open", "pass", "fail")[side] for side in sides.tolist()]


def decide(
    question: Question,
    seen: Seen,
    sides: Ints,
    doubt: Doubt,
    *,
    risk: float = 0.05,
    guarantee: str = "calibrated",
    tolerance: float = 0.0,
) -> Decisions:
    r"""Return which of the verdicts are decided.

    With a control the arms here are those that get a verdict, limits are those of their differences from the bar, and
    `K` does not count the control.

    Parameters
    ----------
    question : Question
    seen : Seen
        Of all arms, a control among them.
    sides : ndarray of int64, shape (K,)
        The verdicts: 1 above, -1 below, 0 none.
    doubt : Doubt
        Of :func:`thresher.policy.doubt.doubt`, with the same tolerance.
    risk : float
        In (0, 1).
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
    check_terms(question, risk=risk, guarantee=guarantee, tolerance=tolerance)
    p_wrong, limits, bars = doubt.of(sides), limits_of(question, seen, alpha=risk), _bars_of(question)
    is_proven = excluded(bars, sides, limits, tolerance)
    if guarantee == "calibrated":
        is_decided = p_wrong <= risk
    elif guarantee == "anytime":
        is_decided = is_proven
    elif guarantee == "fwer":
        narrow = limits_of(question, seen, alpha=risk / question.judged.size)
        is_decided = excluded(bars, sides, narrow, tolerance)
    else:
        is_decided = e_bh(e_of(side_e_values(question, seen, risk=risk, tolerance=tolerance), sides), risk=risk)
    return Decisions(sides, np.asarray(is_decided & (sides != 0)), is_proven, p_wrong, limits)


def limits_of(question: Question, seen: Seen, *, alpha: float) -> Intervals:
    """Return the anytime-valid interval of each arm that gets a verdict: of its mean, or of its difference."""
    find = intervals if question.control is None else difference_intervals
    return find(question, seen, alpha=alpha)


def side_e_values(question: Question, seen: Seen, *, risk: float, tolerance: float = 0.0) -> EValues:
    """Return the e-values of both sides of the bar of each arm that gets a verdict."""
    find = e_values if question.control is None else difference_e_values
    return find(question, seen, risk=risk, tolerance=tolerance)


def _bars_of(question: Question) -> Floats:
    """Return what the limits are compared with: thresholds, or 0 for differences from a control."""
    return question.thresholds if question.control is None else np.zeros(question.judged.size)


def excluded(bars: Floats, sides: Ints, limits: Intervals, tolerance: float = 0.0) -> Bools:
    """Return whether the interval of each arm excludes every mean for which the verdict is wrong; False without one."""
    above, below = limits.low > bars - tolerance, limits.high <= bars + tolerance
    return np.where(sides > 0, above, np.where(sides < 0, below, False))


def e_of(found: EValues, sides: Ints) -> Floats:
    """Return the logarithm of the e-value that supports each verdict, shape (K,); 0 where there is none."""
    return np.where(sides > 0, found.above, np.where(sides < 0, found.below, 0.0))


def e_bh(logs: Floats, *, risk: float) -> Bools:
    r"""Return which of K hypotheses to reject by e-values: the :math:`\hat k` largest, shape (..., K).

    .. math:: \hat k = \max \{ k : e_{(k)} \ge K / (\alpha k) \}

    The false discovery rate is at most α under any dependence :cite:p:`wangramdas2022`. Each arm has two hypotheses,
    but at most one of the two verdicts on it is wrong. So the wrong decisions are among K true hypotheses, each with an
    e-value of expectation at most 1, and it is K here and not 2K :cite:p:`xu2021`.

    Parameters
    ----------
    logs : ndarray of float64, shape (..., K)
        Logarithms of e-values; each row is a problem of its own.
    risk : float
        α in (0, 1).
    """
    places = np.arange(1, logs.shape[-1] + 1)
    order = np.argsort(-logs, axis=-1, kind="stable")
    enough = np.take_along_axis(logs, order, axis=-1) >= math.log(places.size / risk) - np.log(places)
    largest = np.where(enough, places, 0).max(axis=-1, keepdims=True)
    return np.asarray(np.argsort(order, axis=-1, kind="stable") < largest)


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
    if question.kind.has_range:
        ends = np.minimum(question.thresholds - question.low, question.high - question.thresholds)
        if tolerance >= float(ends.min()):
            raise InvalidInputError(
                "tolerance", tolerance, rule=f"must be less than {ends.min():g}, from a bar to the end of the range"
            )
