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
    # An arm half a deviation above the bar, whose mean stays where it is.
    question, above = Question.of("gaussian", thresholds=np.zeros(1)), np.ones(1, np.int64)

    def after(n: float) -> Seen:
        return Seen(np.array([n]), np.array([0.5 * n]), np.array([1.25 * n]))

    found = decide(question, after(9.0), above, doubt(question, after(9.0)), risk=1e-3)
    key = nearest_first(question, after(9.0), found, risk=1e-3, guarantee="calibrated")[0]
    needed = next(n for n in range(9, 500) if doubt(question, after(float(n))).of(above)[0] <= 1e-3) - 9
    assert needed / 2 < key < 2 * needed
