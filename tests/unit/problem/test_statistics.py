import math

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem import Question
from thresher.problem.statistics import Statistics


def test_means_and_variances_of_outcomes_by_hand() -> None:
    # Outcomes 1, 2, 6 about the bar 2: squares 1 + 0 + 16; mean 3, variance (4 + 1 + 9) / 3.
    seen = Statistics(np.array([3.0, 0.0]), np.array([9.0, 0.0]), np.array([17.0, 0.0]))
    question = Question.of("gaussian", thresholds=[2.0, 2.0])
    assert seen.means[0] == 3.0
    assert math.isnan(seen.means[1])
    np.testing.assert_allclose(seen.variances(question), [14.0 / 3.0, 0.0])


def test_rounding_never_makes_a_variance_negative() -> None:
    value = 0.1 + 0.2
    seen = Statistics(np.array([3.0]), np.array([3 * value]), np.array([3 * (value - 0.7) ** 2]))
    assert seen.variances(Question.of("gaussian", thresholds=0.7))[0] >= 0.0


def test_some_of_the_arms_can_be_taken_out() -> None:
    seen = Statistics(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), np.array([7.0, 8.0, 9.0]))
    part = seen.part(np.array([True, False, True]))
    np.testing.assert_equal([part.counts, part.totals, part.squares], [[1.0, 3.0], [4.0, 6.0], [7.0, 9.0]])


@pytest.mark.parametrize(
    ("counts", "totals", "squares"),
    [
        ([1.0], [1.0, 2.0], [1.0]),
        ([[1.0]], [[1.0]], [[1.0]]),
        ([-1.0], [0.0], [0.0]),
        ([1.0], [math.nan], [0.0]),
        ([1.0], [0.0], [-1.0]),
        ([math.inf], [0.0], [0.0]),
    ],
)
def test_numbers_that_no_outcomes_have_are_refused(counts: object, totals: object, squares: object) -> None:
    with pytest.raises(InvalidInputError):
        Statistics(np.array(counts), np.array(totals), np.array(squares))
