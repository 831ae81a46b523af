r"""One-sided e-processes beside a control: how strongly outcomes refute that an arm is on one side of its bar.

Against :math:`d_k = \mu_k - c \mu_0 - m \le 0` let :math:`e_k(a)` be the e-process of :mod:`thresher.policy.evalues`
against :math:`\mu_k \le a`, and :math:`e_0(b)` that against :math:`\mu_0 \ge b`. Then

.. math:: e = \min_b \, e_k(c b + m) \, e_0(b)

is one. If the hypothesis is true then :math:`\mu_k \le c \mu_0 + m`, so at :math:`b = \mu_0` both factors refute
something true. The minimum is at most their product there, which is a supermartingale: each outcome multiplies one of
the two by a factor of conditional expectation at most 1. For unknown variances both are e-values at any time, but not
supermartingales together; their mean is an e-value and takes the place of the product. The e-values of two arms depend
on each other through the control, which e-BH allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from thresher.policy.difference_intervals import GOLDEN
from thresher.policy.differences import control_in
from thresher.policy.evalues import EValues, log_e_above, mirror, sum_of_mirrored
from thresher.policy.intervals import pseudo_samples
from thresher.policy.seen import Seen
from thresher.problem import Control, Question
from thresher.problem.family import UNKNOWN_VARIANCE
from thresher.types import Floats, Ints

POINTS, STEPS = 17, 26  # of the search for the least e-value: a grid, then golden sections
REACH = 4.0  # standard errors beyond both means in which it is searched
NEAREST = 1e-9  # to an end of the range


def difference_e_values(question: Question, seen: Seen, *, risk: float, tolerance: float = 0.0) -> EValues:
    r"""Return the e-values of both sides of the bar for the judged arms.

    Parameters
    ----------
    question : Question
        With a control.
    seen : Seen
    risk : float
        In (0, 1), and chosen before the outcomes: it tunes how far off the alternatives are.
    tolerance : float
        :math:`\epsilon \ge 0`: `above` is against :math:`d_k \le -\epsilon`, `below` against :math:`d_k \ge \epsilon`.
    """
    control, rho = control_in(question), pseudo_samples(risk)
    plain = replace(question, control=None)
    flipped, mirrored = mirror(plain, seen)
    ends = sum_of_mirrored(question)
    below = Control(control.arm, control.ratio, ends * (1.0 - control.ratio) - control.margin - tolerance)
    above = control._replace(margin=control.margin - tolerance)
    return EValues(
        _against_below(plain, seen, flipped, mirrored, above, rho),
        _against_below(flipped, mirrored, plain, seen, below, rho),
    )


def _against_below(
    question: Question, seen: Seen, flipped: Question, mirrored: Seen, control: Control, rho: float
) -> Floats:
    """Return the logarithm of the e-value of each judged arm against a mean at or below the bar of the control."""
    judged = np.arange(question.n_arms)[np.arange(question.n_arms) != control.arm]
    arms, others = (_some(question, judged), seen.part(judged)), np.full(judged.size, control.arm)
    base = _some(flipped, others), mirrored.part(others)
    ends = sum_of_mirrored(question)
    is_mean = question.kind is UNKNOWN_VARIANCE

    def log_e(bars: Floats) -> Floats:
        own = log_e_above(*arms, _inside(question, control.ratio * bars + control.margin), rho)
        other = log_e_above(*base, _inside(question, ends - bars), rho)
        return np.logaddexp(own, other) - math.log(2.0) if is_mean else own + other

    told = (seen.counts[judged] > 0.0) & (seen.counts[control.arm] > 0.0)
    found = _least(log_e, *_search_range(question, seen, judged, control))
    # An e-process vanishes next to an end of the range that an outcome refutes, however far that is from the means.
    for end in _ends(question, control) or ():
        found = np.minimum(found, log_e(np.full(judged.size, end)))
    return np.where(told, found, 0.0)


def _some(question: Question, arms: Ints) -> Question:
    """Return the question about some arms, some of them perhaps several times."""
    return replace(
        question, thresholds=question.thresholds[arms], sigma=question.sigma[arms], costs=question.costs[arms],
        pull_costs=question.pull_costs[arms], arms=tuple(str(i) for i in range(arms.size)), structure=None,
    )  # fmt: skip


def _inside(question: Question, bars: Floats) -> Floats:
    """Return bars moved into the range of the family."""
    if not question.kind.has_range:
        return bars
    width = question.high - question.low
    return np.clip(bars, question.low + NEAREST * width, question.high - NEAREST * width)


def _search_range(question: Question, seen: Seen, judged: Ints, control: Control) -> tuple[Floats, Floats]:
    """Return between which bars of the control the least e-value of each judged arm is."""
    means = np.nan_to_num(seen.means)
    there, here = (means[judged] - control.margin) / control.ratio, np.full(judged.size, means[control.arm])
    spreads = np.sqrt(seen.variances(question)) if question.kind is UNKNOWN_VARIANCE else question.sigma
    errors = spreads / np.sqrt(np.maximum(seen.counts, 1.0))
    reach = REACH * np.maximum(errors[judged] / control.ratio, errors[control.arm])
    low, high = np.minimum(there, here) - reach, np.maximum(there, here) + reach
    ends = _ends(question, control)
    return (low, high) if ends is None else (np.clip(low, *ends), np.clip(high, *ends))


def _ends(question: Question, control: Control) -> tuple[float, float] | None:
    """Return the least and the largest mean of the control that leaves the bar in the range; None without a range."""
    if not question.kind.has_range:
        return None
    least, most = ((end - control.margin) / control.ratio for end in (question.low, question.high))
    return max(question.low, least), min(question.high, most)


def _least(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return the least value of each component of a function between two ends: a grid, then golden sections."""
    points = low + (high - low) * np.linspace(0.0, 1.0, POINTS)[:, None]
    values = np.stack([function(point) for point in points])
    best, columns = np.argmin(values, axis=0), np.arange(low.size)
    low, high = points[np.maximum(best - 1, 0), columns], points[np.minimum(best + 1, POINTS - 1), columns]
    found = values[best, columns]
    first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_first, at_second = function(first), function(second)
    for _ in range(STEPS):
        is_left = at_first < at_second
        low, high = np.where(is_left, low, first), np.where(is_left, second, high)
        new = np.where(is_left, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        at_new = function(new)
        first, second = np.where(is_left, new, second), np.where(is_left, first, new)
        at_first, at_second = np.where(is_left, at_new, at_second), np.where(is_left, at_first, at_new)
    return np.asarray(np.minimum(found, np.minimum(at_first, at_second)))
