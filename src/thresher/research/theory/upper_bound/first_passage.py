r"""When an index, given as a callable, reaches a level: :math:`t_j(C)` and :math:`t_{j,0}(C)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thresher.errors import InvalidIndexError
from thresher.types import Bools, Floats

ScalarIndex: TypeAlias = Callable[[float, float], float]
ArrayIndex: TypeAlias = Callable[[Floats, Floats], Floats]

GRID_POINTS = 129
ROUNDING = 1e-9  # how much a tabulated index may fall, relatively, before it is called decreasing
PRECISION = 4.0 * np.finfo(np.float64).eps
MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class Passage:
    """A non-decreasing curve for each arm, on a grid of times, that can be solved for any level.

    Parameters
    ----------
    curves : callable
        ``curves(times, wanted)`` with two arrays of shape (n_rows, n_arms) returns the values where `wanted` is true;
        elsewhere anything.
    grid, values : ndarray of shape (n_points, n_arms)
        Times, increasing, and the values there, non-decreasing.
    """

    curves: Callable[[Floats, Bools], Floats]
    grid: Floats
    values: Floats

    @classmethod
    def tabulated(cls, curves: Callable[[Floats, Bools], Floats], first: Floats, last: Floats) -> Passage:
        """Return the passage with its table between two times of each arm.

        Raises
        ------
        InvalidIndexError
            If a value is not a number or a curve decreases.
        """
        grid = np.geomspace(first, last, GRID_POINTS)
        values = curves(grid, np.ones(grid.shape, dtype=np.bool_))
        ceiling = np.maximum.accumulate(values, axis=0)
        with np.errstate(invalid="ignore"):  # infinity minus infinity is not a decrease
            is_bad = np.isnan(values) | (ceiling - values > ROUNDING * (1.0 + np.abs(ceiling)))
        if np.any(is_bad):
            row, arm = np.argwhere(is_bad)[0]
            raise InvalidIndexError(
                f"of arm {arm}",
                f"it is {values[row, arm]:g} at n = {grid[row, arm]:g}, less than before, or not a number",
            )
        return cls(curves, grid, ceiling)

    def __call__(self, levels: Floats) -> Floats:
        """Return the least time at which each arm's curve is at a level or above it, shape (n_levels, n_arms).

        Below the table it is the first time of the table, above it infinity.
        """
        rows = np.empty((levels.size, self.grid.shape[1]), dtype=np.int64)
        for arm in range(rows.shape[1]):
            rows[:, arm] = np.searchsorted(self.values[:, arm], levels, side="left")
        is_inside = (rows > 0) & (rows < self.grid.shape[0])
        after = np.clip(rows, 1, self.grid.shape[0] - 1)
        arms = np.arange(rows.shape[1])
        bracket = (self.grid[after - 1, arms], self.grid[after, arms])
        heights = (self.values[after - 1, arms] - levels[:, None], self.values[after, arms] - levels[:, None])
        roots = _crossing(
            lambda times, wanted: self.curves(times, wanted) - levels[:, None], bracket, heights, is_inside
        )
        return np.where(is_inside, roots, np.where(rows == 0, self.grid[0], np.inf))


def _crossing(
    function: Callable[[Floats, Bools], Floats],
    bracket: tuple[Floats, Floats],
    heights: tuple[Floats, Floats],
    is_wanted: Bools,
) -> Floats:
    """Return the upper ends of brackets shrunk around sign changes, by Chandrupatla's rule, all at once.

    Inverse quadratic interpolation where it is safe, else bisection: a jump or a plateau costs steps, not correctness.
    """
    (low, high), (f_low, f_high) = bracket, heights
    new, f_new, old, f_old = (
        low.copy(),
        f_low.copy(),
        high.copy(),
        f_high.copy(),
    )  # `new` and `old` enclose the crossing
    third, f_third = old.copy(), f_old.copy()
    share = np.full(low.shape, 0.5)
    is_open = is_wanted.copy()
    for _ in range(MOST_STEPS):
        trial = new + share * (old - new)
        f_trial = np.where(is_open, function(trial, is_open), f_new)
        stays = (f_trial < 0.0) == (f_new < 0.0)
        third, f_third = np.where(stays, new, old), np.where(stays, f_new, f_old)
        old, f_old = np.where(stays | ~is_open, old, new), np.where(stays | ~is_open, f_old, f_new)
        new, f_new = np.where(is_open, trial, new), np.where(is_open, f_trial, f_new)
        least_share = PRECISION * np.abs(new) / np.maximum(np.abs(old - new), np.finfo(np.float64).tiny)
        is_open &= least_share < 0.5  # not at a zero: on a plateau the first one is wanted
        if not np.any(is_open):
            break
        share = np.clip(
            _interpolated_share(new, f_new, old, f_old, third, f_third), least_share, 1.0 - np.minimum(least_share, 0.5)
        )
    return np.where(f_new >= 0.0, new, old)


def _interpolated_share(
    new: Floats, f_new: Floats, old: Floats, f_old: Floats, third: Floats, f_third: Floats
) -> Floats:
    with np.errstate(all="ignore"):  # a division by zero or an infinite value ends in the bisection below
        xi, phi = (new - old) / (third - old), (f_new - f_old) / (f_third - f_old)
        is_safe = (phi**2 < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
        quadratic = f_new / (f_old - f_new) * f_third / (f_old - f_third) + (third - new) / (old - new) * f_new / (
            f_third - f_new
        ) * f_old / (f_third - f_old)
    return np.where(is_safe & np.isfinite(quadratic), quadratic, 0.5)


def array_index(index: Sequence[ScalarIndex] | ArrayIndex, n_arms: int) -> Callable[[Floats, Floats, Bools], Floats]:
    """Return one callable for all arms, of counts, evidence and where it is wanted, each of shape (n_rows, n_arms).

    Parameters
    ----------
    index : sequence of callables, or callable
        One callable of two numbers for each arm; or one of two arrays whose last axis runs over the arms.
    n_arms : int
        How many arms there are.

    Raises
    ------
    InvalidIndexError
        If there are fewer or more callables than arms.
    """
    if callable(index):
        whole = index
        return lambda counts, evidence, _: np.asarray(whole(counts, evidence), dtype=np.float64)
    if len(index) != n_arms:
        raise InvalidIndexError(
            "by arm", f"{len(index)} callables were given for {n_arms} arms", fault="does not fit the problem"
        )
    return lambda counts, evidence, wanted: _called_one_by_one(index, counts, evidence, wanted)


def _called_one_by_one(index: Sequence[ScalarIndex], counts: Floats, evidence: Floats, wanted: Bools) -> Floats:
    values = np.zeros(counts.shape)
    for arm, formula in enumerate(index):
        rows = np.flatnonzero(wanted[:, arm])
        pairs = zip(counts[rows, arm].tolist(), evidence[rows, arm].tolist(), strict=True)
        values[rows, arm] = [formula(count, seen) for count, seen in pairs]
    return values


__all__ = ["ArrayIndex", "Passage", "ScalarIndex", "array_index"]
