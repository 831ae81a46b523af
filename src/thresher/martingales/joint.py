"""Two means together: the region that a mixture of products of test martingales does not refute.

The region is convex. The interval of a difference, or of a ratio, of the two means is its image.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import lgamma_of_c, njit, quickest
from thresher.martingales.beta_binomial import bernoulli_crossing, bernoulli_refutation, mixed_refutation
from thresher.martingales.golden import GOLDEN, least_between
from thresher.martingales.mixture import DIRECTIONS, Mixture, parts_of
from thresher.types import Floats, Ints

SPLITS = 24  # steps of the search for the farthest point of a region; a ratio has its largest value at a small rate
SEARCH, WITHIN = 10, 2.0  # steps and range, in standard errors, of the search for the rate that is refuted least
NEAREST = 1e-12  # to an end of the range
SEARCHING = 6.0  # milliseconds for each arm, interpreted

Told = tuple[float, float]  # outcomes and their sum
Pair = tuple[float, float]  # rates of an arm and of the control


def joint_radius(
    counts: Floats, deviations: Floats, others: Floats, base: tuple[float, float], alpha: float, mixture: Mixture
) -> Floats:
    r"""Return half the width of the interval of :math:`\mu_k - c_k \mu_0` for normal outcomes, shape (K,).

    The two errors :math:`(x, y)` are in the convex region where

    .. math:: \sum_j w_j \sqrt{\tfrac{\rho_j}{n_k + \rho_j} \tfrac{\rho_j}{n_0 + \rho_j}} \exp\Big(
              \tfrac{(n_k x/\sigma_k)^2}{2 (n_k + \rho_j)} + \tfrac{(n_0 y/\sigma_0)^2}{2 (n_0 + \rho_j)}\Big)
              < \tfrac1\alpha

    and the half width is the largest :math:`x + c y` there, over directions by golden sections.

    Parameters
    ----------
    counts, deviations : ndarray of float64, shape (K,)
        :math:`n_k > 0` and :math:`\sigma_k`.
    others : ndarray of float64, shape (K,)
        :math:`c_k \ge 0`.
    base : tuple of float
        :math:`n_0 > 0` and :math:`\sigma_0`.
    alpha : float
    mixture : Mixture
    """
    own, control = counts / deviations, base[0] / base[1]
    wide, penalties = parts_of(counts, mixture)
    base_wide, base_penalties = parts_of(np.array([base[0]]), mixture)
    lacking = penalties + base_penalties - mixture.logs[:, None] + math.log(1.0 / alpha)

    def reach(angles: Floats) -> Floats:
        across, along = np.cos(angles), np.sin(angles)
        slopes = 0.5 * (own * across) ** 2 / wide + 0.5 * (control * along) ** 2 / base_wide
        return np.asarray(np.sqrt(_root(slopes, lacking)) * (across + others * along))

    ends = np.zeros(counts.size), np.full(counts.size, 0.5 * math.pi)
    return -least_between(lambda angles: -reach(angles), *ends, steps=DIRECTIONS)


def _root(slopes: Floats, lacking: Floats) -> Floats:
    r"""Return where :math:`\log \sum_j e^{a_j s - l_j} = 0`, by Newton's method from above; shape (K,).

    The function is convex and increasing, so steps from above never pass the root.
    """
    found = (lacking / slopes).min(axis=0)
    for _ in range(30):
        parts = slopes * found - lacking
        value = np.logaddexp.reduce(parts, axis=0)
        step = value / (slopes * np.exp(parts - value)).sum(axis=0)
        found = found - step
        if (np.abs(step) <= 1e-13 * found).all():
            break
    return np.asarray(found)


def rate_limits(
    counts: Floats, totals: Floats, judged: Ints, place: int, ratio: float, alpha: float, rhos: Floats, logs: Floats,
    is_lift: bool,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the ends of the image of each joint region, under the difference or under the ratio."""
    find = quickest(_rate_limits, SEARCHING * judged.size, lgamma=lgamma_of_c())
    return find(counts, totals, judged, place, ratio, alpha, rhos, logs, is_lift)


@njit(cache=True)
def _rate_limits(
    counts: Floats, totals: Floats, judged: Ints, place: int, ratio: float, alpha: float, rhos: Floats, logs: Floats,
    is_lift: bool,
) -> tuple[Floats, Floats]:  # fmt: skip
    low, high, bar = np.empty(judged.size), np.empty(judged.size), math.log(1.0 / alpha)
    other = (counts[place], totals[place])
    for i, k in enumerate(judged):
        arm = (counts[k], totals[k])
        centre = (_least_refuted(arm, rhos, logs), _least_refuted(other, rhos, logs))
        first = _last_of_control(arm, other, centre, bar, rhos, logs, 0.0)
        last = _last_of_control(arm, other, centre, bar, rhos, logs, 1.0)
        low[i] = _farthest(arm, other, (first, centre, last), ratio, bar, rhos, logs, 0.0, is_lift)
        high[i] = _farthest(arm, other, (first, centre, last), ratio, bar, rhos, logs, 1.0, is_lift)
    return low, high


@njit(cache=True)
def _rate(angle: float) -> float:
    side = math.sin(0.5 * angle)  # times itself: a power has other last bits where it is interpreted
    return side * side


@njit(cache=True)
def _inside(rate: float) -> float:
    return min(max(rate, NEAREST), 1.0 - NEAREST)


@njit(cache=True)
def _weighted(told: Told, rate: float, rhos: Floats, logs: Floats) -> Floats:
    """Return the logarithms of the weights, each plus the refutation of a rate by that part of the mixture."""
    found = logs.copy()
    if told[0] > 0.0:
        for j in range(rhos.size):
            found[j] += bernoulli_refutation(_inside(rate), told[0], told[1], rhos[j])
    return found


@njit(cache=True)
def _refutation(told: Told, rate: float, rhos: Floats, logs: Floats) -> float:
    if told[0] == 0.0:
        largest, total_weight = logs.max(), 0.0
        for part in logs:  # not by NumPy: its exponentials have other last bits where they are interpreted
            total_weight += math.exp(part - largest)
        return float(math.log(total_weight) + largest)
    return mixed_refutation(_inside(rate), told[0], told[1], rhos, logs)


@njit(cache=True)
def _least_refuted(told: Told, rhos: Floats, logs: Floats) -> float:
    """Return about the rate that is refuted least, which is near the empirical rate."""
    if told[0] == 0.0:
        return 0.5
    middle, error = 2.0 * math.asin(math.sqrt(min(max(told[1] / told[0], 0.0), 1.0))), WITHIN / math.sqrt(told[0])
    low, high = max(middle - error, 0.0), min(middle + error, math.pi)  # angles
    first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_first = _refutation(told, _rate(first), rhos, logs)
    at_second = _refutation(told, _rate(second), rhos, logs)
    for _ in range(SEARCH):
        if at_first < at_second:
            high, second, at_second = second, first, at_first
            first = high - GOLDEN * (high - low)
            at_first = _refutation(told, _rate(first), rhos, logs)
        else:
            low, first, at_first = first, second, at_second
            second = low + GOLDEN * (high - low)
            at_second = _refutation(told, _rate(second), rhos, logs)
    return _rate(0.5 * (low + high))


@njit(cache=True)
def _last_of_control(arm: Told, other: Told, centre: Pair, bar: float, rhos: Floats, logs: Floats, end: float) -> Pair:
    """Return the pair of the joint region whose control is nearest to an end, up to the precision of a start."""
    rate, base = centre
    for _ in range(2):
        base = _limit(other, centre[1], bar, rhos, _weighted(arm, rate, rhos, logs), end)
        rate = _least_refuted(arm, rhos, _weighted(other, base, rhos, logs))
    base = _limit(other, centre[1], bar, rhos, _weighted(arm, rate, rhos, logs), end)
    return rate, base


@njit(cache=True)
def _farthest(
    arm: Told, other: Told, corners: tuple[Pair, Pair, Pair], ratio: float, bar: float, rhos: Floats, logs: Floats,
    end: float, is_lift: bool,
) -> float:  # fmt: skip
    """Return the least (end 0) or the largest (end 1) difference or ratio in the joint region.

    Along its border the difference has one peak, because the region is convex, and so has the ratio: which rate of the
    control it belongs to is found by golden sections of the angle.
    """
    low, high = 2.0 * math.asin(math.sqrt(corners[0][1])), 2.0 * math.asin(math.sqrt(corners[2][1]))
    best = _farther(
        _image(arm, other, corners, ratio, bar, rhos, logs, end, is_lift, low),
        _image(arm, other, corners, ratio, bar, rhos, logs, end, is_lift, high),
        end,
    )
    first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_first = _image(arm, other, corners, ratio, bar, rhos, logs, end, is_lift, first)
    at_second = _image(arm, other, corners, ratio, bar, rhos, logs, end, is_lift, second)
    for _ in range(SPLITS):
        if (at_first > at_second) == (end == 1.0):
            high, second, at_second = second, first, at_first
            first = high - GOLDEN * (high - low)
            at_first = _image(arm, other, corners, ratio, bar, rhos, logs, end, is_lift, first)
        else:
            low, first, at_first = first, second, at_second
            second = low + GOLDEN * (high - low)
            at_second = _image(arm, other, corners, ratio, bar, rhos, logs, end, is_lift, second)
    return _farther(best, _farther(at_first, at_second, end), end)


@njit(cache=True)
def _farther(one: float, two: float, end: float) -> float:
    return max(one, two) if end == 1.0 else min(one, two)


@njit(cache=True)
def _image(
    arm: Told, other: Told, corners: tuple[Pair, Pair, Pair], ratio: float, bar: float, rhos: Floats, logs: Floats,
    end: float, is_lift: bool, angle: float,
) -> float:  # fmt: skip
    """Return the difference or the ratio at the border, where the control has the rate of an angle.

    The search for the arm's rate starts on a line between two pairs of the region, which is in it: the region is
    convex.
    """
    base = _rate(angle)
    near, far = corners[1], corners[0] if base < corners[1][1] else corners[2]
    share = (base - near[1]) / (far[1] - near[1]) if far[1] != near[1] else 0.0
    start = near[0] + min(max(share, 0.0), 1.0) * (far[0] - near[0])
    rate = _limit(arm, start, bar, rhos, _weighted(other, base, rhos, logs), end)
    if not is_lift:
        return rate - ratio * base
    return rate / base if base > 0.0 else np.inf


@njit(cache=True)
def _limit(told: Told, start: float, level: float, rhos: Floats, logs: Floats, end: float) -> float:
    """Return the last rate towards an end that is refuted at most to a level; the start if it is refuted itself."""
    if told[0] == 0.0:
        return end
    floor = _refutation(told, start, rhos, logs)
    if floor >= level:
        return start
    return bernoulli_crossing(told[0], told[1], start, level, floor, rhos, logs, end)
