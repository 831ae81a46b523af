"""An index policy bound to a problem: all that is needed to rank arms and to judge them, in arrays.

The simulator's kernels, the reference loop and a live campaign rank by :func:`arm_index`, so that what is simulated
is what runs.
"""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

from thresher.inference import TWO_POINT, effective, effective_in_flight, evidence_in_flight, evidence_of
from thresher.jit import njit
from thresher.policy.index import index_of
from thresher.problem.sampling import certain_side
from thresher.types import Floats, Ints

LARGEST = sys.float_info.max  # stands for an infinite index: −∞ is kept for arms to be opened, +∞ for closed ones


class Ranking(NamedTuple):
    r"""How each arm is ranked and judged; every array has shape (K,).

    Attributes
    ----------
    codes, parameters : ndarray
        Which formula each arm has, and its parameter.
    user : compiled function
        The formula behind ``USER_CODE``.
    evidence : int
        Code of the kind of evidence, common to all arms.
    thresholds, precisions : ndarray of float64
        :math:`\theta_k` and :math:`1/(2\sigma_k^2)`.
    costs : ndarray of float64
        :math:`a_k / m_k`: what a mistake costs over what a pull costs.
    pseudo_counts, pseudo_totals : ndarray of float64
        A prior, as samples that were never drawn: how many, and their sum.
    sizes : ndarray of float64
        How many items the pool of each arm has; infinite where draws count as independent.
    low, high : float
        The range of outcomes.
    """

    codes: Ints
    parameters: Floats
    user: Any
    evidence: int
    thresholds: Floats
    precisions: Floats
    costs: Floats
    pseudo_counts: Floats
    pseudo_totals: Floats
    sizes: Floats
    low: float
    high: float


class ArmRule(NamedTuple):
    """How one arm is ranked and judged: the scalars of :class:`Ranking`, which compiled loops keep in registers."""

    code: int
    parameter: float
    user: Any
    evidence: int
    threshold: float
    precision: float
    cost: float
    pseudo_count: float
    pseudo_total: float
    size: float = math.inf
    low: float = -math.inf
    high: float = math.inf


@njit(cache=True, inline="always")
def rule_of(ranking: Ranking, arm: int) -> ArmRule:
    """Return how one arm is ranked and judged."""
    return ArmRule(
        ranking.codes[arm],
        ranking.parameters[arm],
        ranking.user,
        ranking.evidence,
        ranking.thresholds[arm],
        ranking.precisions[arm],
        ranking.costs[arm],
        ranking.pseudo_counts[arm],
        ranking.pseudo_totals[arm],
        ranking.sizes[arm],
        ranking.low,
        ranking.high,
    )


@njit(cache=True, inline="always")
def _evidence(rule: ArmRule, seen: float, total: float, squares: float) -> float:
    return evidence_of(rule.evidence, seen, total + rule.pseudo_total, squares, rule.threshold, rule.precision)


@njit(cache=True, inline="always")
def arm_index(rule: ArmRule, count: float, total: float, squares: float) -> float:
    r"""Return the index of one arm from its statistics; the least is pulled next.

    Infinite for an arm whose pool is known well enough to be certain of its side.

    Parameters
    ----------
    rule : ArmRule
    count : float
        Pulls told, at least one.
    total, squares : float
        :math:`\sum_i X_i` and :math:`\sum_i (X_i - \theta)^2`.
    """
    seen = count + rule.pseudo_count
    evidence, cost = _evidence(rule, seen, total, squares), rule.cost
    if rule.size < math.inf:
        if is_certain(rule, count, total):
            return math.inf
        known = effective(count, seen, evidence, rule.size, 1.0)
        seen, evidence, cost = known.samples, known.evidence, cost * known.gain
    return index_of(rule.code, rule.user, seen, evidence, cost, rule.parameter)


@njit(cache=True, inline="always")
def is_certain(rule: ArmRule, count: float, total: float) -> bool:
    """Return whether the items that were not drawn yet cannot change the side of an arm."""
    return certain_side(count, total, rule.threshold, rule.size, rule.low, rule.high) != 0


@njit(cache=True)
def index_in_flight(rule: ArmRule, count: float, total: float, squares: float, outstanding: float) -> float:
    """Return the index of one arm that also has pulls outstanding.

    An arm with pulls told is ranked by all its pulls and its expected evidence; arms asked but never told rank after
    arms never asked, fewest outstanding first.
    """
    if count == 0.0:
        return -math.inf if outstanding == 0.0 else -1e300 + outstanding * 1e290
    if outstanding == 0.0:
        return max(arm_index(rule, count, total, squares), -LARGEST)
    if is_certain(rule, count, total):
        return math.inf
    if rule.size < math.inf:
        return structured_index(rule, count, total, squares, outstanding, 1.0)
    seen = count + rule.pseudo_count
    expected = evidence_in_flight(_evidence(rule, seen, total, squares), seen, outstanding)
    value = index_of(rule.code, rule.user, seen + outstanding, expected, rule.cost, rule.parameter)
    return max(value, -LARGEST)


@njit(cache=True)
def structured_index(
    rule: ArmRule, count: float, total: float, squares: float, outstanding: float, share: float
) -> float:
    """Return the index of one arm with a finite pool, after the first and before the last of its items.

    Parameters
    ----------
    rule : ArmRule
    count, total, squares : float
        Pulls told, their sum (adjusted for their items, or not), and their squares about the bar.
    outstanding : float
        Pulls outstanding; not all that are left.
    share : float
        Of the variance of outcomes, what their items leave unexplained.
    """
    seen = count + rule.pseudo_count
    evidence = _evidence(rule, seen, total, squares)
    known = effective_in_flight(count, seen, evidence, outstanding, rule.size, share)
    value = index_of(rule.code, rule.user, known.samples, known.evidence, rule.cost * known.gain, rule.parameter)
    return max(value, -LARGEST)


@njit(cache=True, inline="always")
def judged_mean(rule: ArmRule, count: float, total: float) -> float:
    """Return the mean by which an arm is judged, with its prior; NaN for an arm that shows nothing."""
    if count == 0.0 or (rule.evidence == TWO_POINT and total == 0.0):
        return math.nan
    if rule.pseudo_total == rule.pseudo_count * rule.threshold:
        return total / count  # pseudo-samples at the bar cannot change a side, only blur a tie
    return (total + rule.pseudo_total) / (count + rule.pseudo_count)


@njit(cache=True)
def verdict_of(rule: ArmRule, count: float, total: float) -> int:
    """Return 1 for above, -1 for below, 0 for an arm without information (no sample, or a toy arm with only zeros)."""
    mean = judged_mean(rule, count, total)
    return 0 if math.isnan(mean) else (1 if mean > rule.threshold else -1)


def price(index: float, *, count: float, cost: float, p_wrong: float) -> float:
    r"""Return the price at which one more sample of the arm breaks even, in the unit of the mistake cost.

    .. math:: \min\Bigl(e^{-F}, \; a \, P(\text{wrong}), \; \frac a\pi \arctan \frac{1}{\sqrt n}\Bigr)

    The index of an arm at its bar is −∞, worth any price to the flat prior. What is shown is never more than the loss
    that is there to be saved, nor more than one sample can save: of an arm exactly at its bar, whose mean is
    :math:`N(\theta, \sigma^2/n)` to the flat prior, `m` more samples lower the chance of error from ½ to
    :math:`\frac1\pi \arctan \sqrt{n/m}`. No arm gains more, and none more for each sample than with :math:`m = 1`. When
    a unit of the budget costs more than the highest price of an arm, it is time to stop.

    Parameters
    ----------
    index : float
        :math:`F`, a stopping index, possibly infinite.
    count : float
        :math:`n \ge 0`, outcomes of the arm.
    cost : float
        :math:`a > 0`, the mistake cost that went into the index.
    p_wrong : float
        In [0, 1]: how likely the verdict on the arm is wrong.
    """
    at_stake = cost * min(p_wrong, math.atan2(1.0, math.sqrt(count)) / math.pi)
    # In logarithms: exp(-F) overflows close to the bar.
    if at_stake == 0.0 or -index >= math.log(at_stake):
        return at_stake
    return math.exp(-index)
