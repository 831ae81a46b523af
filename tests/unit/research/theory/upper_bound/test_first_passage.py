"""When an index reaches a level."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidIndexError
from thresher.research.theory.upper_bound.first_passage import Passage, array_index
from thresher.types import Bools, Floats


def passage(*formulas: object, last: float = 1e6) -> Passage:
    def curves(times: Floats, wanted: Bools) -> Floats:
        values = np.zeros(times.shape)
        for arm, formula in enumerate(formulas):
            assert callable(formula)
            values[:, arm] = [
                formula(t) if is_wanted else math.nan
                for t, is_wanted in zip(times[:, arm], wanted[:, arm], strict=True)
            ]
        return values

    first = np.full(len(formulas), 1e-12)
    return Passage.tabulated(curves, first, np.full(len(formulas), last))


def test_a_straight_line_is_solved_by_division() -> None:
    times = passage(lambda t: 0.25 * t, lambda t: 4.0 * t)(np.array([1.0, 7.0]))
    np.testing.assert_allclose(times, [[4.0, 0.25], [28.0, 1.75]], rtol=1e-13)


@given(st.floats(-20.0, 13.0))
def test_a_logarithm_is_solved_by_the_exponential(level: float) -> None:
    assert passage(math.log)(np.array([level]))[0, 0] == pytest.approx(math.exp(level), rel=1e-12)


def test_beyond_the_table_it_is_never_and_before_it_at_once() -> None:
    early, late = passage(lambda t: t, last=100.0)(np.array([-3.0, 101.0]))[:, 0]
    assert early == 1e-12
    assert late == math.inf


@pytest.mark.parametrize("level", [0.5, 1.0, 3.2, 4.0])
def test_at_jumps_and_plateaus_it_is_the_first_time_at_the_level_or_above(level: float) -> None:
    time = float(passage(math.floor, last=50.0)(np.array([level]))[0, 0])
    assert time == pytest.approx(math.ceil(level), rel=1e-12)
    assert math.floor(time) >= level


def test_a_curve_that_starts_at_minus_infinity_is_solved() -> None:
    times = passage(lambda t: -math.inf if t < 3.0 else t)(np.array([3.5]))
    assert times[0, 0] == pytest.approx(3.5, rel=1e-12)


def test_a_curve_of_minus_infinity_is_never_reached() -> None:
    assert passage(lambda _: -math.inf)(np.array([0.0]))[0, 0] == math.inf


@pytest.mark.parametrize("formula", [lambda t: -t, lambda t: math.nan, lambda t: math.sin(t)])
def test_a_decreasing_or_undefined_curve_is_refused(formula: object) -> None:
    with pytest.raises(InvalidIndexError, match="of arm 1"):
        passage(math.log, formula)


def test_callables_are_called_only_where_they_are_wanted() -> None:
    calls: list[tuple[float, float]] = []

    def record(count: float, evidence: float) -> float:
        calls.append((count, evidence))
        return count + evidence

    evaluate = array_index([record, record], 2)
    values = evaluate(np.array([[1.0, 2.0]]), np.array([[10.0, 20.0]]), np.array([[False, True]]))
    assert calls == [(2.0, 20.0)]
    assert values[0, 1] == 22.0


def test_an_index_for_another_number_of_arms_is_refused() -> None:
    with pytest.raises(InvalidIndexError, match="1 callables were given for 2 arms"):
        array_index([lambda n, x: n + x], 2)
