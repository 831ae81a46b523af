"""The state of a run at the end of a budget, and at the peak, bit for bit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.contracts.strategies import bernoulli_problems, budgets_for, policies_for, problems, seeds
from tests.support.plays import played
from thresher.jit import kernel
from thresher.policy import IndexPolicy, Ranking, find_index_policy
from thresher.problem import Problem, named, ticks_of
from thresher.research.engine import Arms, arms_of
from thresher.research.engine.options import one_pass
from thresher.research.engine.settle import peak_of, spend_rest
from thresher.research.engine.sweep import spend
from thresher.research.engine.table import new_table, open_every_arm, see, start_run
from thresher.types import Floats, Ints


@kernel
def states(ranking: Ranking, arms: Arms, budgets: Ints, seed: int, run: int) -> Floats:
    """Return counts and totals, at the end and at the peak of each budget, shape (B, 4, K)."""
    table = new_table(ranking, arms)
    start_run(table, arms, seed, run)
    left = -open_every_arm(table, arms.first_pulls)
    found = np.empty((budgets.size, 4, arms.means.size))
    for b in range(budgets.size):
        left = spend(table, left + budgets[b] - (budgets[b - 1] if b > 0 else 0), math.inf)
        seen, peak = see(table), peak_of(table)
        if peak.arm >= 0:
            seen.counts[peak.arm], seen.totals[peak.arm] = peak.pulls, peak.total
        left = spend_rest(table, left, math.inf, seen, peak.highest)
        found[b, 2], found[b, 3] = seen.counts, seen.totals
        for k in range(arms.means.size):
            found[b, 0, k], found[b, 1, k] = table.rows[k]["count"], table.rows[k]["total"]
    return found


def assert_twins(policy: IndexPolicy, problem: Problem, budgets: list[float], seed: int, run: int) -> None:
    found = list[Floats]()
    for part in one_pass(problem, budgets):
        ticks = np.array([ticks_of(budget) for budget in part], np.int64)
        found += list(states(policy.rank(problem), arms_of(problem), ticks, seed, run))
    for budget, state in zip(budgets, found, strict=True):
        final, peak = (
            played(policy, problem, budget=budget, at_peak=at_peak, seed=seed, run=run).state
            for at_peak in (False, True)
        )
        expected = [final.counts, final.totals, peak.counts, peak.totals]
        np.testing.assert_array_equal(state, np.array(expected, dtype=np.float64))


@given(data=st.data(), problem=problems(), seed=seeds, run=st.integers(0, 1000))
def test_counts_and_totals_are_those_of_the_readable_loop(
    data: st.DataObject, problem: Problem, seed: int, run: int
) -> None:
    assert_twins(data.draw(policies_for(problem)), problem, data.draw(budgets_for(problem)), seed, run)


@given(data=st.data(), problem=bernoulli_problems(), seed=seeds)
def test_they_are_where_many_arms_are_equal(data: st.DataObject, problem: Problem, seed: int) -> None:
    budgets = data.draw(budgets_for(problem, most_pulls=150.0))
    assert_twins(data.draw(policies_for(problem)), problem, budgets, seed, 0)


def test_the_peak_of_one_arm_alone_is_looked_for_in_the_whole_run() -> None:
    policy, problem = find_index_policy("apt"), Problem.gaussian([0.05])
    for run in range(5):
        assert_twins(policy, problem, [1.0, 40.0, 300.0, 301.0], 2, run)


@pytest.mark.parametrize("run", [0, *(pytest.param(run, marks=pytest.mark.nightly) for run in (1, 2))])
def test_a_lead_that_a_budget_interrupts_goes_on_after_it(run: int) -> None:
    # Every pull ends a budget, so that every lead is interrupted everywhere.
    policy, problem = find_index_policy("lsa"), named("linear:K=3")
    assert_twins(policy, problem, [float(budget) for budget in range(3, 120)], 8, run)
