r"""The bar: a polyhedron :math:`P = \{x : Ax \le b\}`, and how deep a point lies in it or how far outside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reproduction.feasible.projection import VIOLATION, Room, distance_from, new_room
from thresher.errors import InvalidInputError
from thresher.jit import kernel
from thresher.types import Bools, Floats


class Bar(NamedTuple):
    """A region as compiled code sees it; M rows, D coordinates.

    Attributes
    ----------
    normals : ndarray of float64, shape (M, D)
        Rows of length 1.
    offsets : ndarray of float64, shape (M,)
        The bounds that belong to them.
    scales : ndarray of float64, shape (M,)
        By what a slack is multiplied: 1, or the length of the row as it was given.
    gram : ndarray of float64, shape (M, M)
        Inner products of the normals.
    """

    normals: Floats
    offsets: Floats
    scales: Floats
    gram: Floats


@kernel
def depth_at(bar: Bar, point: Floats, room: Room) -> float:
    """Return the least slack of a point inside the region, minus the distance of one outside.

    Parameters
    ----------
    bar : Bar
    point : ndarray of float64, shape (D,)
    room : Room
        To work in.
    """
    least = math.inf
    for j in range(bar.offsets.size):
        slack = bar.offsets[j]
        for d in range(point.size):
            slack -= bar.normals[j, d] * point[d]
        room.numbers[VIOLATION, j] = -slack
        least = min(least, bar.scales[j] * slack)
    return least if least >= 0.0 else -distance_from(bar.gram, room)


@dataclass(frozen=True, eq=False)
class Region:
    r"""A polyhedron :math:`\{x : Ax \le b\}` with points inside.

    Parameters
    ----------
    rows : array, shape (M, D)
        :math:`A`; no row is 0.
    bounds : array, shape (M,)
        :math:`b`.
    unit_rows : bool
        Measure the slack of a point inside by its distance from each hyperplane, as the paper defines it (section 3).
        Without, by :math:`b_j - a_j^\top x` with the rows as they are given. Distances outside are the same for both.

    Raises
    ------
    InvalidInputError
        If shapes do not fit, a number is not finite, a row is 0 or the region has no inner point.
    """

    rows: Floats
    bounds: Floats
    unit_rows: bool = True

    def __post_init__(self) -> None:
        rows, bounds = _numbers("rows", self.rows, 2), _numbers("bounds", self.bounds, 1)
        if rows.shape[0] != bounds.size or rows.size == 0:
            raise InvalidInputError(
                "number of bounds", bounds.size, rule=f"must be that of the rows ({rows.shape[0]}), and at least 1"
            )
        lengths = np.linalg.norm(rows, axis=1)
        if not (lengths > 0.0).all():
            raise InvalidInputError(
                "rows", rows.tolist(), rule="must not have a row of zeros", fix="leave it out: it bounds nothing"
            )
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "bounds", bounds)
        _demand_inner_point(rows, bounds, lengths)

    def __reduce__(self) -> tuple[Callable[..., Region], tuple[Floats, Floats, bool]]:
        """Travel through the constructor, so that frozen arrays stay frozen."""
        return Region, (self.rows, self.bounds, self.unit_rows)

    @property
    def dimension(self) -> int:
        """D, the number of coordinates."""
        return int(self.rows.shape[1])

    @property
    def bar(self) -> Bar:
        """The region in the arrays that kernels take."""
        lengths = np.linalg.norm(self.rows, axis=1)
        normals = np.ascontiguousarray(self.rows / lengths[:, np.newaxis])
        scales = np.ones(lengths.size) if self.unit_rows else lengths
        return Bar(normals, self.bounds / lengths, scales, np.ascontiguousarray(normals @ normals.T))

    def depths(self, points: ArrayLike) -> Floats:
        """Return for each point its least slack if it is inside, minus its distance if not; shape (n,).

        Parameters
        ----------
        points : array, shape (n, D)
        """
        bar, room = self.bar, new_room(self.bounds.size)
        each = np.array(points, dtype=np.float64).reshape(-1, self.dimension)
        return np.array([depth_at(bar, point, room) for point in each])

    def contains(self, points: ArrayLike) -> Bools:
        """Return for each point whether it is inside or on the boundary, shape (n,)."""
        return self.depths(points) >= 0.0


def box(low: Sequence[float], high: Sequence[float]) -> Region:
    """Return the box between two corners; an infinite coordinate does not bound it."""
    least, most = _corner("low", low), _corner("high", high)
    if least.shape != most.shape:
        raise InvalidInputError("number of coordinates of high", most.size, rule=f"must be that of low ({least.size})")
    sides = np.vstack([np.eye(least.size), -np.eye(least.size)])
    bounds = np.concatenate([most, -least])
    bounded = bounds < math.inf
    return Region(sides[bounded], bounds[bounded])


def half_space(row: Sequence[float], bound: float) -> Region:
    r"""Return :math:`\{x : a^\top x \le b\}`."""
    return Region(np.array([row], dtype=np.float64), np.array([bound], dtype=np.float64))


def _corner(name: str, values: Sequence[float]) -> Floats:
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or np.isnan(array).any():
        raise InvalidInputError(f"corner {name}", array.tolist(), rule="must be a number for each coordinate")
    return array


def _numbers(name: str, values: ArrayLike, axes: int) -> Floats:
    array = np.array(values, dtype=np.float64)
    if array.ndim != axes or not np.isfinite(array).all():
        shape = "a table, one row for each constraint" if axes == 2 else "a list, one number for each constraint"
        raise InvalidInputError(name, array.tolist(), rule=f"must be finite numbers: {shape}")
    array.flags.writeable = False
    return array


def _demand_inner_point(rows: Floats, bounds: Floats, lengths: Floats) -> None:
    """Raise unless a ball fits into the region (the paper's positive volume); it is looked for up to radius 1."""
    from scipy.optimize import linprog  # slow to import: paid for by those who make regions

    radius = np.zeros(rows.shape[1] + 1)
    radius[-1] = 1.0
    ball = np.column_stack([rows, lengths])
    limits = [(None, None)] * rows.shape[1] + [(0.0, 1.0)]
    found = linprog(-radius, A_ub=ball, b_ub=bounds, bounds=limits)
    if found.status != 0 or not found.x[-1] > 1e-9:
        raise InvalidInputError("bounds", bounds.tolist(), rule="must leave room for an inner point of the region")
