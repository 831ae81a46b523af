"""Many runs: chunks, fixed allocations, random pulls."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from thresher.engine import (
    LOSSES,
    Counted,
    Question,
    arms_of,
    run_allocation,
    run_at_random,
    run_in_flight,
    run_index_policy,
    ticks_of,
)
from thresher.engine.draws import has_sample, outcome_at
from thresher.engine.judge import judge
from thresher.engine.reference import drawn_arms
from thresher.policy import IndexPolicy, Ranking, find_policy
from thresher.problem import Problem, named
from thresher.testing.strategies import problems, seeds


def ranking(name: str, problem: Problem) -> Ranking:
    found = find_policy(name)
    assert isinstance(found, IndexPolicy)
    return found.rank(problem)


def question(*budgets: float, loss: str = "costs") -> Question:
    return Question(np.array([ticks_of(b) for b in budgets], np.int64), False, LOSSES[loss], 0.0, math.inf)


def joined(parts: list[Counted]) -> Counted:
    """Return the results of several ranges of runs as one."""
    rows = [np.concatenate(field) for field in list(zip(*parts, strict=True))[:3]]
    sums = [np.sum(field, axis=0) for field in list(zip(*parts, strict=True))[3:]]
    return Counted(*rows, *sums)


@pytest.mark.parametrize("how", ["index", "in flight", "random", "fixed"])
def test_runs_in_pieces_give_what_runs_in_one_go_give(how: str) -> None:
    problem, asked = named("linear:K=5"), question(20.0, 60.0)
    ranked, arms = ranking("lsa", problem), arms_of(problem)

    def go(first: int, runs: int) -> Counted:
        if how == "index":
            return run_index_policy(ranked, arms, asked, 7, first, runs)
        if how == "in flight":
            return run_in_flight(ranked, arms, asked, 3, True, 7, first, runs)
        if how == "random":
            return run_at_random(ranked, arms, asked, 7, first, runs)
        return run_allocation(ranked, arms, asked, np.array([[4] * 5, [12] * 5]), 7, first, runs)

    whole, pieces = go(10, 30), joined([go(10, 1), go(11, 9), go(20, 20)])
    for one, other in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(one, other)


@settings(max_examples=40)
@given(data=st.data(), problem=problems(), seed=seeds)
def test_an_allocation_is_pulled_as_it_says(data: st.DataObject, problem: Problem, seed: int) -> None:
    counts = data.draw(st.lists(st.integers(0, 9), min_size=problem.n_arms, max_size=problem.n_arms))
    arms, ranked = arms_of(problem), ranking("uniform", problem)
    found = run_allocation(ranked, arms, question(1000.0), np.array([counts]), seed, 4, 1)
    means, pulls, totals = [], [], []
    for arm, count in zip(drawn_arms(arms, seed, 4), counts, strict=True):
        shown = [outcome_at(arm, arms.pool, place) for place in range(count) if has_sample(arm, place)]
        means.append(arm.mean)
        pulls.append(len(shown))
        totals.append(sum(shown, 0.0))
    assert found.pulls[0].tolist() == pulls
    assert found.spent[0, 0] == np.array(pulls) @ arms.ticks
    expected = judge(ranked, arms, np.array(means), np.array(pulls), np.array(totals), 0, 0.0)
    assert (found.losses[0, 0], found.any_mistakes[0, 0]) == expected


def test_an_allocation_may_shrink_as_the_budget_grows() -> None:
    problem = named("linear:K=2")
    found = run_allocation(
        ranking("uniform", problem), arms_of(problem), question(4.0, 5.0), np.array([[3, 1], [1, 4]]), 1, 0, 1
    )
    assert found.pulls.tolist() == [[3, 1], [1, 4]]


def test_random_pulls_are_spread_evenly() -> None:
    problem = named("linear:K=6")
    found = run_at_random(ranking("uniform", problem), arms_of(problem), question(60.0), 1, 0, 500)
    assert (found.spent == ticks_of(60.0)).all()
    assert stats.chisquare(found.pulls[0]).pvalue > 1e-6  # one false alarm in a million


def test_random_pulls_spend_what_their_costs_allow() -> None:
    problem = Problem.gaussian([1.0, -1.0], pull_costs=[1.0, 2.5])
    found = run_at_random(ranking("uniform", problem), arms_of(problem), question(20.0, 40.0), 1, 0, 50)
    # The run ends when the arm that is drawn cannot be paid: less than its cost is left.
    assert (found.spent <= [ticks_of(20.0), ticks_of(40.0)]).all()
    assert (found.spent > [ticks_of(17.5), ticks_of(37.5)]).all()
    assert (found.pulls @ arms_of(problem).ticks == found.spent.sum(axis=0)).all()


def test_random_pulls_end_when_every_pool_is_dry() -> None:
    problem = Problem.replay({"a": [0, 1, 1], "b": [1]}, 0.5)
    found = run_at_random(ranking("uniform", problem), arms_of(problem), question(100.0), 1, 0, 20)
    assert found.pulls.tolist() == [[60, 20]]


def test_a_run_at_random_is_the_same_beside_other_budgets() -> None:
    problem = named("linear:K=4")
    together = run_at_random(ranking("uniform", problem), arms_of(problem), question(10.0, 30.0), 3, 0, 25)
    for b, budget in enumerate((10.0, 30.0)):
        alone = run_at_random(ranking("uniform", problem), arms_of(problem), question(budget), 3, 0, 25)
        np.testing.assert_array_equal(alone.losses[:, 0], together.losses[:, b])
        np.testing.assert_array_equal(alone.pulls[0], together.pulls[b])


def test_squared_pulls_are_summed_over_runs() -> None:
    problem = named("linear:K=4")
    ranked, arms = ranking("lsa", problem), arms_of(problem)
    each = [run_index_policy(ranked, arms, question(50.0), 3, run, 1).pulls[0] for run in range(6)]
    found = run_index_policy(ranked, arms, question(50.0), 3, 0, 6)
    np.testing.assert_array_equal(found.pulls[0], np.sum(each, axis=0))
    np.testing.assert_array_equal(found.pulls_squared[0], np.sum(np.square(each), axis=0))


def test_a_million_arms_fit() -> None:
    problem = named("linear:K=1000000")
    found = run_index_policy(ranking("lsa", problem), arms_of(problem), question(3e6), 1, 0, 1)
    assert found.pulls[0].sum() == 3_000_000
