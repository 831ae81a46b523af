r"""Anytime-valid intervals against a control: of the difference from the bar, and of the lift.

Let :math:`M_k(a)` and :math:`M_0(b)` be the test martingales of :mod:`thresher.inference.intervals` for a mean `a` of
the arm and `b` of the control. Each outcome multiplies one of them by a factor of conditional expectation at most 1 if
these are the means. So their *product* is a supermartingale, whatever rule chooses between the two, and

.. math:: \{ (a, b) : \log M_k(a) + \log M_0(b) < \log (1/\alpha) \}

holds the two means at all times with probability at least :math:`1 - \alpha`. So does the region where

.. math:: \log \sum_j w_j M_k^{\rho_j}(a) M_0^{\rho_j}(b) < \log (1/\alpha),

the mixture over several ρ of the products with the same ρ (:mod:`thresher.martingales.mixture`). It is convex, because
the logarithm of a sum of exponentials of convex functions is. The interval is its image under :math:`a - c b - m`, that
of the lift its image under :math:`a/b - 1`. It is narrower than what :math:`\alpha/2` for each mean gives, because the
two errors seldom point in opposite directions at full length. Where a family has no such product (``bounded``, whose
limits come from two martingales, and unknown variance, whose martingale needs its own filtration; outcomes drawn
without replacement from a pool), it is :math:`\alpha/2` for each mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thresher.errors import InvalidInputError
from thresher.inference.intervals import Intervals, intervals
from thresher.problem import Question, Statistics
from thresher.types import Floats


def difference_intervals(question: Question, seen: Statistics, *, alpha: float = 0.05) -> Intervals:
    r"""Return an interval for :math:`\mu_k - c \mu_0 - m` of every judged arm, valid at all times.

    Parameters
    ----------
    question : Question
        With a control.
    seen : Statistics
        Of all arms, the control among them.
    alpha : float
        In (0, 1): the chance that the interval of an arm ever leaves its difference out is at most this.
    """
    _check(alpha)
    control = question.known_control
    joint = question.sampling.difference_limits(question, seen, alpha)
    if joint is not None:
        return Intervals(*joint)
    low, high, other_low, other_high = _each(question, seen, alpha)
    return Intervals(
        low - control.ratio * other_high - control.margin, high - control.ratio * other_low - control.margin
    )


def lift_intervals(question: Question, seen: Statistics, *, alpha: float = 0.05) -> Intervals:
    r"""Return an interval for the lift :math:`100 (\mu_k/\mu_0 - 1)` in per cent, valid at all times; NaN without one.

    The margin is not part of it. There is none as long as the control's mean may be 0 or negative; for 0/1 outcomes
    of independent draws only the upper limit is infinite then.

    Parameters
    ----------
    question, seen, alpha
        As for :func:`difference_intervals`.
    """
    _check(alpha)
    judged = question.judged
    joint = question.sampling.ratio_limits(question, seen, alpha)
    if joint is not None:
        return Intervals(*(100.0 * (end - 1.0) for end in joint))
    low, high, other_low, other_high = _each(question, seen, alpha)
    if not other_low > 0.0:
        return Intervals(np.full(judged.size, np.nan), np.full(judged.size, np.nan))
    ratios = (
        np.where(low >= 0.0, low / other_high, low / other_low),
        np.where(high >= 0.0, high / other_low, high / other_high),
    )
    return Intervals(*(100.0 * (ratio - 1.0) for ratio in ratios))


def _check(alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise InvalidInputError("alpha", alpha, rule="must be between 0 and 1 (exclusive)")


def _each(question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats, float, float]:
    """Return the limits of the judged arms and those of the control, at half of α each."""
    control = question.known_control
    found = intervals(replace(question, control=None), seen, alpha=0.5 * alpha)
    low, high = found.low[question.judged], found.high[question.judged]
    return low, high, float(found.low[control.arm]), float(found.high[control.arm])
