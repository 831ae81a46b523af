r"""One-sided e-processes against a control: how strongly outcomes refute that an arm is on one side of its bar.

Against :math:`d_k = \mu_k - c \mu_0 - m \le 0` let :math:`e_k(a)` be the e-process of
:mod:`thresher.inference.e_values` against :math:`\mu_k \le a`, and :math:`e_0(b)` that against :math:`\mu_0 \ge b`.
Then

.. math:: e = \min_b \, e_k(c b + m) \, e_0(b)

is one. If the hypothesis is true then :math:`\mu_k \le c \mu_0 + m`, so at :math:`b = \mu_0` both factors refute
something true. The minimum is at most their product there, which is a supermartingale: each outcome multiplies one of
the two by a factor of conditional expectation at most 1; so is the mixture over several ρ of the products with the same
ρ, which takes its place (:mod:`thresher.martingales.mixture`). For unknown variances both are e-values at any time, but
not supermartingales together; their mean is an e-value and takes the place of the product. The e-values of two arms
depend on each other through the control, which e-BH allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from thresher.inference.e_values import EValues, log_e_above, mirror
from thresher.martingales import Mixture, least_between
from thresher.problem import Question, Statistics
from thresher.problem.bars import Control
from thresher.types import Floats, Ints

POINTS, STEPS = 9, 14  # of the search for the least e-value: points of a grid, then golden sections
REACH = 4.0  # range of the search, in standard errors beyond both means


def difference_e_values(question: Question, seen: Statistics, *, risk: float, tolerance: float = 0.0) -> EValues:
    r"""Return the e-values of both sides of the bar for the judged arms.

    Parameters
    ----------
    question : Question
        With a control.
    seen : Statistics
    risk : float
        In (0, 1), and chosen before the outcomes: it tunes how far off the alternatives are.
    tolerance : float
        :math:`\epsilon \ge 0`: `above` is against :math:`d_k \le -\epsilon`, `below` against :math:`d_k \ge \epsilon`.
    """
    above, below = (difference_e_value(question, seen, side, risk=risk, tolerance=tolerance) for side in (1, -1))
    return EValues(above, below)


def difference_e_value(
    question: Question, seen: Statistics, side: int, *, risk: float, tolerance: Floats | float = 0.0
) -> Floats:
    """Return the logarithm of the e-value for one side of the bar of each judged arm.

    Parameters
    ----------
    question, seen, risk
        As of :func:`difference_e_values`.
    side, tolerance
        As of :func:`thresher.inference.e_values.e_value`.
    """
    control, mixture, plain = question.known_control, question.kind.mixture(risk), replace(question, control=None)
    flipped, mirrored = mirror(plain, seen)
    if side > 0:
        return _against_below(plain, seen, flipped, mirrored, control, control.margin - tolerance, mixture)
    margins = question.kind.mirror_sum(question.low, question.high) * (1.0 - control.ratio) - control.margin - tolerance
    return _against_below(flipped, mirrored, plain, seen, control, margins, mixture)


def _against_below(
    question: Question,
    seen: Statistics,
    flipped: Question,
    mirrored: Statistics,
    control: Control,
    margins: Floats | float,
    mixture: Mixture,
) -> Floats:
    """Return the logarithm of the e-value of each judged arm against a mean at or below the bar of the control.

    `margins` are those of the bars, not that of the control.
    """
    judged = np.arange(question.n_arms)[np.arange(question.n_arms) != control.arm]
    arms, others = (_some(question, judged), seen.part(judged)), np.full(judged.size, control.arm)
    base = _some(flipped, others), mirrored.part(others)
    ends = question.kind.mirror_sum(question.low, question.high)

    def log_e(bars: Floats) -> Floats:
        inside, mirrored_bars = question.inside(control.ratio * bars + margins), question.inside(ends - bars)
        parts = []
        for rho in mixture.rhos.tolist():
            own, other = log_e_above(*arms, inside, rho), log_e_above(*base, mirrored_bars, rho)
            parts.append(question.kind.joint_log_e(own, other))
        return mixture.of(np.stack(parts))

    told = (seen.counts[judged] > 0.0) & (seen.counts[control.arm] > 0.0)
    found = _least(log_e, *_search_range(question, seen, judged, control, margins))
    # An e-process vanishes next to an end of the range that an outcome refutes, however far that is from the means.
    for end in _ends(question, control, margins) or ():
        found = np.minimum(found, log_e(np.broadcast_to(end, judged.size)))
    return np.where(told, found, 0.0)


def _some(question: Question, arms: Ints) -> Question:
    """Return the question about some arms, some of them perhaps several times."""
    return replace(
        question, thresholds=question.thresholds[arms], sigma=question.sigma[arms], costs=question.costs[arms],
        pull_costs=question.pull_costs[arms], arms=tuple(str(i) for i in range(arms.size)), structure=None,
    )  # fmt: skip


def _search_range(
    question: Question, seen: Statistics, judged: Ints, control: Control, margins: Floats | float
) -> tuple[Floats, Floats]:
    """Return between which bars of the control the least e-value of each judged arm is."""
    means = np.nan_to_num(seen.means)
    there, here = (means[judged] - margins) / control.ratio, np.full(judged.size, means[control.arm])
    spreads = question.kind.spreads(question, seen)
    errors = spreads / np.sqrt(np.maximum(seen.counts, 1.0))
    reach = REACH * np.maximum(errors[judged] / control.ratio, errors[control.arm])
    low, high = np.minimum(there, here) - reach, np.maximum(there, here) + reach
    ends = _ends(question, control, margins)
    return (low, high) if ends is None else (np.clip(low, *ends), np.clip(high, *ends))


def _ends(question: Question, control: Control, margins: Floats | float) -> tuple[Floats, Floats] | None:
    """Return the least and the largest mean of the control that leaves the bar in the range; None without a range."""
    low, high = question.range
    if high == np.inf:
        return None
    least, most = ((end - margins) / control.ratio for end in (low, high))
    return np.maximum(low, least), np.minimum(high, most)


def _least(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return the least value of each component of a function between two ends: a grid, then golden sections."""
    points = low + (high - low) * np.linspace(0.0, 1.0, POINTS)[:, None]
    values = np.stack([function(point) for point in points])
    best, columns = np.argmin(values, axis=0), np.arange(low.size)
    low, high = points[np.maximum(best - 1, 0), columns], points[np.minimum(best + 1, POINTS - 1), columns]
    found = values[best, columns]
    return np.asarray(np.minimum(found, least_between(function, low, high, steps=STEPS)))
