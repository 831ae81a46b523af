"""What verdicts cost, by hand."""

import numpy as np
import pytest

from thresher.engine import LOSSES, arms_of
from thresher.engine.judge import Judged, judge
from thresher.policy import IndexPolicy, find_policy
from thresher.problem import Problem


def judged(
    problem: Problem,
    counts: list[int],
    totals: list[float],
    *,
    loss: str = "costs",
    tolerance: float = 0.0,
    policy: str = "uniform",
) -> Judged:
    found = find_policy(policy)
    assert isinstance(found, IndexPolicy)
    means, seen = problem.means, np.array(totals, dtype=np.float64)
    return judge(found.rank(problem), arms_of(problem), means, np.array(counts), seen, LOSSES[loss], tolerance)


FOUR = Problem.gaussian([0.5, -0.5, 0.1, -2.0], sigma=[1.0, 1.0, 0.5, 2.0], costs=[1.0, 2.0, 4.0, 8.0])


def test_a_verdict_on_the_wrong_side_costs_its_arm() -> None:
    # Means 0.5, 0.1, -0.1, -1: the second and the third are on the wrong side.
    assert judged(FOUR, [2, 10, 10, 1], [1.0, 1.0, -1.0, -1.0]) == (6.0, 1.0)


def test_all_right_costs_nothing() -> None:
    assert judged(FOUR, [1, 1, 1, 1], [3.0, -1.0, 0.2, -1.0]) == (0.0, 0.0)


def test_a_mean_on_its_threshold_is_judged_below() -> None:
    assert judged(Problem.gaussian([1.0]), [1], [0.0]) == (1.0, 1.0)
    assert judged(Problem.gaussian([-1.0]), [1], [0.0]) == (0.0, 0.0)


def test_gaps_weigh_by_distance_and_ignore_costs() -> None:
    # |μ − θ| / √(2σ²) of arms 2 and 3: 0.5/√2 and 0.1/√(1/2).
    loss = judged(FOUR, [2, 10, 10, 1], [1.0, 1.0, -1.0, -1.0], loss="gaps").loss
    assert loss == pytest.approx(0.5 / np.sqrt(2.0) + 0.1 / np.sqrt(0.5))


def test_any_is_one_however_many_are_wrong() -> None:
    assert judged(FOUR, [2, 10, 10, 1], [1.0, 1.0, -1.0, -1.0], loss="any") == (1.0, 1.0)
    assert judged(FOUR, [1, 1, 1, 1], [3.0, -1.0, 0.2, -1.0], loss="any") == (0.0, 0.0)


def test_an_arm_on_its_bar_costs_nothing_either_way() -> None:
    problem = Problem.gaussian([0.3], thresholds=0.3)
    for total in (-1.0, 1.0):
        assert judged(problem, [1], [total]) == (0.0, 0.0)


def test_a_tolerance_forgives_arms_close_to_the_bar() -> None:
    # Locatelli's loss counts μ ≥ θ + ε and μ < θ − ε: with ε = ¼ the arm at +¼ counts, those at −¼ and +⅛ do not.
    problem = Problem.gaussian([0.25, -0.25, 0.125, -0.5])
    wrong = [-1.0, 1.0, -1.0, 1.0]
    assert judged(problem, [1] * 4, wrong, tolerance=0.25) == (2.0, 1.0)
    assert judged(problem, [1] * 4, wrong) == (4.0, 1.0)


def test_an_arm_without_a_sample_counts_half() -> None:
    assert judged(FOUR, [1, 1, 1, 0], [3.0, -1.0, 0.2, 0.0]) == (4.0, 0.5)
    assert judged(FOUR, [0, 1, 1, 0], [0.0, -1.0, 0.2, 0.0]) == (4.5, 0.75)
    assert judged(FOUR, [0, 1, 1, 0], [0.0, 1.0, 0.2, 0.0]) == (6.5, 1.0)


def test_a_toy_arm_that_showed_only_zeros_counts_half() -> None:
    toy = Problem.two_point([0.5, -0.5, 0.5])
    assert judged(toy, [3, 3, 3], [1.0, 0.0, 0.0], policy="apt") == (1.0, 0.75)


def test_a_prior_has_a_say_in_the_verdict() -> None:
    # One sample of −0.5 against n₀ = σ²/τ² = 4 pseudo-samples of 0.2: (−0.5 + 0.8)/5 > 0.
    problem = Problem.gaussian([0.3])
    assert judged(problem, [1], [-0.5]).loss == 1.0
    assert judged(problem, [1], [-0.5], policy="lsa:prior_mean=0.2,prior_sd=0.5").loss == 0.0


def test_a_pseudo_sample_at_the_bar_has_none() -> None:
    # kl evidence counts one pseudo-sample at θ = ½; ten of twenty is on the bar, and so below.
    problem = Problem.bernoulli([0.9])
    assert judged(problem, [20], [10.0], policy="stopping").loss == 1.0
    assert judged(problem, [20], [11.0], policy="stopping").loss == 0.0
