"""Climbing with boundary tables equals climbing by the formula alone, bit for bit."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.contracts.strategies import policies_for, problems, seeds
from thresher.jit import kernel
from thresher.policy import IndexPolicy, Ranking, find_policy
from thresher.problem import Problem
from thresher.research.engine import Arms, arms_of
from thresher.research.engine.boundary import place_of, slot_for
from thresher.research.engine.climb import climb
from thresher.research.engine.table import new_table, pull_below, start_run
from thresher.types import Floats


@kernel
def climbs(
    ranking: Ranking, arms: Arms, levels: Floats, most: int, seed: int, runs: int, by_table: bool
) -> tuple[Floats, int]:
    """Return counts, totals and indices of all arms at each level in turn, shape (runs, levels, 3, K).

    The second number is for how many numbers of pulls below 1,024 the first table has an interval in the end.
    """
    table = new_table(ranking, arms)
    found = np.empty((runs, levels.size, 3, arms.means.size))
    for run in range(runs):
        start_run(table, arms, seed, run)
        for i in range(levels.size):
            slot = slot_for(table.boundaries, levels[i]) if by_table else np.int64(-1)
            for k in range(arms.means.size):
                row = table.rows[k]
                if by_table:
                    bounds = table.boundaries.tables[place_of(table.boundaries.groups, slot, row["group"])]
                    index = climb(
                        table.kind, table.pool, bounds, row, table.indices[k], levels[i], np.int64(most)
                    ).reached
                else:
                    index = pull_below(table.kind, table.pool, row, table.indices[k], levels[i], np.int64(most)).reached
                table.indices[k] = index
                found[run, i, 0, k], found[run, i, 1, k], found[run, i, 2, k] = row["count"], row["total"], index
    filled = 0
    for n in range(1, min(table.boundaries.tables[0]["end"], 1024)):
        filled += not math.isnan(table.boundaries.tables[0]["middle"][n])
    return found, filled


def assert_twins(policy: IndexPolicy, problem: Problem, levels: list[float], *, most: int, seed: int) -> None:
    ranking, arms = policy.rank(problem), arms_of(problem)
    # Enough runs for the intervals to be computed, and then used.
    by_table, by_formula = (climbs(ranking, arms, np.array(levels), most, seed, 12, way)[0] for way in (True, False))
    np.testing.assert_array_equal(by_table, by_formula)


@given(data=st.data(), problem=problems(), seed=seeds, most=st.sampled_from([1, 7, 300, 3000]))
def test_with_and_without_tables_the_pulls_are_the_same(
    data: st.DataObject, problem: Problem, seed: int, most: int
) -> None:
    levels = sorted(data.draw(st.lists(st.floats(-2.0, 9.0), min_size=1, max_size=4)))
    assert_twins(data.draw(policies_for(problem)), problem, levels, most=most, seed=seed)


def test_they_are_where_bars_are_far_from_zero() -> None:
    # The running sum has lost ten digits of the sum about the bar.
    for bar in (1e6, 1e10):
        problem = Problem.gaussian(bar + np.array([0.0, 0.05, -0.3, 1.0]), bar)
        for name in ("apt", "lsa", "fwt", "fwt-sqrt", "stopping"):
            policy = find_policy(name)
            assert isinstance(policy, IndexPolicy)
            assert_twins(policy, problem, [1.0, 2.5, 6.0], most=3000, seed=4)


def test_they_are_where_an_index_meets_the_level_exactly() -> None:
    policy = find_policy("uniform")
    assert isinstance(policy, IndexPolicy)
    assert_twins(policy, Problem.gaussian([0.1, -0.4]), [5.0, 40.0, 900.0], most=3000, seed=1)


def test_tables_are_filled_where_arms_come_by() -> None:
    problem, policy = Problem.gaussian([0.05, -0.1, 0.3]), find_policy("stopping")
    assert isinstance(policy, IndexPolicy)
    ranking, arms, level = policy.rank(problem), arms_of(problem), np.array([7.0])
    assert climbs(ranking, arms, level, 10_000, 1, 1, True)[1] < 100
    assert climbs(ranking, arms, level, 10_000, 1, 60, True)[1] > 300
