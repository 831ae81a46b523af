import math

import numpy as np

from thresher.experiment.job import Asked, Job
from thresher.policy import STATIC, StaticPolicy, find_policy
from thresher.problem import Problem


def test_uniform_iid_is_there_and_looks_at_nothing() -> None:
    policy = STATIC["uniform-iid"]
    assert policy.allocate is None
    assert not policy.needs_truth
    assert policy.summary.endswith(".")


def test_uniform_iid_draws_every_arm_of_every_pull_from_all_arms_alike() -> None:
    # Pulls of an arm are Binomial(T, 1/K): mean 40, variance 40 * 4/5. False alarm: each of the five means beyond five
    # standard errors with 6e-7; the variance of 4,000 runs is within 15 % of its own with far more than that.
    problem, budget, runs = Problem.gaussian(np.ones(5)), 200, 4000
    counted = Job(problem, find_policy("uniform-iid"), Asked((float(budget),)), seed=5).run(0, runs)
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
    counted = Job(problem, find_policy("uniform-iid"), Asked((2.0,)), seed=1).run(0, 20_000)
    assert set(np.unique(counted.losses)) == {0.0, 0.5}
    share = (counted.losses > 0).mean()
    assert abs(share - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 20_000)


def test_a_fixed_allocation_is_pulled_as_it_says() -> None:
    policy = StaticPolicy(
        "mine",
        "Two thirds to the first arm.",
        "a test",
        allocate=lambda problem, budget: np.array([2, 1]) * int(budget // 3),
    )
    counted = Job(Problem.gaussian([0.1, 0.2]), policy, Asked((3.0, 30.0)), seed=0).run(0, 7)
    assert counted.pulls.tolist() == [[14, 7], [140, 70]]
    assert counted.spent.tolist() == [[3_000_000, 30_000_000]] * 7
