"""A standard deviation that is too small is found, and the right one hardly ever doubted."""

import math

import numpy as np
import pytest

from thresher.inference.spread import (
    FALSE_ALARM,
    FEWEST_OUTCOMES,
    RATIOS,
    exceeds_sigma,
    log_evidence,
    squared_deviations,
)
from thresher.problem import Question, Statistics


def test_a_worked_case() -> None:
    # Outcomes 1, 3 and 10, 10, 16 with σ 2 and 3: deviations ±1 and -2, -2, 4.
    question = Question.of("gaussian", thresholds=[5.0, 5.0, 5.0], sigma=[2.0, 3.0, 1.0])
    outcomes: tuple[tuple[float, ...], ...] = ((1.0, 3.0), (10.0, 10.0, 16.0), (7.0,))
    columns = zip(*((len(x), sum(x), sum((v - 5.0) ** 2 for v in x)) for x in outcomes), strict=True)
    seen = Statistics(*(np.array(column, float) for column in columns))
    squares, degrees = squared_deviations(question, seen)
    assert squares == pytest.approx(2 / 4 + 24 / 9)
    assert degrees == 3
    ratios = [tau**-3 * math.exp(0.5 * squares * (1 - tau**-2)) for tau in RATIOS]
    assert log_evidence(squares, degrees) == pytest.approx(math.log(sum(ratios) / len(ratios)))


def test_the_right_sigma_is_ever_doubted_in_at_most_one_campaign_of_a_thousand() -> None:
    # 4,000 campaigns looked at after each of 300 outcomes: 4 alarms at most are expected; more than 15 with a chance
    # of 5e-6.
    squares = np.random.default_rng(7).normal(size=(4000, 300)) ** 2
    sums = squares.cumsum(axis=1)
    logs = 0.5 * sums[..., None] * (1.0 - RATIOS**-2) - np.arange(1, 301)[:, None] * np.log(RATIOS)
    evidence = np.logaddexp.reduce(logs, axis=2) - math.log(RATIOS.size)
    assert int((evidence >= -math.log(FALSE_ALARM)).any(axis=1).sum()) <= 15
    assert not exceeds_sigma(0.0, 0)


def test_half_the_true_sigma_is_mostly_found_by_the_time_that_decisions_begin() -> None:
    # The share found is 0.79; of 300 campaigns less than 0.65 are found with a chance of 1e-7.
    squares = 4.0 * (np.random.default_rng(3).normal(size=(300, FEWEST_OUTCOMES)) ** 2).sum(axis=1)
    assert np.mean([exceeds_sigma(float(q), FEWEST_OUTCOMES) for q in squares]) > 0.65
