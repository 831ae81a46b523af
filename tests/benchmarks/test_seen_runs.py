import numpy as np
import pytest

from benchmarks.seen_runs import outcomes_of, see_runs
from tests.support.plays import played
from thresher.policy import find_index_policy
from thresher.problem import Problem, named, ticks_of
from thresher.research.engine import arms_of
from thresher.research.engine.reference import drawn_arms

BUDGETS = [30, 75]


@pytest.mark.nightly("problem1")
@pytest.mark.parametrize(
    "problem", [named("locatelli-1"), named("gaussian-population:K=12"), Problem.bounded([0.4, 0.8])]
)
def test_at_every_budget_it_has_seen_what_the_readable_engine_has(problem: Problem) -> None:
    policy = find_index_policy("stopping")
    arms, ticks = arms_of(problem), np.array([ticks_of(budget) for budget in BUDGETS])
    seen = see_runs(policy.rank(problem), arms, ticks, 3, 5, 2)
    for i, run in enumerate((5, 6)):
        drawn = drawn_arms(arms, 3, run)
        np.testing.assert_equal(seen.means[i], [arm.mean for arm in drawn])
        for b, budget in enumerate(BUDGETS):
            slow = played(policy, problem, budget=budget, seed=3, run=run).state
            np.testing.assert_equal(seen.counts[i, b], slow.counts)
            np.testing.assert_equal(seen.totals[i, b], slow.totals)
            for k in range(problem.n_arms):
                assert seen.squares[i, b, k] == slow.squares[k]
                own = outcomes_of(arms, k, seen.means[i, k], int(slow.counts[k]), 3, run)
                assert own.sum() == pytest.approx(slow.totals[k])
                assert ((own - problem.thresholds[k]) ** 2).sum() == pytest.approx(seen.squares[i, b, k])
