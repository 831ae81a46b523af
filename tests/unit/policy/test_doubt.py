import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidProblemError
from thresher.policy.doubt import expected_mistakes, left_open, p_wrong, weighed_verdicts

probabilities = st.floats(0.0, 1.0)
costs = st.floats(1e-3, 1e3)


def test_a_worked_case() -> None:
    verdicts, above = np.array([1, -1, 0]), np.array([0.9, 0.2, 0.7])
    np.testing.assert_allclose(p_wrong(verdicts, above), [0.1, 0.2, 0.5])
    assert expected_mistakes(verdicts, above) == pytest.approx(0.1 + 0.2 + 0.5)
    # 0.1 · 10, 0.2 · 1, and the mean of 0.3 · 10 and 0.7 · 1 for the arm that is not decided
    assert expected_mistakes(verdicts, above, false_above=10.0) == pytest.approx(1.0 + 0.2 + 1.85)
    # A false "above" ten times as dear: it takes more than ten to one.
    np.testing.assert_equal(weighed_verdicts(np.array([0.9, 0.92]), false_above=10.0, false_below=1.0), [-1, 1])


@given(p=probabilities, above=costs, below=costs)
def test_no_other_verdict_is_expected_to_cost_less(p: float, above: float, below: float) -> None:
    likely = np.array([p])
    chosen = weighed_verdicts(likely, false_above=above, false_below=below)
    here = expected_mistakes(chosen, likely, false_above=above, false_below=below)
    for other in (-1, 0, 1):
        there = expected_mistakes(np.array([other]), likely, false_above=above, false_below=below)
        assert here <= there * (1.0 + 1e-12)


@given(p=probabilities, above=costs, below=costs, unit=costs)
def test_the_unit_of_the_costs_does_not_matter(p: float, above: float, below: float, unit: float) -> None:
    likely = np.array([p])
    plain = expected_mistakes(np.array([1]), likely, false_above=above, false_below=below)
    other = expected_mistakes(np.array([1]), likely, false_above=unit * above, false_below=unit * below)
    assert other == pytest.approx(unit * plain, rel=1e-9)


def test_each_arm_can_have_costs_of_its_own() -> None:
    found = weighed_verdicts(np.array([0.6, 0.6]), false_above=np.array([1.0, 2.0]), false_below=1.0)
    np.testing.assert_equal(found, [1, -1])


def test_the_least_sure_arms_are_left_open() -> None:
    np.testing.assert_equal(left_open(np.array([0.01, 0.05, 0.2, 0.5]), level=0.05), [False, False, True, True])


def test_costs_and_levels_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidProblemError):
        left_open(np.array([0.1]), level=1.0)
    with pytest.raises(InvalidProblemError):
        left_open(np.array([0.1]), level=math.nan)
    for bad in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(InvalidProblemError):
            expected_mistakes(np.array([1]), np.array([0.5]), false_above=bad)
        with pytest.raises(InvalidProblemError):
            weighed_verdicts(np.array([0.5]), false_above=1.0, false_below=bad)
