"""What a bound answers."""

import math

import numpy as np
import pytest

from thresher.research.theory.upper_bound.bound import Bound, LevelledBound, log_sum


def test_a_bound_is_the_exponential_of_its_logarithm() -> None:
    assert Bound(log_value=math.log(0.25), worst=3.0).value == pytest.approx(0.25)


def test_a_bound_below_the_least_float_is_0_and_one_above_the_largest_infinite() -> None:
    assert Bound(log_value=-1e12, worst=1.0).value == 0.0
    assert Bound(log_value=1e12, worst=1.0).value == math.inf


@pytest.mark.parametrize(("value", "is_vacuous"), [(2.9, False), (3.0, True), (3.1, True)])
def test_a_bound_is_vacuous_when_it_reaches_the_worst_loss(value: float, is_vacuous: bool) -> None:
    assert Bound(log_value=math.log(value), worst=3.0).is_vacuous is is_vacuous


def test_where_no_answer_is_wrong_every_bound_is_vacuous() -> None:
    assert Bound(log_value=-math.inf, worst=0.0).is_vacuous


def test_a_table_shows_a_vacuous_number_and_leaves_out_one_that_does_not_apply() -> None:
    assert Bound(log_value=math.log(8.0), worst=3.0).number == pytest.approx(8.0)
    assert Bound(log_value=math.log(0.1), worst=3.0, applies=False).number is None
    assert Bound(log_value=math.inf, worst=3.0).number is None


def test_levelled_bounds_compare_by_their_number_and_not_by_their_arrays() -> None:
    one, two = (
        LevelledBound(log_value=0.0, worst=1.0, levels=np.full(2, x), log_shares=np.zeros(2)) for x in (1.0, 2.0)
    )
    assert one == two


def test_a_sum_in_logarithms_neither_overflows_nor_needs_terms() -> None:
    assert log_sum(np.array([1000.0, 1000.0])) == pytest.approx(1000.0 + math.log(2.0))
    assert log_sum(np.array([])) == -math.inf
