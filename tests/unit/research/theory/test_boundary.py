import math
from functools import cache

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.research.theory.boundary import Boundary, flux, psi_far, psi_near, solve_boundary
from thresher.types import Floats

LEVELS = np.geomspace(0.01, 7.8, 500)


solved = cache(solve_boundary)  # a quarter of a second each


def height_at(boundary: Boundary, log_time: Floats) -> Floats:
    return np.interp(log_time, boundary.log_time, boundary.height)


def test_the_flux_at_the_bar_by_hand() -> None:
    assert flux(0.0) == pytest.approx(1.0 / math.sqrt(2.0 * math.pi))  # the density at 0
    assert flux(1.0) == pytest.approx(0.5)  # the probability of one side
    assert flux(2.0) == pytest.approx(2.0 / math.sqrt(2.0 * math.pi))  # half the third absolute moment


def test_the_boundary_of_mistakes_has_its_reference_values() -> None:
    log_time = np.array([2, 1, 0, -1, -2, -4, -6, -8, -10, -14, -18, -22], dtype=float)
    known = [0.026, 0.073, 0.193, 0.466, 0.921, 2.047, 3.029, 3.777, 4.361, 5.272, 6.014, 6.664]
    # The reference has three digits, cut rather than rounded.
    np.testing.assert_allclose(height_at(solved(), log_time), known, rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("power", "known"),
    [
        (
            0.0,
            [0.0630, 0.0890, 0.1398, 0.1935, 0.2562, 0.3244, 0.3430, 0.3304, 0.2827, 0.2370, 0.1073, 0.04145, 0.01497],
        ),
        (1.0, [0.0249, 0.0499, 0.1237, 0.2339, 0.3774, 0.5033, 0.5131, 0.4706, 0.3796, 0.3073, 0.1300, 0.0491, 0.0176]),
    ],
)
def test_the_boundary_agrees_with_an_implicit_scheme_on_a_fixed_grid(power: float, known: list[float]) -> None:
    time = np.array([10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-5])
    sums = height_at(solved(power), np.log(time)) * np.sqrt(time)
    np.testing.assert_allclose(sums, known, rtol=0, atol=2e-4)


@pytest.mark.by_day("0.0", "2.5")
@pytest.mark.parametrize("power", [0.0, 1.0, 2.5])
def test_halving_the_grid_takes_most_of_the_error_off(power: float) -> None:
    best = solved(power).psi(LEVELS)
    grids = [(50, 0.04), (100, 0.02), (200, 0.01)]
    errors = [np.abs(solve_boundary(power, cells=c, log_step=s).psi(LEVELS) - best).max() for c, s in grids]
    # Third order after extrapolation: a factor of 8 each time, less where the best one's own error shows.
    assert errors[0] < 5e-3
    assert errors[1] < errors[0] / 6.0
    assert errors[2] < errors[1] / 6.0
    assert errors[2] < 5e-5


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0, 4.0])
def test_near_the_bar_the_solution_follows_its_expansion_to_the_fourth_order(power: float) -> None:
    levels = np.array([0.03, 0.06, 0.12])
    errors = np.abs(solved(power).psi(levels) - psi_near(power, levels))
    assert errors[0] < 2e-5
    assert np.all(errors[1:] / errors[:-1] < 20.0)  # 16 for z^4, 8 for z^3
    assert np.all(errors[1:] / errors[:-1] > 12.0)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_far_from_the_bar_the_solution_comes_to_its_expansion(power: float) -> None:
    levels = np.array([5.0, 6.0, 7.0, 7.95])
    errors = np.abs(solved(power).psi(levels) - psi_far(power, levels))
    assert errors[-1] < 4e-3
    assert np.all(np.diff(errors * levels**4) < 0.0)  # faster than z^-4, still


def test_lai_gives_both_ends_of_the_boundary_of_mistakes() -> None:
    boundary = solved()
    late = np.array([2.0, 3.0])
    lai_late = 0.25 * math.sqrt(2.0 / math.pi) * (np.exp(-late) - 5.0 / (48.0 * math.pi) * np.exp(-3.0 * late))
    np.testing.assert_allclose(height_at(boundary, late), lai_late, rtol=5e-5)
    remaining = np.array([22.0, 26.0, 30.0])  # L = -u
    lai_early = 2.0 * remaining + np.log(remaining) - math.log(4.0 * math.pi)
    missing = lai_early - height_at(boundary, -remaining) ** 2
    assert np.all(missing > 0.0)
    assert np.all(missing < 6.0 / remaining)  # o(1): the next term is about -3 / L
    assert np.all(np.diff(missing) < 0.0)


def explicit_twin(spacing: float, log_times: list[float]) -> list[tuple[float, float]]:
    """Return h(u) and V(u, 0) for p = 0 from an explicit scheme on fixed levels, with V cut at the stopping cost."""
    levels = np.arange(0.0, 7.0, spacing)
    stop = np.array([0.5 * math.erfc(z / math.sqrt(2.0)) for z in levels])
    step = spacing**2 / 2.0
    value, u, found = stop.copy(), max(log_times) + 1.0, []
    for target in sorted(log_times, reverse=True):
        while u > target:
            slope = (value[2:] - value[:-2]) / (2.0 * spacing)
            bend = (value[2:] - 2.0 * value[1:-1] + value[:-2]) / spacing**2
            at_bar = 2.0 * (value[1] - value[0]) / spacing**2  # reflection
            value[0] += step * (0.5 * at_bar + math.exp(u))
            value[1:-1] += step * (0.5 * levels[1:-1] * slope + 0.5 * bend + math.exp(u))
            np.minimum(value, stop, out=value)
            u -= step
        inside = np.flatnonzero(stop - value > 0.0)[-10:-2]  # the last cells feel the cut
        # The gain over stopping leaves 0 as a square: its root is smooth up to the boundary.
        found.append((np.polyfit(np.sqrt(stop - value)[inside], levels[inside], 2)[2], value[0]))
    return found


def test_an_explicit_scheme_that_cuts_the_value_finds_the_same_boundary_and_value() -> None:
    log_times = [0.0, -2.0, -4.0]
    boundary = solved()
    for u, (height, value) in zip(log_times, explicit_twin(0.02, log_times), strict=True):
        at = np.array([u])
        assert height == pytest.approx(height_at(boundary, at)[0], abs=2e-3)
        assert value == pytest.approx(np.interp(at, boundary.log_time, boundary.value)[0], abs=1e-4)


def test_the_cost_to_come_at_the_bar_is_that_of_stopping_when_samples_are_dear_and_vanishes_when_they_are_cheap() -> (
    None
):
    boundary = solved()
    late = boundary.log_time > 3.0
    # V = 1/2 - e^u h^2 with h = flux / 2 e^-u, to leading order
    expected = 0.5 - flux(0.0) ** 2 / 4.0 * np.exp(-boundary.log_time[late])
    np.testing.assert_allclose(boundary.value[late], expected, atol=1e-5)
    assert np.all(np.diff(boundary.value) > 0.0)
    assert boundary.value[0] < 1e-5


def test_the_value_is_concave_in_the_price() -> None:
    # The least of many costs that are linear in the price.
    boundary = solved()
    slopes = np.diff(boundary.value) / np.diff(np.exp(boundary.log_time))
    assert np.all(np.diff(slopes) < 0.0)


@pytest.mark.parametrize("power", [-0.1, 10.5, math.nan, math.inf])
def test_a_power_out_of_range_is_refused(power: float) -> None:
    with pytest.raises(InvalidInputError, match="from 0 to 10"):
        solve_boundary(power)
