import math

import numpy as np
import pytest

from thresher.policy import GUARANTEES, Seen, decide, doubt
from thresher.policy.nearest import DECIDED, evidence_of_chance, measurements_to_decide, nearest_first
from thresher.problem import Question


def test_a_worked_case() -> None:
    assert measurements_to_decide(10.0, 1.5, 0.5) == pytest.approx(10.0 * 0.5 / 2.0)
    assert measurements_to_decide(10.0, 1.5, 0.0) == pytest.approx(2.5 * DECIDED)
    # Φ(-sqrt(2 x)) = 0.05 at x = 1.6449² / 2
    assert evidence_of_chance(np.array([0.05, 0.5]))[0] == pytest.approx(1.6449**2 / 2.0, rel=1e-4)
    assert evidence_of_chance(np.array([0.5]))[0] == 0.0


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_arms_without_outcomes_come_first_then_the_nearest_open_one_then_those_decided(guarantee: str) -> None:
    question = Question.of("bernoulli", thresholds=np.full(4, 0.5))
    counts, heads = np.array([0.0, 200.0, 40.0, 40.0]), np.array([0.0, 190.0, 27.0, 21.0])
    seen = Seen(counts, heads, 0.25 * counts)
    sides = np.array([0, 1, 1, 1])
    found = decide(question, seen, sides, doubt(question, seen), guarantee=guarantee)
    keys = nearest_first(question, seen, found, risk=0.05, guarantee=guarantee)
    assert keys[0] == -math.inf
    assert np.argsort(keys).tolist() == [0, 2, 3, 1]
    assert keys[1] > DECIDED > keys[3]


def test_about_as_many_measurements_decide_an_arm_as_is_said() -> None:
    # An arm at 0.5 deviations after 9 outcomes at its mean: x = 9/8, level 1.353: 9 · 0.228 / 1.625 = 1.3 more.
    question = Question.of("gaussian", thresholds=np.zeros(1))
    seen = Seen(np.array([9.0]), np.array([4.5]), np.array([11.25]))
    found = decide(question, seen, np.ones(1, np.int64), doubt(question, seen), risk=1e-3)
    key = nearest_first(question, seen, found, risk=1e-3, guarantee="calibrated")[0]
    assert 10.0 < key < 60.0
    later = Seen(9.0 * np.full(1, 5.0), 4.5 * np.full(1, 5.0), 11.25 * np.full(1, 5.0))
    assert doubt(question, later).of(np.ones(1, np.int64))[0] < 1e-3
