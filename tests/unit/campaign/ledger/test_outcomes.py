"""Validation of outcomes and aggregates."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.campaign.ledger import Aggregate, Arm, Terms
from thresher.campaign.ledger.outcomes import number_of, outcome_of, squares_of
from thresher.errors import InvalidOutcomeError

COIN, GAUSS = Terms(family="bernoulli"), Terms(family="gaussian")
ARM = Arm(0, "a", 0.5, 1.0, 1.0, 1_000_000)


@pytest.mark.parametrize("value", [True, 1, 1.0, np.True_, np.float32(1), np.int64(1), np.array(1.0), Fraction(1)])
def test_a_head_is_a_head_however_it_is_written(value: object) -> None:
    assert outcome_of(COIN, value) == 1.0
    assert type(outcome_of(COIN, value)) is float


@pytest.mark.parametrize("value", ["1", None, 1j, np.array([1.0]), math.nan, math.inf, 1e200, 10**400, object()])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(InvalidOutcomeError):
        outcome_of(GAUSS, value)
    with pytest.raises(InvalidOutcomeError):
        number_of(value)


def test_a_score_of_a_bernoulli_arm_is_refused_with_the_family_of_scores() -> None:
    with pytest.raises(
        InvalidOutcomeError, match=r"0\.7 is neither 0 nor 1; .* \(--family bounded\), with low and high"
    ):
        outcome_of(COIN, 0.7)
    with pytest.raises(InvalidOutcomeError, match=r"tell a possible outcome of a bounded arm$"):
        outcome_of(Terms(family="bounded"), 1.7)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.floats(-10, 10))
def test_squares_about_the_bar_are_those_of_the_single_outcomes(values: list[float], bar: float) -> None:
    total, squares = math.fsum(values), math.fsum(value * value for value in values)
    found = squares_of(GAUSS, ARM._replace(threshold=bar), Aggregate(len(values), total, squares))
    assert found == pytest.approx(math.fsum((value - bar) ** 2 for value in values), abs=1e-8)


def test_a_coin_needs_no_squares() -> None:
    assert squares_of(COIN, ARM, Aggregate(4, 3.0, None)) == 1.0  # each is (1/2)² from the bar


@pytest.mark.parametrize(
    ("terms", "count", "total", "squares"),
    [
        (COIN, 3, 4.0, None), (COIN, 3, 1.5, None), (COIN, 3, 2.0, 1.0), (COIN, 0, 0.0, None), (COIN, 2.0, 1.0, None),
        (GAUSS, 4, 8.0, 15.0), (Terms(family="bounded", high=2.0), 3, 6.5, None),
        (Terms(family="gaussian-unknown-variance"), 3, 1.0, None),
        (Terms(family="gaussian-unknown-variance"), 1, 5.0, 26.0), (Terms(family="bounded"), 100, 60.0, 60.1),
        (Terms(family="bounded", low=-1.0, high=3.0), 2, 5.0, 16.1),
    ],
)  # fmt: skip
def test_sums_that_no_outcomes_have_are_refused(terms: Terms, count: int, total: float, squares: float | None) -> None:
    with pytest.raises(InvalidOutcomeError):
        squares_of(terms, ARM, Aggregate(count, total, squares))


def test_without_squares_bounded_outcomes_may_be_as_far_apart_as_can_be() -> None:
    bounded = Terms(family="bounded", low=-1.0, high=3.0)
    # Of six outcomes with the sum 10, four are at most 3 and two at least -1: 4 * 2.5^2 + 2 * 1.5^2 from the bar 0.5.
    assert squares_of(bounded, ARM, Aggregate(6, 10.0, None)) == 29.5
    assert squares_of(bounded, ARM, Aggregate(6, 10.0, 38.0)) == 29.5


@given(st.lists(st.floats(-1, 3), min_size=1, max_size=20))
def test_the_squares_of_bounded_outcomes_are_always_taken(values: list[float]) -> None:
    bounded, total = Terms(family="bounded", low=-1.0, high=3.0), math.fsum(values)
    told = squares_of(bounded, ARM, Aggregate(len(values), total, math.fsum(x * x for x in values)))
    assert told <= squares_of(bounded, ARM, Aggregate(len(values), total, None)) + 1e-7
