r"""A lower bound on the loss of every policy on pools of independent 0/1 items drawn without replacement.

Let arm `k` have :math:`M` ones among its :math:`N` items, or, on the other side of the bar, :math:`M'`. A policy that
knows both numbers and not which of them is true faces a stopping problem for each arm: after :math:`n` items with `s`
ones the odds are those of two hypergeometric likelihoods, and with the price :math:`c` of a pull

.. math:: V(n, s) = \min\{ a \min(\pi, 1 - \pi),\; c\,m + E[V(n + 1, s')] \}, \qquad V(N, \cdot) = 0.

Every policy that spends at most :math:`T` loses at least :math:`\max_c \sum_k V_k(0, 0) - c\,T` on average over the
sides. It is solved exactly, backwards over all :math:`(n, s)`.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import kernel
from thresher.problem import Problem
from thresher.types import Floats, Ints

MOST_ITEMS = 3000  # of one arm: above, the table of (n, s) takes seconds
STEPS = 40  # of the search for the best price, which narrows by 0.618 each
CHEAPEST = 1e-9  # price of a pull over the largest mistake cost, from which the search starts


def pool_limit_of(problem: Problem, budget: float) -> float | None:
    """Return what every policy loses on the pools of a problem; None unless they are recorded 0/1 outcomes.

    Where arms share their items no limit is known: each answer says something about the other arms.
    """
    pool = problem.pool
    if pool is None or pool.replacement or pool.items is not None or not problem.kind.is_coin:
        return None
    ones = np.rint(pool.means * pool.sizes).astype(np.int64)
    fixed = (np.array(problem.thresholds), np.array(problem.costs), np.array(problem.pull_costs))
    return pool_limit(ones, pool.sizes, *fixed, budget=budget)


def pool_limit(
    ones: Ints, sizes: Ints, thresholds: Floats, costs: Floats, pull_costs: Floats, *, budget: float
) -> float | None:
    """Return what every policy loses on average over the sides of the arms; None if a pool is too large.

    Parameters
    ----------
    ones, sizes : ndarray of int64, shape (K,)
        How many items of each arm are 1, and how many it has.
    thresholds, costs, pull_costs : ndarray of float64, shape (K,)
    budget : float
        Positive, in the unit of the pull costs.
    """
    if sizes.max() > MOST_ITEMS:
        return None
    others = np.array([opposite_ones(*arm) for arm in zip(ones.tolist(), sizes.tolist(), thresholds, strict=True)])
    arms = (ones, others, sizes, costs, pull_costs)

    def bound(log_price: float) -> float:
        return float(value_of_pools(*arms, math.exp(log_price)) - math.exp(log_price) * budget)

    most = float(costs.max() / pull_costs.min())
    low, high, golden = math.log(CHEAPEST * most), math.log(most), (math.sqrt(5.0) - 1.0) / 2.0
    inner, outer = high - golden * (high - low), low + golden * (high - low)
    at_inner, at_outer = bound(inner), bound(outer)
    for _ in range(STEPS):
        if at_inner >= at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - golden * (high - low)
            at_inner = bound(inner)
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + golden * (high - low)
            at_outer = bound(outer)
    return max(at_inner, at_outer, 0.0)


def opposite_ones(ones: int, size: int, threshold: float) -> int:
    """Return how many ones the mirror image of a pool beyond its bar has; `ones` where there is none.

    The whole number nearest to the mirrored mean that is strictly on the other side.
    """
    bar = size * threshold
    if ones == bar:
        return ones
    mirrored = min(max(round(2.0 * bar - ones), 0), size)
    other = min(mirrored, math.ceil(bar) - 1) if ones > bar else max(mirrored, math.floor(bar) + 1)
    return other if 0 <= other <= size else ones


@kernel
def value_of_pools(ones: Ints, others: Ints, sizes: Ints, costs: Floats, pull_costs: Floats, price: float) -> float:
    """Return the least cost of mistakes and priced pulls of all arms."""
    total = 0.0
    for k in range(ones.size):
        if ones[k] != others[k]:
            pull = price * pull_costs[k]
            total += value_of_pool(max(ones[k], others[k]), min(ones[k], others[k]), sizes[k], costs[k], pull)
    return total


@kernel
def value_of_pool(more: int, fewer: int, size: int, cost: float, pull: float) -> float:
    """Return the least cost of a mistake and of pulls for one arm, whose pool has one of two numbers of ones."""
    logs = np.zeros(size + 2)  # of factorials
    for i in range(1, size + 2):
        logs[i] = logs[i - 1] + math.log(i)
    values = np.zeros(size + 2)  # V(n + 1, s): nothing is left to learn at n = N
    for n in range(size - 1, -1, -1):
        left = size - n
        # In place: V(n, s) takes V(n + 1, s) and V(n + 1, s + 1).
        for s in range(max(0, n - (size - fewer)), min(n, more) + 1):
            # Where one of the two numbers is impossible, the other is certain.
            if s > fewer or n - s > size - more:
                values[s] = 0.0
                continue
            odds = (logs[more] - logs[more - s] + logs[size - more] - logs[size - more - n + s]) - (
                logs[fewer] - logs[fewer - s] + logs[size - fewer] - logs[size - fewer - n + s]
            )
            chance = 1.0 / (1.0 + math.exp(-odds))
            one = (chance * (more - s) + (1.0 - chance) * (fewer - s)) / left
            on = pull + one * values[s + 1] + (1.0 - one) * values[s]
            values[s] = min(cost * min(chance, 1.0 - chance), on)
    return float(values[0])
