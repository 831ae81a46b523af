"""The judge against the truth, on a page."""

import math
import re

import numpy as np

from thresher.inference import Agreement, agreement_of
from thresher.problem import Problem
from thresher.report import judge_view


def agreement(*, is_binary: bool = True) -> Agreement:
    """Return the agreement on two arms with ten answers each, of which <b> is wrong on three, and one without any."""
    outcomes = np.array([[1.0, 0.0] * 5, [1.0] * 6 + [0.0] * 4, [1.0] * 10])
    scores = outcomes.copy()
    scores[1, :3] = 0.0
    problem = Problem.crossed(outcomes, 0.5, proxy=scores if is_binary else 0.9 * scores, arms=["a", "<b>", "c"])
    told = np.where(np.array([[True], [True], [False]]), outcomes, math.nan)
    return agreement_of(problem.question, told)


def test_each_arm_with_labels_is_a_dot_at_its_means_and_a_row_with_its_interval() -> None:
    page = judge_view(agreement())
    assert page.count("<circle") == 2
    assert "&lt;b&gt;: mean score 0.300, mean outcome 0.600, 10 answers" in page
    assert "<b>" not in page
    rows = [re.sub("<[^>]+>", " ", row).split() for row in re.findall("<tr>.*?</tr>", page)]
    # The worst first. Wilson's interval of 7 of 10 is 40 to 89 %, of 10 of 10 from 72 %.
    assert rows[1] == ["&lt;b&gt;", "10", "0.300", "0.600", "70", "%", "40", "%", "to", "89", "%"]
    assert rows[2] == ["a", "10", "0.500", "0.500", "100", "%", "72", "%", "to", "100", "%"]
    assert "agrees with the truth on 85" in page


def test_scores_that_are_not_grades_have_no_agreement() -> None:
    page = judge_view(agreement(is_binary=False))
    assert "Agreement" not in page
    assert page.count("<circle") == 2


def test_without_labels_there_is_no_picture() -> None:
    outcomes = np.full((1, 4), math.nan)
    question = Problem.crossed([[1.0, 0.0, 1.0, 0.0]], 0.5, proxy=[[1.0, 0.0, 1.0, 0.0]]).question
    assert "<svg" not in judge_view(agreement_of(question, outcomes))
