import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from tests.support.choices import PROBLEMS, choices
from thresher.inference.guarantees.calibrated import SHARE_OF_RISK, SHRINKAGE
from thresher.policy.goals.decide import (
    DECIDED,
    GROWTH,
    LACKING,
    decide_formula,
    level_to_decide,
)
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_a_worked_case() -> None:
    # ρ = 4 makes 1 of x = 2: (4 + 4) (3 - 1) / (1 + 1/2); by a mixture it lacks (log 2)/2 more; decided at the level.
    assert decide_formula(4.0, 2.0, 3.0, 4.0, 0.0, 0.0) == pytest.approx(32.0 / 3.0)
    assert decide_formula(4.0, 2.0, 3.0, 4.0, 0.5, 0.0) == pytest.approx(8.0 * (2.0 + 0.5 * math.log(2.0)) / 1.5)
    assert decide_formula(4.0, 6.0, 3.0, 4.0, 0.0, 0.0) == pytest.approx(4.0 * DECIDED)


def test_an_arm_beyond_its_level_that_may_be_open_lacks_more_and_more() -> None:
    # ρ = 4 makes 3 of x = 6, the level itself, and 3.2 of x = 6.4.
    assert decide_formula(4.0, 6.0, 3.0, 4.0, 0.0, 2.0) == pytest.approx(8.0 * 2.0 / 3.5)
    assert decide_formula(4.0, 6.4, 3.0, 4.0, 0.0, 2.0) == pytest.approx(8.0 * 2.0 * math.exp(GROWTH * 0.2) / 3.7)
    assert decide_formula(4.0, 1e3, 3.0, 4.0, 0.0, 2.0) == pytest.approx(501.0 * DECIDED)


@given(
    count=st.floats(1.0, 1e6),
    places=st.tuples(st.floats(0.0, 200.0), st.floats(0.0, 200.0)).map(sorted),
    risk=st.floats(0.001, 0.3),
)
def test_the_nearer_to_its_level_an_arm_is_the_sooner_it_is_measured(
    count: float, places: list[float], risk: float
) -> None:
    level, rho, mixing, lacking = level_to_decide("calibrated", risk, n_arms=8)
    keys = [decide_formula(count, x * (count + rho) / count, level, rho, mixing, lacking) for x in places]
    if places[1] < level - 1e-6:  # both open: the nearer one first
        assert keys[0] >= keys[1]
    elif places[0] > level + 1e-6:  # both beyond the level: the nearer one first
        assert keys[0] <= keys[1] * (1.0 + 1e-9)


def test_every_choice_is_the_open_arm_that_needs_fewest_measurements() -> None:
    problem, level = PROBLEMS[0], 0.5 * ndtri(SHARE_OF_RISK * 0.05) ** 2
    for seen in choices("decide", problem, budget=90, seed=4):
        evidence = seen.counts * (seen.means - problem.thresholds) ** 2 / (2.0 * problem.sigma**2)
        evidence *= seen.counts / (seen.counts + SHRINKAGE)
        lacking = np.where(evidence < level, level - evidence, LACKING * np.exp(GROWTH * (evidence - level)))
        keys = (seen.counts + SHRINKAGE) * lacking / (evidence + 0.5)
        assert keys[seen.arm] <= keys.min() * (1.0 + 1e-9)


@pytest.mark.parametrize("guarantee", ["calibrated", "anytime", "fdr", "fwer"])
def test_decided_arms_are_left_alone_while_others_are_open(guarantee: str) -> None:
    problem = Problem.gaussian([2.0, 0.0])
    last = list(choices(f"decide:guarantee={guarantee}", problem, budget=200, seed=1))[-1]
    assert last.counts[0] < 60


def test_it_can_be_simulated_with_the_others() -> None:
    result = simulate(PROBLEMS[1], ["decide", "decide:risk=0.01,guarantee=fdr"], budgets=[60], runs=20, seed=0)
    assert [row.policy for row in result.rows()] == ["decide", "decide:risk=0.01,guarantee=fdr"]
