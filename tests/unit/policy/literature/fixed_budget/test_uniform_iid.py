import math

import numpy as np

from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.engine.reference import play
from thresher.research.simulation.job import Job


def test_uniform_iid_draws_every_arm_of_every_pull_from_all_arms_alike() -> None:
    # Pulls of an arm are Binomial(T, 1/K): mean 40, variance 40 * 4/5. False alarm: each of the five means beyond five
    # standard errors with 6e-7; the variance of 4,000 runs is within 15 % of its own with far more than that.
    problem, budget, runs = Problem.gaussian(np.ones(5)), 200, 4000
    counted = Job(problem, find_policy("uniform-iid"), SimulationOptions((float(budget),)), seed=5).run(0, runs)
    means = counted.pulls[0] / runs
    variances = counted.pulls_squared[0] / runs - means**2
    expected, variance = budget / 5, budget / 5 * 4 / 5
    assert counted.pulls.sum() == budget * runs
    assert (np.abs(means - expected) < 5 * math.sqrt(variance / runs)).all()
    assert (np.abs(variances / variance - 1) < 0.15).all()
    # Round robin would have the same means and no variance at all.
    assert (variances > 0.5 * variance).all()


def test_an_arm_that_uniform_iid_never_pulled_counts_half() -> None:
    # One arm of two, T = 2 pulls: with probability 1/4 the easy arm is never pulled, else it is judged rightly.
    # False alarm: five standard errors of 20,000 runs, 6e-7.
    problem = Problem.gaussian([100.0, 0.0])  # the second arm is on its bar: nothing counts
    counted = Job(problem, find_policy("uniform-iid"), SimulationOptions((2.0,)), seed=1).run(0, 20_000)
    assert set(np.unique(counted.losses)) == {0.0, 0.5}
    share = (counted.losses > 0).mean()
    assert abs(share - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 20_000)


def test_it_looks_at_nothing() -> None:
    # Other outcomes, the same arms in the same order.
    orders = [
        play(find_policy("uniform-iid").bind(problem, Stop(50.0)), problem, budget=50.0, seed=3, run=1).order
        for problem in (Problem.gaussian([0.1, -0.4, 2.0]), Problem.bernoulli([0.9, 0.2, 0.5], thresholds=0.3))
    ]
    assert orders[0] == orders[1]
    assert set(orders[0]) == {0, 1, 2}


def test_arms_whose_samples_have_run_out_are_drawn_again() -> None:
    problem = Problem.replay({"a": [0, 1], "b": [1] * 30}, 0.5)
    for run in range(5):
        played = play(find_policy("uniform-iid").bind(problem, Stop(40.0)), problem, budget=40.0, seed=3, run=run)
        assert played.state.counts.tolist() == [2, 30]
        assert played.stopped
