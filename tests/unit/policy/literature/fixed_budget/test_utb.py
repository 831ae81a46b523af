from functools import lru_cache

import numpy as np
import pytest

from tests.support.plays import uncompiled
from thresher.errors import InvalidInputError
from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.engine.reference import Played, play
from thresher.research.simulation.job import Job

pytestmark = pytest.mark.xdist_group("utb")  # they share a run of seconds
HILL = [-1.0, -0.6, 0.6, 1.0, 0.7, -0.6, -1.0]


@lru_cache
def played(means: tuple[float, ...], budget: int) -> Played:
    """Return the first run of a problem whose outcomes are all but certain."""
    problem = Problem.gaussian([*means], 0.0, 1e-9)
    return play(uncompiled(find_policy("utb").bind(problem, Stop(budget))), problem, budget=budget, seed=0, run=0)


# A quarter of the budget finds the top; an eighth each makes 125 pulls a part of a search among four arms, so that arms
# half a unit from the bar are told apart at leaves: 27,000 pulls.
@pytest.mark.nightly("means4")
@pytest.mark.parametrize(
    "means",
    [
        HILL,
        pytest.param([1.0, 0.6, -0.6, -1.0, -1.1, -1.2, -1.3], marks=pytest.mark.nightly),
        pytest.param([-1.3, -1.2, -1.1, -1.0, -0.6, 0.6, 1.0], marks=pytest.mark.nightly),
        pytest.param([0.6, 0.7, 0.8, 0.9, 0.8, 0.7, 0.6], marks=pytest.mark.nightly),
        [-0.9, -0.8, -0.7, -0.6, -0.7, -0.8, -0.9],
    ],
)
def test_a_hill_that_outcomes_show_at_once_is_found(means: list[float]) -> None:
    run = played(tuple(means), 27_000)
    assert run.state.verdicts.tolist() == np.sign(means).tolist()
    assert len(run.order) <= 27_000


def test_the_budget_is_shared_out_as_the_paper_says() -> None:
    run = played(tuple(HILL), 27_000)
    # The second look at the top, both ends and their neighbours: a tenth each, in this order.
    looks = run.order[-5 * 2700 :]
    assert [looks[i * 2700] for i in range(5)] == [3, 2, 4, 1, 5]
    assert all(len(set(looks[i * 2700 : (i + 1) * 2700])) == 1 for i in range(5))
    # The top is what the first quarter pulled most: without noise all of it but one pull of each arm.
    assert np.bincount(run.order[: 27_000 // 4], minlength=7).tolist() == [1, 1, 1, 6744, 1, 1, 1]


@pytest.mark.nightly
def test_noise_costs_few_mistakes() -> None:
    problem = Problem.gaussian([-2.0, -1.0, 1.0, 2.0, 2.5, 2.0, 1.0, -1.0, -2.0])
    counted = Job(problem, find_policy("utb"), SimulationOptions((4000.0,)), seed=1).run(0, 300)
    # Uniform labels would miss 4.5 of 9 on average; the ends of the hill are a whole σ from the bar.
    assert counted.losses.mean() < 1.5
    assert counted.spent.max() <= 4000e6


def test_arms_that_make_no_hill_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="means rise and then fall"):
        find_policy("utb").bind(Problem.gaussian([0.5, -0.5, 0.5]), Stop(1000.0))
    with pytest.raises(InvalidInputError, match="one bar for all arms"):
        find_policy("utb").bind(Problem.gaussian([0.5, 0.6], [0.0, 0.1]), Stop(1000.0))
