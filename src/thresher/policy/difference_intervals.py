r"""Anytime-valid intervals beside a control: of the difference from the bar, and of the lift.

Let :math:`M_k(a)` and :math:`M_0(b)` be the test martingales of :mod:`thresher.policy.intervals` for a mean `a` of the
arm and `b` of the control. Each outcome multiplies one of them by a factor of conditional expectation at most 1 if
these are the means. So their *product* is a supermartingale, whatever rule chooses between the two, and

.. math:: \{ (a, b) : \log M_k(a) + \log M_0(b) < \log (1/\alpha) \}

holds the two means at all times with probability at least :math:`1 - \alpha`. The interval is its image under
:math:`a - c b - m`, that of the lift its image under :math:`a/b - 1`. It is narrower than what :math:`\alpha/2` for
each mean gives, because the two errors seldom point in opposite directions at full length. Where a family has no such
product (``bounded``, whose limits come from two martingales, and unknown variance, whose martingale needs its own
filtration; outcomes drawn without replacement from a pool), it is :math:`\alpha/2` for each mean.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thresher.errors import InvalidInputError
from thresher.jit import njit
from thresher.policy.differences import control_in, difference_means
from thresher.policy.intervals import (
    Intervals,
    bernoulli_crossing,
    bernoulli_refutation,
    intervals,
    pseudo_samples,
)
from thresher.policy.seen import Seen
from thresher.problem import Control, Question
from thresher.problem.family import BERNOULLI, GAUSSIAN
from thresher.types import Floats, Ints

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
SPLITS = 26  # steps of the search for the farthest point of a region
SEARCH = 38  # steps of the search for the rate that is refuted least: to 1e-8
NEAREST = 1e-12  # to an end of the range

RateSeen = tuple[float, float, float, float]  # see _rate_seen


def difference_intervals(question: Question, seen: Seen, *, alpha: float = 0.05) -> Intervals:
    r"""Return an interval for :math:`\mu_k - c \mu_0 - m` of every judged arm, valid at all times.

    Parameters
    ----------
    question : Question
        With a control.
    seen : Seen
        Of all arms, the control among them.
    alpha : float
        In (0, 1): the chance that the interval of an arm ever leaves its difference out is at most this.
    """
    _check(alpha)
    control, judged = control_in(question), question.judged
    if question.kind is GAUSSIAN and question.structure is None:
        means, radius = difference_means(question, seen), _gaussian_radius(question, seen, control, alpha)
        return Intervals(means - radius, means + radius)
    if question.kind is BERNOULLI and question.structure is None:
        counts, totals = seen.counts, seen.totals
        low, high = _rate_limits(
            counts, totals, judged, control.arm, control.ratio, alpha, pseudo_samples(alpha), False
        )
        return Intervals(low - control.margin, high - control.margin)
    low, high, other_low, other_high = _each(question, seen, alpha)
    return Intervals(
        low - control.ratio * other_high - control.margin, high - control.ratio * other_low - control.margin
    )


def lift_intervals(question: Question, seen: Seen, *, alpha: float = 0.05) -> Intervals:
    r"""Return an interval for the lift :math:`100 (\mu_k/\mu_0 - 1)` in per cent, valid at all times; NaN without one.

    The margin is not part of it. There is none as long as the control's mean may be 0 or negative; for 0/1 outcomes
    of independent draws only the upper limit is infinite then.

    Parameters
    ----------
    question, seen, alpha
        As for :func:`difference_intervals`.
    """
    _check(alpha)
    control, judged = control_in(question), question.judged
    if question.kind is GAUSSIAN and question.structure is None:
        return _fieller(question, seen, control, alpha)
    if question.kind is BERNOULLI and question.structure is None:
        low, high = _rate_limits(seen.counts, seen.totals, judged, control.arm, 1.0, alpha, pseudo_samples(alpha), True)
        return Intervals(100.0 * (low - 1.0), 100.0 * (high - 1.0))
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


def _each(question: Question, seen: Seen, alpha: float) -> tuple[Floats, Floats, float, float]:
    """Return the limits of the judged arms and those of the control, at half of α each."""
    control = control_in(question)
    found = intervals(replace(question, control=None), seen, alpha=0.5 * alpha)
    low, high = found.low[question.judged], found.high[question.judged]
    return low, high, float(found.low[control.arm]), float(found.high[control.arm])


def _gaussian_parts(question: Question, seen: Seen, control: Control, alpha: float) -> tuple[Floats, Floats, float]:
    r"""Return the level of the joint region, and what the variances of arms and control count in it.

    .. math:: \frac{S_k^2}{\sigma_k^2 (n_k + \rho)} + \frac{S_0^2}{\sigma_0^2 (n_0 + \rho)} \le
              R = 2 \log \frac1\alpha + \log \frac{(n_k + \rho)(n_0 + \rho)}{\rho^2}
    """
    rho, place = pseudo_samples(alpha), control.arm
    counted = np.maximum(seen.counts, 1.0)
    parts = question.sigma**2 * (counted + rho) / counted**2
    penalties = np.log((counted + rho) / rho)
    level = 2.0 * math.log(1.0 / alpha) + penalties[question.judged] + penalties[place]
    return level, parts[question.judged], float(parts[place])


def _gaussian_radius(question: Question, seen: Seen, control: Control, alpha: float) -> Floats:
    """Return half the width of the image of the joint region, an ellipse, under the difference."""
    level, arms, other = _gaussian_parts(question, seen, control, alpha)
    return np.asarray(np.sqrt(level * (arms + control.ratio**2 * other)))


def _fieller(question: Question, seen: Seen, control: Control, alpha: float) -> Intervals:
    r"""Return the image of the ellipse under the ratio: :math:`(\hat\mu_k - r \hat\mu_0)^2 \le R (w_k + r^2 w_0)`.

    Fieller's theorem, with the level of the joint region.
    """
    level, arms, other = _gaussian_parts(question, seen, control, alpha)
    means, base = seen.means[question.judged], float(seen.means[control.arm])
    slack = base**2 - level * other
    inner = (means * base) ** 2 - slack * (means**2 - level * arms)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(np.maximum(inner, 0.0))
        low, high = (means * base - root) / slack, (means * base + root) / slack
    is_known = (slack > 0.0) & (base > 0.0)
    return Intervals(*(np.where(is_known, 100.0 * (limit - 1.0), np.nan) for limit in (low, high)))


@njit(cache=True)
def _rate_limits(
    counts: Floats, totals: Floats, judged: Ints, place: int, ratio: float, alpha: float, rho: float, is_lift: bool
) -> tuple[Floats, Floats]:
    """Return the ends of the image of each joint region, under the difference or under the ratio."""
    low, high, bar = np.empty(judged.size), np.empty(judged.size), math.log(1.0 / alpha)
    other = _rate_seen(counts[place], totals[place], rho)
    for i, k in enumerate(judged):
        arm = _rate_seen(counts[k], totals[k], rho)
        low[i] = _farthest(arm, other, ratio, bar, rho, 0.0, is_lift)
        high[i] = _farthest(arm, other, ratio, bar, rho, 1.0, is_lift)
    return low, high


@njit(cache=True)
def _rate_seen(count: float, total: float, rho: float) -> RateSeen:
    """Return count, total, the rate that is refuted least (near the empirical rate) and its refutation."""
    if count == 0.0:
        return count, total, 0.5, 0.0
    low, high = 0.0, 1.0
    for _ in range(SEARCH):
        first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if _refutation_at(first, count, total, rho) < _refutation_at(second, count, total, rho):
            high = second
        else:
            low = first
    rate = 0.5 * (low + high)
    return count, total, rate, min(_refutation_at(rate, count, total, rho), 0.0)


@njit(cache=True)
def _refutation_at(rate: float, count: float, total: float, rho: float) -> float:
    return bernoulli_refutation(min(max(rate, NEAREST), 1.0 - NEAREST), count, total, rho)


@njit(cache=True)
def _farthest(arm: RateSeen, other: RateSeen, ratio: float, bar: float, rho: float, end: float, is_lift: bool) -> float:
    """Return the least (end 0) or the largest (end 1) difference or ratio in the joint region.

    On its border the refutations of the two rates add up to the bar. How they share it is found by golden sections: the
    region is convex, so along the border the difference has one peak, and so has the ratio.
    """
    low, high = arm[3], bar - other[3]
    best = _farther(
        _image(arm, other, ratio, bar, rho, end, is_lift, low),
        _image(arm, other, ratio, bar, rho, end, is_lift, high),
        end,
    )
    first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_first = _image(arm, other, ratio, bar, rho, end, is_lift, first)
    at_second = _image(arm, other, ratio, bar, rho, end, is_lift, second)
    for _ in range(SPLITS):
        if (at_first > at_second) == (end == 1.0):
            high, second, at_second = second, first, at_first
            first = high - GOLDEN * (high - low)
            at_first = _image(arm, other, ratio, bar, rho, end, is_lift, first)
        else:
            low, first, at_first = first, second, at_second
            second = low + GOLDEN * (high - low)
            at_second = _image(arm, other, ratio, bar, rho, end, is_lift, second)
    return _farther(best, _farther(at_first, at_second, end), end)


@njit(cache=True)
def _farther(one: float, two: float, end: float) -> float:
    return max(one, two) if end == 1.0 else min(one, two)


@njit(cache=True)
def _image(
    arm: RateSeen, other: RateSeen, ratio: float, bar: float, rho: float, end: float, is_lift: bool, share: float
) -> float:
    """Return the difference or the ratio at the point of the border where the arm has such a share of the bar."""
    rate, base = _limit(arm, share, rho, end), _limit(other, bar - share, rho, 1.0 - end)
    if not is_lift:
        return rate - ratio * base
    return rate / base if base > 0.0 else np.inf


@njit(cache=True)
def _limit(seen: RateSeen, level: float, rho: float, end: float) -> float:
    """Return the last rate towards an end that is refuted at most to a level; a hair farther near the least refuted."""
    count, total, rate, least = seen
    if count == 0.0:
        return end
    return bernoulli_crossing(count, total, rate, max(level, least + NEAREST), least, rho, end)
