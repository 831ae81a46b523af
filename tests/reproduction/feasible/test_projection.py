import numpy as np
import pytest
from scipy.optimize import nnls

from reproduction.feasible.projection import VIOLATION, WEIGHT, distance_from, new_room
from thresher.types import Floats


def distance(rows: Floats, violations: list[float]) -> float:
    room = new_room(len(violations))
    room.numbers[VIOLATION] = violations
    return distance_from(np.ascontiguousarray(rows @ rows.T), room)


def test_a_worked_case() -> None:
    # One row, violated by 2, which is the largest: v = 1, λ (1 + 1) = 1, s = 1/2, and 2 times √(½ / ½).
    room = new_room(1)
    room.numbers[VIOLATION] = 2.0
    assert distance_from(np.eye(1), room) == pytest.approx(2.0, rel=1e-15)
    assert room.numbers[WEIGHT, 0] == pytest.approx(0.5, rel=1e-15)
    # Two at right angles, beyond both by 3 and 4.
    assert distance(np.eye(2), [3.0, 4.0]) == pytest.approx(5.0, rel=1e-14)


def test_a_row_that_the_others_settle_gets_no_weight() -> None:
    # x <= 0, and x + y <= 0 less violated: from (4, -3) to (0, -3), where x + y is -3.
    rows = np.array([[1.0, 0.0], [np.sqrt(0.5), np.sqrt(0.5)]])
    room = new_room(2)
    room.numbers[VIOLATION] = rows @ np.array([4.0, -3.0])
    assert distance_from(np.ascontiguousarray(rows @ rows.T), room) == pytest.approx(4.0, rel=1e-14)
    assert room.numbers[WEIGHT, 1] == 0.0


def test_many_rows_in_many_coordinates_as_least_squares_has_it() -> None:
    random, seen = np.random.default_rng(1974), 0
    for _ in range(300):
        size, n_rows = random.integers(2, 8), random.integers(2, 25)
        rows = random.normal(size=(n_rows, size))
        rows /= np.linalg.norm(rows, axis=1)[:, np.newaxis]
        violations = rows @ random.normal(size=size) * 3.0 - random.choice([0.01, 0.5, 1.0], size=n_rows)
        if violations.max() > 0.0:
            shares = violations / violations.max()
            matrix, wanted = np.vstack([-rows.T, shares]), np.append(np.zeros(size), 1.0)
            left = nnls(matrix, wanted)[1] ** 2
            expected = violations.max() * np.sqrt((1.0 - left) / left)
            assert distance(rows, list(violations)) == pytest.approx(expected, rel=1e-9)
            seen += 1
    assert seen > 200
