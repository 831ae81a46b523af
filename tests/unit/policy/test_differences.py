"""Arms beside a control, as arms with a known bar: by hand, and the chance of error that follows."""

import math

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.policy import (
    Seen,
    compared,
    decide,
    difference_means,
    difference_sides,
    doubt,
)
from thresher.problem import Question

FAMILIES = ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance")


def asked(family: str, n_arms: int, **given: object) -> Question:
    return Question.of(family, arms=[f"arm {k}" for k in range(n_arms)], **({"control": 0} | given))  # type: ignore[arg-type]


def test_a_gaussian_case_by_hand() -> None:
    # n0 = 3 and n = 6: ν = 2, and the means 1 and 0 are 1 apart.
    question = asked("gaussian", 3)
    seen = Seen(np.array([3.0, 6.0, 0.0]), np.array([0.0, 6.0, 0.0]), np.zeros(3))
    plain, found = compared(question, seen)
    assert plain.arms == ("arm 1", "arm 2")
    assert plain.thresholds.tolist() == [0.0, 0.0]
    assert (found.counts.tolist(), found.totals.tolist()) == ([2.0, 0.0], [2.0, 0.0])
    assert difference_sides(question, seen).tolist() == [1, 0]
    assert difference_means(question, seen)[0] == 1.0
    assert math.isnan(difference_means(question, seen)[1])


def test_rates_by_hand() -> None:
    # 3 of 4 beside 1 of 4: ν = 2 and x = 8 kl(¾, ½), so that the distance is sqrt(x) deviations of ½.
    x = 8.0 * (0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    question = asked("bernoulli", 2)
    _, found = compared(question, Seen(np.array([4.0, 4.0]), np.array([1.0, 3.0]), np.full(2, 1.0)))
    assert found.counts[0] == pytest.approx(2.0)
    assert found.means[0] == pytest.approx(0.5 * math.sqrt(x))


def test_the_spread_of_bounded_outcomes_is_seen() -> None:
    # Outcomes that hardly vary tell more than ones that do.
    question, counts, totals = asked("bounded", 2), np.full(2, 100.0), np.array([50.0, 52.0])
    tight = Seen(counts, totals, 100.0 * (0.001 + np.array([0.0, 0.02]) ** 2))
    wide = Seen(counts, totals, 100.0 * (0.2 + np.array([0.0, 0.02]) ** 2))
    assert doubt(question, tight).above[0] < 0.05 < 0.2 < doubt(question, wide).above[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_chance_of_error_falls_with_the_difference(family: str) -> None:
    question = asked(family, 2)
    chances = []
    for shift in (0.0, 5.0, 15.0):
        seen = Seen(np.array([200.0, 100.0]), np.array([100.0, 50.0 + shift]), np.array([40.0, 20.0]))
        if "gaussian" in family:
            seen = Seen(
                seen.counts, np.array([0.0, 2.0 * shift]), np.array([200.0, 100.0 + (2.0 * shift) ** 2 / 100.0])
            )
        found = doubt(question, seen)
        assert found.above[0] + found.below[0] >= 1.0 - 1e-9  # an arm's own doubt may be added to either
        chances.append(found.above[0])
    assert chances[0] == pytest.approx(0.5, abs=1e-9)
    assert chances[0] > chances[1] > chances[2]


def test_a_tolerance_is_an_indifference_zone() -> None:
    question = asked("bernoulli", 3)
    seen = Seen(np.array([5000.0, 5000.0, 5000.0]), np.array([500.0, 525.0, 800.0]), np.full(3, 1250.0))
    sides = difference_sides(question, seen)
    strict = decide(question, seen, sides, doubt(question, seen))
    zone = doubt(question, seen, tolerance=0.02)
    lax = decide(question, seen, sides, zone, tolerance=0.02)
    assert strict.words() == ["open", "pass"]
    assert lax.words() == ["pass", "pass"]
    assert zone.within().tolist() == [True, False]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("guarantee", ["calibrated", "anytime", "fdr", "fwer"])
def test_what_is_far_from_the_control_is_decided_and_what_is_near_is_open(family: str, guarantee: str) -> None:
    question = asked(family, 4, control=1)
    means, counts = np.array([0.9, 0.5, 0.5, 0.1]), np.full(4, 2000.0)
    shifts = means - question.thresholds
    seen = Seen(counts, counts * means, counts * (shifts**2 + 0.04))
    sides = difference_sides(question, seen)
    decided = decide(question, seen, sides, doubt(question, seen), guarantee=guarantee)
    assert decided.words() == ["pass", "open", "fail"]
    assert decided.words("below") == ["fail", "open", "pass"]


def test_a_question_without_a_control_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="control"):
        compared(Question.of("gaussian", thresholds=np.zeros(1)), Seen(np.ones(1), np.ones(1), np.ones(1)))
