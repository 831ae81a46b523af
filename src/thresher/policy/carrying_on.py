"""Campaigns that are carried on in a simulation: arms are measured in the order of a goal and policy."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy import random

from thresher.jit import Whole, njit
from thresher.policy.control_rule import ControlledArms, rank_all, rank_changed
from thresher.policy.goals import decide_formula, evidence_by
from thresher.policy.ranking import Ranking, arm_index, rule_of
from thresher.problem.bars import Control
from thresher.types import Floats


class MeasuringOrder(NamedTuple):
    """The order in which arms are measured by their own outcomes alone.

    Attributes
    ----------
    ranking : Ranking
    goal : int
        0 for uniform sampling, 1 for the least index of the ranking, 2 for the arm that is nearest to a decision.
    level : ndarray of float64, shape (4,)
        Of :func:`thresher.policy.goals.decide.level_to_decide`.
    """

    ranking: Ranking
    goal: int
    level: Floats


class ControlledOrder(NamedTuple):
    """The order in which arms and their control are measured: the most valuable first.

    Attributes
    ----------
    ranking : Ranking
    control : Control
    pull_costs : ndarray of float64, shape (K,)
    """

    ranking: Ranking
    control: Control
    pull_costs: Floats


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
    random.seed(seed)
    keys, left = np.full(means.size, -1e300), more
    for k in range(keys.size):
        keys[k] = _own_key(order, sums, k, deviations[k], keys[k])
    while left > 0:
        k = int(np.argmin(keys))
        n = min(at_once, left)
        _measure(sums[:, k], n, means[k], deviations[k], order.ranking.thresholds[k], is_coin)
        left -= n
        keys[k] = _own_key(order, sums, k, deviations[k], keys[k])


@njit(cache=True)
def carry_on_with_control(
    order: ControlledOrder,
    means: Floats,
    deviations: Floats,
    sums: Floats,
    more: Whole,
    at_once: Whole,
    is_coin: bool,
    seed: Whole,
) -> None:
    """Add simulated outcomes of arms and their control, as :func:`carry_on` does.

    A function of its own: the formulas for a control take several times as long to compile as all others.
    """
    random.seed(seed)
    n_arms, none, left = means.size, np.zeros(means.size), more
    is_active = deviations < np.inf
    arms = ControlledArms(sums[0], sums[1], sums[2], none, none, order.pull_costs, is_active, 0.0, np.inf, 1.0)
    keys, terms = np.full(n_arms, -1e300), np.full(n_arms, -np.inf)
    rank_all(order.ranking, order.control, arms, keys, terms)
    while left > 0:
        k = int(np.argmin(keys))
        n = min(at_once, left)
        _measure(sums[:, k], n, means[k], deviations[k], order.ranking.thresholds[k], is_coin)
        left -= n
        rank_changed(order.ranking, order.control, arms, k, keys, terms)


@njit(cache=True)
def _measure(sums: Floats, n: Whole, mean: float, deviation: float, bar: float, is_coin: bool) -> None:
    """Add the count, total and squares about the bar of some outcomes of one arm."""
    if is_coin:
        rate = min(max(mean, 0.0), 1.0)
        ones = float(random.binomial(n, rate)) if n > 1 else (1.0 if random.random() < rate else 0.0)
        squares, total = ones * ((1.0 - bar) * (1.0 - bar)) + (n - ones) * (bar * bar), ones
    else:
        total = n * mean + deviation * math.sqrt(n) * random.normal()
        spread = deviation * deviation * random.chisquare(n - 1.0) if n > 1 else 0.0
        away = total / n - bar
        squares = spread + n * (away * away)
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
        return arm_index(rule, count, total, squares)
    evidence, seen, level = evidence_by(rule, count, total, squares), count + rule.pseudo_count, order.level
    return decide_formula(seen, evidence, level[0], level[1], level[2], level[3])
