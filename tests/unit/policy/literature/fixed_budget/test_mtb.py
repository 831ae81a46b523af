import math

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.engine.draws import arms_of, outcome_at
from thresher.research.engine.reference import Played, drawn_arms, play
from thresher.research.simulation.job import Job


def certain(means: list[float]) -> Problem:
    """Return a problem whose outcomes are all but certain."""
    return Problem.gaussian(means, 0.0, 1e-9)


def played(problem: Problem, budget: int, *, seed: int = 0) -> Played:
    """Return the first run."""
    return play(find_policy("mtb").bind(problem, Stop(budget)), problem, budget=budget, seed=seed, run=0)


def test_a_search_by_hand() -> None:
    # Four arms, the bar between the third and the fourth; T1 = 9 steps of T2 = 1. Nodes (left, middle, right) with 0
    # and 5 for the arms at infinity: (0,2,5) -> (2,3,5) -> (3,4,5) -> middle above the bar -> (3,3,4), a leaf, where it
    # stays: one pull of arm 2; of 2 and 3; of 3 and 4; then six times 3, 3 and 4.
    run = played(certain([-3.0, -2.0, -1.0, 1.5]), 27)
    assert [k + 1 for k in run.order] == [2, 2, 3, 3, 4] + [3, 3, 4] * 6
    # Every step names the arm nearest to the bar: 2, 3, then 3 each time. Above from the third arm on.
    assert run.state.verdicts.tolist() == [-1, -1, 1, 1]


@pytest.mark.nightly
def test_far_arms_are_told_apart_at_a_leaf() -> None:
    # T2 = 125 pulls: the arms are farther from the bar than ε = 2 sqrt(2 log 48 / 125) = 0.498, so that only a leaf
    # names an arm, the right one of its two.
    run = played(certain([-3.0, -2.0, -1.0, 1.5]), 27 * 125)
    assert run.state.verdicts.tolist() == [-1, -1, -1, 1]
    for above in range(6):
        means = [-1.0] * (5 - above) + [1.0] * above
        assert played(certain(means), 30 * 130).state.verdicts.tolist() == means


def explored(problem: Problem, horizon: int, seed: int) -> tuple[list[int], int]:
    """Return the pulls of the paper's Explore, worked out anew from the outcomes, and how often it went back."""
    arms, drawn, n_arms = arms_of(problem), drawn_arms(arms_of(problem), seed, 0), problem.n_arms
    steps, seen, order, back = math.ceil(6 * math.log(n_arms)), [0] * n_arms, list[int](), 0

    def mean(arm: int) -> float:
        if not 1 <= arm <= n_arms:
            return -math.inf if arm == 0 else math.inf
        outcomes = []
        for _ in range(horizon // (3 * steps)):
            outcomes.append(outcome_at(drawn[arm - 1], arms.pool, seen[arm - 1]))
            seen[arm - 1] += 1
            order.append(arm - 1)
        return float(np.mean(outcomes))

    path = [(0, n_arms + 1)]
    for _ in range(steps):
        left, right = path[-1]
        middle = (left + right) // 2
        low, between, high = mean(left), mean(middle), mean(right)
        if not low <= problem.thresholds[0] <= high:
            back += len(path) > 1
            path = path[:-1] or path
        elif right > left + 1:
            path.append((middle, right) if between <= problem.thresholds[0] <= high else (left, middle))
    return order, back


def test_the_search_is_the_papers_and_a_wrong_turn_is_taken_back() -> None:
    problem, backs = Problem.gaussian(np.linspace(-1.0, 1.0, 20)), 0
    for seed in range(10):
        order, back = explored(problem, 200, seed)
        assert played(problem, 200, seed=seed).order == order
        backs += back
    assert backs > 5


def test_it_makes_few_mistakes() -> None:
    problem = Problem.gaussian(np.linspace(-2.0, 2.0, 40))
    counted = Job(problem, find_policy("mtb"), SimulationOptions((1600.0,)), seed=1).run(0, 400)
    assert counted.losses.mean() < 3.0  # of 40
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
    with pytest.raises(InvalidInputError, match=why):
        find_policy("mtb").bind(problem, Stop(1000.0))


def test_a_budget_below_one_pull_a_step_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="must be at least 27, for 27 pulls"):
        find_policy("mtb").bind(certain([-3.0, -2.0, -1.0, 1.5]), Stop(26.0))
