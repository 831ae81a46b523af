r"""The search for the levels :math:`C_k`: one curve for each arm, all of them evaluated at the same levels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thresher.types import Floats, Ints

POINTS_PER_ROUND = 32
MOST_CELLS = 128  # cells split in one round: what bounds the work when there are thousands of arms
MOST_ROUNDS = 60
CLOSE = 1.0  # how far above the least a local minimum may be and still be followed
NARROWEST = 8.0 * np.finfo(np.float64).eps


def least_over_levels(
    curves: Callable[[Floats], Floats], levels: Floats, *, flatness: float = 1e-3
) -> tuple[Floats, Floats]:
    """Return where each of several curves is least between given levels, and the values there.

    Every level gives a valid bound: a poor search loses tightness, not validity. A level costs an
    evaluation for all arms, therefore all curves share the points: the cells next to the minima of any curve are
    split, into many parts while the curves agree where to look, until each curve is flat there; one parabola for each
    curve ends it.

    Parameters
    ----------
    curves : callable
        Takes levels, shape (n_levels,), increasing; returns values, shape (n_levels, n_curves), possibly infinite.
    levels : ndarray of shape (n_levels,)
        Where to look first; they enclose what is searched and should be close enough to show where the minima are.
    flatness : float
        A curve is followed until it climbs by no more than this to both sides of its minimum; the parabola does the
        rest, unless the curve has a kink there.

    Returns
    -------
    tuple of ndarray of shape (n_curves,)
        The levels and the least values found.
    """
    levels = np.unique(levels)
    values = curves(levels)
    for _ in range(MOST_ROUNDS):
        fresh = _points_in_steep_cells(levels, values, flatness)
        if not fresh.size:
            break
        levels, values = _merged(levels, values, fresh, curves(fresh))
    fresh = _vertices(levels, values)
    if fresh.size:
        levels, values = _merged(levels, values, fresh, curves(fresh))
    best = np.argmin(values, axis=0)
    return levels[best], values[best, np.arange(values.shape[1])]


def _points_in_steep_cells(levels: Floats, values: Floats, flatness: float) -> Floats:
    """Return new levels inside of the cells next to a minimum over which the curve still climbs."""
    row, column = _promising(values)
    starts = np.unique(np.concatenate([_steep(values, row, column, side, flatness) for side in (-1, 1)]))
    widths = levels[starts + 1] - levels[starts]
    starts = starts[widths > NARROWEST * np.abs(levels[starts + 1])]
    if starts.size > MOST_CELLS:
        starts = starts[np.linspace(0, starts.size - 1, MOST_CELLS).astype(np.int64)]
    parts = max(2, POINTS_PER_ROUND // max(1, starts.size))
    inner = np.arange(1, parts) / parts
    fresh: Floats = levels[starts, None] + (levels[starts + 1] - levels[starts])[:, None] * inner
    return fresh.ravel()


def _promising(values: Floats) -> tuple[Ints, Ints]:
    """Return the local minima that may turn out to be the least: there are two when one is at a jump, say."""
    walls = np.full((1, values.shape[1]), np.inf)
    is_low = values <= values.min(axis=0) + CLOSE
    is_low &= (values <= np.concatenate([walls, values[:-1]])) & (values <= np.concatenate([values[1:], walls]))
    row, column = np.nonzero(is_low & np.isfinite(values))
    return row, column


def _steep(values: Floats, best: Ints, column: Ints, side: int, flatness: float) -> Ints:
    """Return the left ends of the cells on one side of the minima over which the values climb."""
    neighbour = best + side
    is_inside = (neighbour >= 0) & (neighbour < values.shape[0])
    best, neighbour, column = best[is_inside], neighbour[is_inside], column[is_inside]
    is_steep = values[neighbour, column] - values[best, column] > flatness
    lefts: Ints = np.minimum(best, neighbour)[is_steep]
    return lefts


def _vertices(levels: Floats, values: Floats) -> Floats:
    """Return the vertex of the parabola through each curve's minimum and its two neighbours."""
    best, column = np.argmin(values, axis=0), np.arange(values.shape[1])
    is_inside = (best > 0) & (best < values.shape[0] - 1)
    best, column = best[is_inside], column[is_inside]
    left, middle, right = (values[best + side, column] for side in (-1, 0, 1))
    is_finite = np.isfinite(left) & np.isfinite(middle) & np.isfinite(right)
    best, left, middle, right = best[is_finite], left[is_finite], middle[is_finite], right[is_finite]
    before, after = levels[best] - levels[best - 1], levels[best + 1] - levels[best]
    down, up = (left - middle) / before, (right - middle) / after
    curvature = down + up
    is_bent = curvature > 0.0
    shift = (down * after - up * before)[is_bent] / (2.0 * curvature[is_bent])
    fresh = np.setdiff1d(levels[best][is_bent] + shift, levels)
    return fresh if fresh.size <= MOST_CELLS else fresh[np.linspace(0, fresh.size - 1, MOST_CELLS).astype(np.int64)]


def _merged(levels: Floats, values: Floats, fresh: Floats, fresh_values: Floats) -> tuple[Floats, Floats]:
    every, first = np.unique(np.concatenate([levels, fresh]), return_index=True)
    return every, np.concatenate([values, fresh_values])[first]


__all__ = ["least_over_levels"]
