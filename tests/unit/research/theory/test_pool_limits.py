"""The limit of pools against a direct recursion, and against what policies make of them."""

from functools import cache
from math import comb

import numpy as np
import pytest

import thresher as th
from thresher.problem import Problem
from thresher.research.theory.overview import theory_of
from thresher.research.theory.pool_limits import MOST_ITEMS, opposite_ones, pool_limit, value_of_pool


def direct(one: int, other: int, size: int, cost: float, pull: float) -> float:
    """Return the value by the definition, with hypergeometric probabilities."""

    @cache
    def value(n: int, s: int) -> float:
        first, second = (comb(m, s) * comb(size - m, n - s) / comb(size, n) for m in (one, other))
        if first == 0.0 or second == 0.0:
            return 0.0
        chance = first / (first + second)
        rate = (chance * (one - s) + (1.0 - chance) * (other - s)) / (size - n)
        on = pull + rate * value(n + 1, s + 1) + (1.0 - rate) * value(n + 1, s)
        return min(cost * min(chance, 1.0 - chance), on)

    return value(0, 0)


@pytest.mark.parametrize(
    ("more", "fewer", "size", "pull"),
    [(7, 5, 12, 0.01), (9, 3, 12, 0.02), (8, 5, 12, 1e-3), (12, 0, 12, 0.01), (6, 5, 11, 3e-3), (1, 0, 1, 0.1)],
)
def test_the_value_is_that_of_the_definition(more: int, fewer: int, size: int, pull: float) -> None:
    for cost in (1.0, 2.5):
        assert value_of_pool(more, fewer, size, cost, pull) == pytest.approx(direct(more, fewer, size, cost, pull))


def test_one_item_decides_a_pool_of_one() -> None:
    # One pull costs 0.1 and leaves no doubt; guessing costs one half.
    assert value_of_pool(1, 0, 1, 1.0, 0.1) == pytest.approx(0.1)
    assert value_of_pool(1, 0, 1, 1.0, 0.7) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("ones", "size", "bar", "other"),
    [(7, 10, 0.5, 3), (5, 10, 0.5, 5), (3, 11, 0.5, 8), (9, 10, 0.9, 9), (10, 10, 0.9, 8), (0, 10, 0.9, 10)],
)
def test_the_mirror_image_is_strictly_beyond_the_bar(ones: int, size: int, bar: float, other: int) -> None:
    assert opposite_ones(ones, size, bar) == other


def test_no_policy_passes_the_limit() -> None:
    # Pools and their mirror images stand side by side, so that the average over sides is over these arms.
    ones = [30, 28, 26, 25, 24, 23]
    samples = {f"{m} {side}": [1.0] * m + [0.0] * (44 - m) for m in ones for side in "ab"}
    samples |= {f"{44 - m} {side}": [1.0] * (44 - m) + [0.0] * m for m in ones for side in "ab"}
    problem, budgets = Problem.replay(samples, 0.5), [48.0, 240.0, 600.0]
    result = th.simulate(problem, ["stopping", "lsa", "uniform"], budgets=budgets, runs=200, seed=1)
    limits = [row.adaptive_limit for row in theory_of(problem, budgets=budgets)]
    for row in result.rows():
        limit = limits[budgets.index(row.budget)]
        assert limit is not None
        # Four standard errors: chance of a false alarm below 1e-4 for each.
        assert row.mean > limit - 4.0 * row.stderr
    assert limits[0] is not None
    assert next(row.mean for row in result.rows() if row.policy == "stopping") < 1.5 * limits[0]


def test_a_budget_for_everything_leaves_nothing_and_a_large_pool_has_no_limit() -> None:
    one = np.ones(1)
    assert pool_limit(np.array([7]), np.array([10]), 0.5 * one, one, one, budget=10.0) == pytest.approx(0.0, abs=1e-6)
    size = np.array([MOST_ITEMS + 1])
    assert pool_limit(np.array([7]), size, 0.5 * one, one, one, budget=10.0) is None


def test_arms_that_share_items_have_no_limit() -> None:
    (row,) = theory_of(Problem.crossed([[1, 0, 1], [1, 1, 0]], 0.5), budgets=[4.0])
    assert row.adaptive_limit is None
    assert row.lower_bound is None
    assert set(row.upper_bounds.values()) == {None}
