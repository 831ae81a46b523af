"""The search for the best levels."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.upper_bound.levels import least_over_levels
from thresher.types import Floats


@given(st.lists(st.tuples(st.floats(2.0, 98.0), st.floats(0.01, 50.0)), min_size=1, max_size=5))
def test_the_minima_of_parabolas_are_found(curves: list[tuple[float, float]]) -> None:
    centres, widths = (np.array(column) for column in zip(*curves, strict=True))
    found, least = least_over_levels(
        lambda levels: ((levels[:, None] - centres) / widths) ** 2, np.linspace(0.0, 100.0, 65)
    )
    np.testing.assert_allclose(least, 0.0, atol=1e-8)
    np.testing.assert_allclose(found, centres, atol=1e-4 * widths.max())


def test_a_narrow_valley_in_an_enormous_interval_is_found() -> None:
    # log(e^(C - 3e8) + e^(3e8 - C)) + ...: the shape of a bound with an exponent of 3e8; least value log 2 at 3e8.
    def valley(levels: Floats) -> Floats:
        return np.logaddexp(levels - 3e8, 3e8 - levels)[:, None]

    found, least = least_over_levels(valley, np.linspace(0.0, 1e12, 65))
    assert abs(least[0] - math.log(2.0)) < 1e-6
    assert abs(found[0] - 3e8) < 1e-2


def test_a_minimum_at_a_jump_is_found_from_its_low_side() -> None:
    found, least = least_over_levels(
        lambda levels: np.where(levels <= math.pi, -levels, 5.0)[:, None], np.linspace(0.0, 10.0, 9)
    )
    assert 0.0 <= math.pi - found[0] < 1e-10
    assert least[0] == -found[0]


def test_infinite_values_and_an_interval_of_one_point_do_no_harm() -> None:
    found, least = least_over_levels(lambda levels: np.full((levels.size, 2), np.inf), np.linspace(0.0, 1.0, 5))
    assert np.all(np.isinf(least))
    assert np.all((found >= 0.0) & (found <= 1.0))
    found, least = least_over_levels(lambda levels: levels[:, None] ** 2, np.full(3, 2.0))
    assert (found[0], least[0]) == (2.0, 4.0)


def test_the_value_is_the_one_at_the_level_returned() -> None:
    def curve(levels: Floats) -> Floats:
        values: Floats = np.cos(levels)[:, None] * np.array([1.0, -1.0])
        return values

    found, least = least_over_levels(curve, np.linspace(0.0, 7.0, 15))
    np.testing.assert_array_equal(least, [np.cos(found[0]), -np.cos(found[1])])
    np.testing.assert_allclose(least, -1.0, atol=1e-8)
