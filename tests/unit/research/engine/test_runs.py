"""Many runs of the level sweep: chunks, sums over runs, many arms."""

import math

import numpy as np
import pytest

from thresher.policy import find_index_policy
from thresher.problem import Problem, named, ticks_of
from thresher.research.engine import Loss, RunCounts, arms_of
from thresher.research.engine.counted import after
from thresher.research.engine.runs import run_index_policy
from thresher.research.engine.schedule import Schedule


def runs_of(name: str, problem: Problem, *budgets: float, seed: int, first_run: int = 0, runs: int = 1) -> RunCounts:
    schedule = Schedule(np.array([ticks_of(b) for b in budgets], np.int64), False, math.inf, Loss().code)
    return run_index_policy(find_index_policy(name).rank(problem), arms_of(problem), schedule, seed, first_run, runs)


def test_runs_in_pieces_give_what_runs_in_one_go_give() -> None:
    problem = named("linear:K=5")
    whole, *pieces = (
        runs_of("lsa", problem, 20.0, 60.0, seed=7, first_run=first, runs=runs)
        for first, runs in ((10, 30), (10, 1), (11, 9), (20, 20))
    )
    for one, other in zip(whole, after(pieces), strict=True):
        np.testing.assert_array_equal(one, other)


def test_every_run_and_every_seed_is_another_one() -> None:
    problem = named("linear:K=5")
    pulls = [runs_of("lsa", problem, 60.0, seed=seed, first_run=run).pulls[0] for seed in (7, 8) for run in (0, 1)]
    assert len({tuple(each) for each in pulls}) == 4


def test_squared_pulls_are_summed_over_runs() -> None:
    problem = named("linear:K=4")
    each = [runs_of("lsa", problem, 50.0, seed=3, first_run=run).pulls[0] for run in range(6)]
    found = runs_of("lsa", problem, 50.0, seed=3, runs=6)
    np.testing.assert_array_equal(found.pulls[0], np.sum(each, axis=0))
    np.testing.assert_array_equal(found.pulls_squared[0], np.sum(np.square(each), axis=0))


def test_nothing_is_output_and_nothing_stops_before_the_budget() -> None:
    found = runs_of("lsa", named("linear:K=4"), 50.0, 70.0, seed=3, runs=6)
    assert found.outputs.shape == (6, 0)
    assert not found.stopped.any()
    assert found.spent.tolist() == [[ticks_of(50.0), ticks_of(70.0)]] * 6


@pytest.mark.nightly
def test_a_million_arms_fit() -> None:
    found = runs_of("lsa", named("linear:K=1000000"), 3e6, seed=1)
    assert found.pulls[0].sum() == 3_000_000
