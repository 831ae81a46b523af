import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from reproduction.feasible import Region, box, half_space
from thresher.errors import InvalidInputError
from thresher.types import Floats

coordinates = st.floats(-3.0, 3.0, allow_nan=False)


@st.composite
def regions_and_points(draw: st.DrawFn) -> tuple[Region, Floats]:
    """Return a region around 0 (every bound is positive) and a point, likely outside."""
    size, n_rows = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    row = st.lists(st.integers(-3, 3), min_size=size, max_size=size).filter(any)
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    bounds = draw(st.lists(st.sampled_from([0.1, 0.5, 1.0]), min_size=n_rows, max_size=n_rows))
    point = draw(st.lists(coordinates, min_size=size, max_size=size))
    return Region(np.array(rows, float), np.array(bounds)), np.array(point)


def solved_distance(region: Region, point: Floats) -> float:
    """Return the distance by a general solver of quadratic programs."""
    found = minimize(
        lambda y: 0.5 * float(((y - point) ** 2).sum()),
        np.zeros(point.size),
        jac=lambda y: y - point,
        constraints={"type": "ineq", "fun": lambda y: region.bounds - region.rows @ y, "jac": lambda _: -region.rows},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return float(np.linalg.norm(found.x - point))


def enumerated_distance(region: Region, point: Floats) -> float:
    """Return the distance by trying every set of constraints that may hold with equality."""
    rows, bounds = region.rows / _lengths(region)[:, np.newaxis], region.bounds / _lengths(region)
    best = math.inf
    for size in range(1, min(rows.shape) + 1):
        for chosen in itertools.combinations(range(len(bounds)), size):
            active = rows[list(chosen)]
            place = point - np.linalg.pinv(active) @ (active @ point - bounds[list(chosen)])
            if (rows @ place <= bounds + 1e-9).all():
                best = min(best, float(np.linalg.norm(place - point)))
    return best


def test_worked_cases_of_a_box() -> None:
    square = box([0.0, 0.0], [1.0, 2.0])
    # Nearest side; on it; beyond one side; beyond a corner by (3, 4).
    depths = square.depths([(0.4, 1.7), (1.0, 1.0), (1.0, 2.5), (4.0, 6.0)])
    np.testing.assert_allclose(depths, [0.3, 0.0, -0.5, -5.0], atol=1e-14)
    assert square.contains([(0.4, 1.7), (1.0, 1.0), (1.0, 2.5)]).tolist() == [True, True, False]


def test_a_worked_case_of_a_half_space() -> None:
    # 3x + 4y <= 5: the row has length 5, so (0, 0) is 1 inside and (3, 4) is (25 - 5) / 5 = 4 outside.
    plane = half_space([3.0, 4.0], 5.0)
    np.testing.assert_allclose(plane.depths([(0.0, 0.0), (3.0, 4.0)]), [1.0, -4.0], rtol=1e-14)


def test_rows_as_they_are_given_change_slacks_and_not_distances() -> None:
    raw = Region(np.array([[3.0, 4.0]]), np.array([5.0]), unit_rows=False)
    np.testing.assert_allclose(raw.depths([(0.0, 0.0), (3.0, 4.0)]), [5.0, -4.0], rtol=1e-14)


def test_a_worked_case_where_constraints_meet_at_an_acute_angle() -> None:
    # The points whose coordinates increase: (1, 0) goes to (1/2, 1/2), and (2, 1, 0) to (1, 1, 1).
    two = Region(np.array([[1.0, -1.0]]), np.zeros(1))
    three = Region(np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]), np.zeros(2))
    assert two.depths([1.0, 0.0])[0] == pytest.approx(-math.sqrt(0.5), rel=1e-12)
    assert three.depths([2.0, 1.0, 0.0])[0] == pytest.approx(-math.sqrt(2.0), rel=1e-12)


def test_almost_parallel_constraints_are_projected_on_all_the_same() -> None:
    # A narrow wedge around the negative axis, whose tip is 0: the nearest point of (5, 0) is the tip. Projecting on one
    # side after the other would take millions of turns. Rounding grows with the square of distance over violation.
    for narrow in (1e-2, 1e-4, 1e-6):
        wedge = Region(np.array([[narrow, 1.0], [narrow, -1.0]]), np.zeros(2))
        assert wedge.depths([5.0, 0.0])[0] == pytest.approx(-5.0, rel=1e-15 / narrow**2)


def test_constraints_that_say_the_same_or_meet_in_one_point_do_no_harm() -> None:
    twice = Region(np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([1.0, 1.0, 2.0]))
    assert twice.depths([3.0, 0.0])[0] == pytest.approx(-2.0, rel=1e-14)
    # Five sides through one corner of the plane: (3, 4) goes to 0.
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [1.0, 3.0]])
    assert Region(rows, np.zeros(5)).depths([3.0, 4.0])[0] == pytest.approx(-5.0, rel=1e-12)


@given(low=st.lists(coordinates, min_size=3, max_size=3), point=st.lists(coordinates, min_size=3, max_size=3))
def test_a_box_is_what_clipping_says(low: list[float], point: list[float]) -> None:
    corner, place = np.array(low), np.array(point)
    away = np.linalg.norm(place - np.clip(place, corner, corner + 1.0))
    inside = np.minimum(place - corner, corner + 1.0 - place).min()
    depth = box(low, [each + 1.0 for each in low]).depths(place)[0]
    assert depth == pytest.approx(-away if away > 0 else inside, rel=1e-9, abs=1e-12)


@given(case=regions_and_points())
def test_the_distance_is_that_of_an_enumeration_and_of_a_general_solver(case: tuple[Region, Floats]) -> None:
    region, point = case
    depth, slack = region.depths(point)[0], (region.bounds - region.rows @ point).min()
    if slack >= 1e-9:
        assert depth == pytest.approx(((region.bounds - region.rows @ point) / _lengths(region)).min(), abs=1e-12)
    elif slack <= -1e-9:
        assert -depth == pytest.approx(enumerated_distance(region, point), rel=1e-8, abs=1e-9)
        assert -depth == pytest.approx(solved_distance(region, point), rel=1e-6, abs=1e-7)


def _lengths(region: Region) -> Floats:
    return np.asarray(np.linalg.norm(region.rows, axis=1))


@pytest.mark.parametrize(
    ("rows", "bounds", "said"),
    [
        ([[1.0, 0.0]], [1.0, 2.0], "number of bounds is 2; must be that of the rows"),
        ([], [], "rows is"),
        ([[0.0, 0.0]], [1.0], "row of zeros"),
        ([[1.0], [-1.0]], [0.0, -1.0], "inner point"),  # x <= 0 and x >= 1
        ([[1.0], [-1.0]], [0.0, 0.0], "inner point"),  # x = 0 only: no volume
        ([[math.inf]], [0.0], "finite"),
        ([1.0], [0.0], "one row for each constraint"),
    ],
)
def test_what_is_no_region_is_refused(rows: object, bounds: object, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        Region(rows, bounds)  # type: ignore[arg-type]


def test_corners_must_match() -> None:
    with pytest.raises(InvalidInputError, match="must be that of low"):
        box([0.0], [1.0, 1.0])
    with pytest.raises(InvalidInputError, match="number for each coordinate"):
        box([math.nan], [1.0])


def test_a_region_travels() -> None:
    there = pickle.loads(pickle.dumps(Region(np.eye(2), np.ones(2), unit_rows=False)))
    assert not there.unit_rows
    assert there.rows.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert not there.rows.flags.writeable
