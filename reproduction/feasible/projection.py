r"""How far a point is from a polyhedron: the least-distance problem of :cite:p:`lawson1974`, solved exactly.

With :math:`v = Ax - b`, rows of length 1 and :math:`G = AA^\top`, the square of the distance is :math:`s/(1 - s)`.
Here :math:`s = v^\top\lambda` for the weights :math:`\lambda \ge 0` of least
:math:`\lambda^\top (G + vv^\top)\lambda - 2v^\top\lambda` (their algorithms LDP and NNLS, chapter 23). A row is passive
while its weight is positive. Rows become passive one by one, the most violated first, and the weights of all passive
rows are solved for; it ends when no row is violated, after finitely many steps. The relative error is that of rounding
times the square of the distance over the largest violation; where constraints almost coincide it can be 1e-8.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.jit import kernel
from thresher.types import Floats, Ints

VIOLATION, WEIGHT, TRIAL, HALF = range(4)  # rows of the numbers of a room
ROUNDING = 1e-14  # of the largest violation: less is none
MOST_STEPS = 10  # for each constraint; more would be rounding that goes in circles


class Room(NamedTuple):
    """Where a projection is worked out; M rows.

    Attributes
    ----------
    numbers : ndarray of float64, shape (4, M)
        Violations, as shares of the largest; weights; by place in `passive`, weights on trial, and the right-hand side
        half solved.
    factor : ndarray of float64, shape (M, M)
        Cholesky factor of the passive part of the matrix.
    passive : ndarray of int64, shape (M,)
        The passive rows, in the order of the factor.
    """

    numbers: Floats
    factor: Floats
    passive: Ints


@kernel
def new_room(n_rows: int) -> Room:
    """Return an empty array for a region with this many rows."""
    return Room(np.zeros((4, n_rows)), np.zeros((n_rows, n_rows)), np.zeros(n_rows, np.int64))


@kernel
def distance_from(gram: Floats, room: Room) -> float:
    """Return the Euclidean distance to a region of a point outside it, whose violations are in `room`."""
    numbers, passive = room.numbers, room.passive
    n_rows, size, spent = gram.shape[0], 0, 0.0
    largest = 0.0
    for j in range(n_rows):
        largest = max(largest, numbers[VIOLATION, j])
    for j in range(n_rows):
        numbers[VIOLATION, j] /= largest
        numbers[WEIGHT, j] = 0.0
    for _ in range(MOST_STEPS * n_rows):
        row = _most_violated(gram, numbers, passive, size, spent)
        if row < 0 or not _append(gram, numbers, room.factor, passive, size, row):
            break
        size = _reweigh(gram, numbers, room.factor, passive, size + 1)
        if numbers[WEIGHT, row] == 0.0:  # not a violation, only rounding
            break
        spent = 0.0
        for i in range(size):
            spent += numbers[VIOLATION, passive[i]] * numbers[WEIGHT, passive[i]]
    return float(largest * math.sqrt(spent / (1.0 - spent)))


@kernel
def _most_violated(gram: Floats, numbers: Floats, passive: Ints, size: int, spent: float) -> int:
    """Return the row that the present weights leave most violated, or -1 if none is."""
    worst, most = -1, ROUNDING
    for j in range(gram.shape[0]):
        if numbers[WEIGHT, j] == 0.0:
            violation = numbers[VIOLATION, j] * (1.0 - spent)
            for i in range(size):
                violation -= gram[j, passive[i]] * numbers[WEIGHT, passive[i]]
            if violation > most:
                worst, most = j, violation
    return worst


@kernel
def _append(gram: Floats, numbers: Floats, factor: Floats, passive: Ints, size: int, row: int) -> bool:
    """Make a row passive: extend the factor and solve its lower half; return False if it depends on the others."""
    own = numbers[VIOLATION, row]
    pivot, rest = gram[row, row] + own * own, own
    for i in range(size):
        value = gram[row, passive[i]] + own * numbers[VIOLATION, passive[i]]
        for k in range(i):
            value -= factor[size, k] * factor[i, k]
        value /= factor[i, i]
        factor[size, i] = value
        pivot -= value * value
        rest -= value * numbers[HALF, i]
    if pivot <= ROUNDING:
        return False
    passive[size], factor[size, size] = row, math.sqrt(pivot)
    numbers[HALF, size] = rest / factor[size, size]
    return True


@kernel
def _reweigh(gram: Floats, numbers: Floats, factor: Floats, passive: Ints, size: int) -> int:
    """Give the passive rows their weights; rows whose weight would be negative leave. Return how many stay."""
    while size > 0:
        blocking, share = -1, 1.0
        for i in range(size - 1, -1, -1):
            value = numbers[HALF, i]
            for k in range(i + 1, size):
                value -= factor[k, i] * numbers[TRIAL, k]
            numbers[TRIAL, i] = value / factor[i, i]
            if numbers[TRIAL, i] <= 0.0:
                weight = numbers[WEIGHT, passive[i]]
                reach = weight / (weight - numbers[TRIAL, i]) if weight > 0.0 else 0.0
                if blocking < 0 or reach < share:
                    blocking, share = i, reach
        for i in range(size):
            weight = numbers[WEIGHT, passive[i]]
            numbers[WEIGHT, passive[i]] = weight + share * (numbers[TRIAL, i] - weight)
        if blocking < 0:
            return size
        numbers[WEIGHT, passive[blocking]] = 0.0
        kept, size = size, 0
        for i in range(kept):
            row = passive[i]
            if numbers[WEIGHT, row] > 0.0:
                _append(gram, numbers, factor, passive, size, row)
                size += 1
            else:
                numbers[WEIGHT, row] = 0.0
    return 0
