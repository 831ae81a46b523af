"""How well a judge agrees with the truth: by hand, and what is said of it."""

import numpy as np
import pytest

from thresher.inference.agreement import Agreement, agreement_of
from thresher.problem import Problem
from thresher.report.judge_words import answer_of, judge_note, judge_sentences, judge_warnings
from thresher.types import Floats


def agreement(outcomes: Floats, scores: Floats) -> Agreement:
    return agreement_of(Problem.crossed(np.nan_to_num(outcomes), 0.5, proxy=scores).question, outcomes)


def judged(share: float, *, inverted: bool = False) -> Agreement:
    random = np.random.default_rng(1)
    table = (random.random((6, 200)) < np.linspace(0.3, 0.8, 6)[:, None]).astype(np.float64)
    scores = np.where(random.random(table.shape) < share, table, 1.0 - table)
    if inverted:
        scores[0] = 1.0 - scores[0]
    return agreement(np.where(random.random(table.shape) < 0.3, table, np.nan), scores)


def test_agreement_by_hand() -> None:
    outcomes = np.array([[1.0, 0.0, 1.0, np.nan], [0.0, np.nan, 0.0, 1.0]])
    scores = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, np.nan, 1.0]])
    found = agreement(outcomes, scores)
    assert (found.labels, found.is_binary, found.value) == (5, True, 0.8)
    assert found.chance == pytest.approx(0.6 * 0.4 + 0.4 * 0.6)
    assert [arm.agreement for arm in found.arms] == pytest.approx([2 / 3, 1.0])
    # Wilson's interval of 4 of 5, from tables.
    assert (found.low, found.high) == pytest.approx((0.376, 0.964), abs=1e-3)


def test_a_good_judge_is_good_enough_and_noise_is_not() -> None:
    good, noise = judged(0.95), judged(0.5)
    assert good.saved > 0.5
    assert not good.is_chance
    assert "Yes" in answer_of(good)
    assert not judge_warnings(good)
    assert "saves" in judge_note(good)[0]
    assert noise.is_chance  # with this seed; by chance it is not in 2.5 % of the cases
    assert noise.saved < 0.05
    assert "chance" in judge_warnings(noise)[0]
    assert "No" in answer_of(noise)


def test_a_judge_that_is_inverted_on_an_arm_is_told_apart() -> None:
    found = judged(0.95, inverted=True)
    assert found.differs
    assert "'1'" in judge_warnings(found)[0]
    assert found.arms[0].slope < 0.0 < found.arms[1].slope
    assert not judged(0.95).differs  # chance of a false alarm 1 %, with this seed none


def test_scores_that_are_not_0_and_1_are_judged_by_their_correlation() -> None:
    random = np.random.default_rng(2)
    table = (random.random((4, 100)) < 0.5).astype(np.float64)
    found = agreement(table, table + 0.5 * random.normal(size=table.shape))
    assert not found.is_binary
    assert found.low < 0.7071 < found.high  # 1/√2 in truth
    assert "correlate" in judge_sentences(found)[0]


def test_without_a_label_nothing_is_claimed() -> None:
    found = agreement(np.full((2, 3), np.nan), np.ones((2, 3)))
    assert found.labels == 0
    assert "too few" in judge_sentences(found)[0]
    assert not judge_note(found)
    assert not judge_warnings(found)
