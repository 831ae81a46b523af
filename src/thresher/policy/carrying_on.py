"""Campaigns that are carried on in a simulation: arms are measured in the order of a goal and policy."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.jit import Whole, njit
from thresher.policy.control_rule import ControlledArms, rank_all, rank_changed
from thresher.policy.goals.decide import decide_formula
from thresher.policy.goals.more_than import evidence_by
from thresher.policy.ranking import Ranking, rule_of, urgency_of
from thresher.problem import Control
from thresher.types import Floats


class MeasuringOrder(NamedTuple):
    """The order in which arms are measured.

    Attributes
    ----------
    ranking : Ranking
    control : Control
        :data:`thresher.problem.bars.control.NO_CONTROL` if arms are measured by their own outcomes alone.
    pull_costs : ndarray of float64, shape (K,)
    goal : int
        0 for uniform sampling, 1 for the least urgency of the ranking, 2 for the arm that is nearest to a decision. Not
        used with a control: what is worth most is measured.
    level : ndarray of float64, shape (4,)
        Of :func:`thresher.policy.goals.decide.level_to_decide`.
    """

    ranking: Ranking
    control: Control
    pull_costs: Floats
    goal: int
    level: Floats


@njit(cache=True)
def carry_on(
    order: MeasuringOrder,
    means: Floats,
    deviations: Floats,
    sums: Floats,
    more: Whole,
    at_once: Whole,
    is_coin: bool,
    seed: Whole,
) -> None:
    """Add simulated outcomes to counts, totals and squares, the rows of `sums`.

    Parameters
    ----------
    order : MeasuringOrder
    means, deviations : ndarray of float64, shape (K,)
        Of the outcomes, which are normal, or 0 and 1 if `is_coin`. An arm of infinite deviation is not measured.
    sums : ndarray of float64, shape (3, K)
        Changed.
    more : int
        How many outcomes.
    at_once : int
        How often the arm that is next is measured before another one is chosen.
    is_coin : bool
    seed : int
    """
    np.random.seed(seed)
    n_arms, none = means.size, np.zeros(means.size)
    is_active = deviations < np.inf
    arms = ControlledArms(sums[0], sums[1], sums[2], none, none, order.pull_costs, is_active, 0.0, np.inf, 1.0)
    keys, terms = np.full(n_arms, -1e300), np.full(n_arms, -np.inf)
    if order.control.arm >= 0:
        rank_all(order.ranking, order.control, arms, keys, terms)
    else:
        for k in range(n_arms):
            keys[k] = _own_key(order, sums, k, deviations[k], keys[k])
    left = more
    while left > 0:
        k = int(np.argmin(keys))
        n = min(at_once, left)
        _measure(sums[:, k], n, means[k], deviations[k], order.ranking.thresholds[k], is_coin)
        left -= n
        if order.control.arm >= 0:
            rank_changed(order.ranking, order.control, arms, k, keys, terms)
        else:
            keys[k] = _own_key(order, sums, k, deviations[k], keys[k])


@njit(cache=True)
def _measure(sums: Floats, n: Whole, mean: float, deviation: float, bar: float, is_coin: bool) -> None:
    """Add the count, total and squares about the bar of some outcomes of one arm."""
    if is_coin:
        rate = min(max(mean, 0.0), 1.0)
        ones = float(np.random.binomial(n, rate)) if n > 1 else (1.0 if np.random.random() < rate else 0.0)
        squares, total = ones * (1.0 - bar) ** 2 + (n - ones) * bar**2, ones
    else:
        total = n * mean + deviation * math.sqrt(n) * np.random.normal()
        spread = deviation**2 * np.random.chisquare(n - 1.0) if n > 1 else 0.0
        squares = spread + n * (total / n - bar) ** 2
    sums[0] += n
    sums[1] += total
    sums[2] += squares


@njit(cache=True)
def _own_key(order: MeasuringOrder, sums: Floats, k: int, deviation: float, before: float) -> float:
    """Return the key of an arm with a fixed bar by its own outcomes; the one that it had without any."""
    count, total, squares, rule = sums[0, k], sums[1, k], sums[2, k], rule_of(order.ranking, k)
    if deviation == np.inf:
        return np.inf
    if count == 0.0:
        return before
    if order.goal == 0:
        return float(count)
    if order.goal == 1:
        return urgency_of(rule, count, total, squares)
    evidence, seen, level = evidence_by(rule, count, total, squares), count + rule.pseudo_count, order.level
    return decide_formula(seen, evidence, level[0], level[1], level[2], level[3])
