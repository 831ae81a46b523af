import numpy as np
import pytest

from tests.support.choices import PROBLEMS, choices
from thresher.policy import find_policy
from thresher.policy.literature.fixed_budget.kg import kg_formula
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.simulation.job import Job


def test_worked_cases() -> None:
    assert kg_formula(1.0, 1.0, 0.5) == pytest.approx(0.25)
    assert kg_formula(2.0, 1.0, 0.5) == 0.0  # a 0 makes it even, no outcome turns the verdict
    # I(2,2) = 1/2, I(3,2) = 11/16: a gain of 3/16 either way.
    assert kg_formula(2.0, 2.0, 0.5) == pytest.approx(3 / 16)


def test_the_gain_is_nothing_unless_an_outcome_can_turn_the_verdict() -> None:
    assert [kg_formula(5.0 + k, 5.0, 0.5) == 0.0 for k in range(4)] == [False, True, True, True]
    assert kg_formula(3.0, 300.0, 0.5) == 0.0


def test_every_choice_has_the_largest_gain() -> None:
    for seen in choices("kg:a=2,b=3", PROBLEMS[1], budget=90, seed=4):
        gains = np.array(
            [
                kg_formula(2.0 + ones, 3.0 + count - ones, bar)
                for ones, count, bar in zip(seen.ones, seen.counts, PROBLEMS[1].thresholds, strict=True)
            ]
        )
        assert gains[seen.arm] == gains.max()


def test_among_equals_each_is_drawn_alike() -> None:
    # All means are 1, the bar is 1/2: after one pull no single outcome turns a verdict, all gains are 0 for good, and
    # each of the 4,000 * 6 pulls goes to an arm drawn at random: 6,000 of each, five standard errors of 67. False alarm
    # for three arms: 2e-6.
    job = Job(Problem.bernoulli([1.0] * 4), find_policy("kg"), SimulationOptions((10.0,)), seed=3)
    pulls = job.run(0, 4000).pulls[0] - 4000
    assert pulls.sum() == 4000 * 6
    assert (np.abs(pulls - 6000) < 5 * np.sqrt(24_000 * 0.25 * 0.75)).all()
