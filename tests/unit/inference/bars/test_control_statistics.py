"""Arms with a control, as arms with a known bar: by hand, and the chance of error that follows."""

import math

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.inference import decide, doubt, posterior_of
from thresher.inference.bars import bar_of, difference_means
from thresher.problem import Question, Statistics

FAMILIES = ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance")


def asked(family: str, n_arms: int, **given: object) -> Question:
    return Question.of(family, arms=[f"arm {k}" for k in range(n_arms)], **({"control": 0} | given))  # type: ignore[arg-type]


def test_sides_and_differences_by_hand() -> None:
    question = asked("gaussian", 3)
    seen = Statistics(np.array([3.0, 6.0, 0.0]), np.array([0.0, 6.0, 0.0]), np.zeros(3))
    assert bar_of(question).sides(seen.means).tolist() == [1, 0]
    assert difference_means(question, seen)[0] == 1.0
    assert math.isnan(difference_means(question, seen)[1])


def test_the_spread_of_bounded_outcomes_is_seen() -> None:
    # Outcomes that hardly vary tell more than ones that do.
    question, counts, totals = asked("bounded", 2), np.full(2, 100.0), np.array([50.0, 52.0])
    tight = Statistics(counts, totals, 100.0 * (0.001 + np.array([0.0, 0.02]) ** 2))
    wide = Statistics(counts, totals, 100.0 * (0.2 + np.array([0.0, 0.02]) ** 2))
    assert doubt(bar_of(question), tight).above[0] < 0.05 < 0.2 < doubt(bar_of(question), wide).above[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_chance_of_error_falls_with_the_difference(family: str) -> None:
    question = asked(family, 2)
    chances = []
    for shift in (0.0, 5.0, 15.0):
        seen = Statistics(np.array([200.0, 100.0]), np.array([100.0, 50.0 + shift]), np.array([40.0, 20.0]))
        if "gaussian" in family:
            seen = Statistics(
                seen.counts, np.array([0.0, 2.0 * shift]), np.array([200.0, 100.0 + (2.0 * shift) ** 2 / 100.0])
            )
        found = doubt(bar_of(question), seen)
        assert found.above[0] + found.below[0] == pytest.approx(1.0)
        chances.append(found.above[0])
    assert chances[0] == pytest.approx(0.5, abs=0.02)
    assert chances[0] > chances[1] > chances[2]


def test_a_tolerance_is_an_indifference_zone() -> None:
    question = asked("bernoulli", 3)
    seen = Statistics(np.array([5000.0, 5000.0, 5000.0]), np.array([500.0, 525.0, 800.0]), np.full(3, 1250.0))
    sides = bar_of(question).sides(seen.means)
    posterior = posterior_of(bar_of(question), seen)
    strict, lax = (decide(bar_of(question), seen, sides, posterior, tolerance=tolerance) for tolerance in (0.0, 0.02))
    assert strict.words() == ["open", "pass"]
    assert lax.words() == ["pass", "pass"]
    assert doubt(bar_of(question), seen, tolerance=0.02).within().tolist() == [True, False]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("guarantee", ["calibrated", "anytime", "fdr", "fwer"])
def test_what_is_far_from_the_control_is_decided_and_what_is_near_is_open(family: str, guarantee: str) -> None:
    question = asked(family, 4, control=1)
    means, counts = np.array([0.9, 0.5, 0.5, 0.1]), np.full(4, 2000.0)
    shifts = means - question.thresholds
    seen = Statistics(counts, counts * means, counts * (shifts**2 + 0.04))
    bar = bar_of(question)
    decided = decide(bar, seen, bar.sides(seen.means), posterior_of(bar, seen), guarantee=guarantee)
    assert decided.words() == ["pass", "open", "fail"]
    assert decided.words("below") == ["fail", "open", "pass"]


def test_a_question_without_a_control_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="control"):
        difference_means(
            Question.of("gaussian", thresholds=np.zeros(1)), Statistics(np.ones(1), np.ones(1), np.ones(1))
        )
