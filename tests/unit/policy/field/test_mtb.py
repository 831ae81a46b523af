import math

import numpy as np
import pytest

from thresher.engine.field_reference import play
from thresher.errors import InvalidProblemError
from thresher.experiment.job import Asked, Job
from thresher.policy import find_policy
from thresher.policy.field.mtb import mtb_steps
from thresher.problem import Problem
from thresher.testing.choices import field_policy


def certain(means: list[float]) -> Problem:
    """Return a problem whose outcomes are all but certain."""
    return Problem.gaussian(means, 0.0, 1e-9)


def test_the_steps_by_hand() -> None:
    assert mtb_steps(10) == math.ceil(6 * 2.302585)
    assert mtb_steps(1) == 1


def test_a_search_by_hand() -> None:
    # Four arms, the bar between the third and the fourth; T1 = 9 steps of T2 = 1. Nodes (left, middle, right) with 0
    # and 5 for the arms at infinity: (0,2,5) -> (2,3,5) -> (3,4,5) -> middle above the bar -> (3,3,4), a leaf, where it
    # stays: one pull of arm 2; of 2 and 3; of 3 and 4; then six times 3, 3 and 4.
    played = play(field_policy("mtb"), certain([-3.0, -2.0, -1.0, 1.5]), budget=27, seed=0, run=0)
    assert [k + 1 for k in played.order] == [2, 2, 3, 3, 4] + [3, 3, 4] * 6
    # Every step names the arm nearest to the bar: 2, 3, then 3 each time. Above from the third arm on.
    assert played.verdicts.tolist() == [-1, -1, 1, 1]


def test_far_arms_are_told_apart_at_a_leaf() -> None:
    # T2 = 125 pulls: the arms are farther from the bar than ε = 2 sqrt(2 log 48 / 125) = 0.498, so that only a leaf
    # names an arm, the right one of its two.
    played = play(field_policy("mtb"), certain([-3.0, -2.0, -1.0, 1.5]), budget=27 * 125, seed=0, run=0)
    assert played.verdicts.tolist() == [-1, -1, -1, 1]
    for above in range(6):
        means = [-1.0] * (5 - above) + [1.0] * above
        assert play(field_policy("mtb"), certain(means), budget=30 * 130, seed=0, run=0).verdicts.tolist() == means


def test_a_wrong_turn_is_taken_back() -> None:
    # T2 = 23 pulls of σ = 1 leave wrong turns near the bar, and the median of 23 steps takes them back.
    problem = Problem.gaussian(np.linspace(-2.0, 2.0, 40))
    counted = Job(problem, find_policy("mtb"), Asked((1600.0,)), seed=1).run(0, 400)
    assert counted.losses.mean() < 3.0
    assert counted.spent.max() <= 1600e6


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (Problem.gaussian([0.1, -0.1]), "arms in the order of their means"),
        (Problem.named("gaussian-population:K=5"), "arms in the order of their means"),
        (Problem.gaussian([0.1, 0.2], [0.0, 0.1]), "one bar for all arms"),
    ],
)
def test_arms_without_order_are_refused(problem: Problem, why: str) -> None:
    with pytest.raises(InvalidProblemError, match=why):
        field_policy("mtb").brief(problem)


def test_a_budget_below_one_pull_a_step_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="it needs 27 pulls: give at least 27"):
        field_policy("mtb").horizon(certain([-3.0, -2.0, -1.0, 1.5]), 26.0)
