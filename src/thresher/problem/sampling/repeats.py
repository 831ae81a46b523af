r"""The order in which an arm is asked its items where each may be asked several times.

New items come first, in the random order of the arm, then the same items again. So that it is known early how much
outcomes of one item vary, one in ten of the first sixty measurements of an arm repeats an item: the fifth repeats the
first, the fifteenth the second, and so on, as long as there are new items. The order depends on the arm alone, not on
what was measured elsewhere: a place in it is always the same item, in a simulation, in a campaign and in its replay.

The item at rank `j` of the random order is asked for the time `repeat` (0 at first) at the place :func:`place_of`;
:func:`turn_at` is the inverse.
"""

from __future__ import annotations

from typing import NamedTuple

from thresher.jit import njit

FIRST, PERIOD, MOST = 4, 10, 6  # place of the first early repeat, places from one to the next, and how many there are
NEW = PERIOD - 1  # new items between two of them
LEAST = 1e-12  # share of the variance: a mean is never known exactly


class ItemTurn(NamedTuple):
    """Which item of the random order is asked, and how often it was asked before."""

    rank: int
    repeat: int


@njit(cache=True)
def early_repeats(size: int, repeats: int) -> int:
    """Return how many items are repeated before all `size` items were asked once."""
    if repeats == 1 or size <= FIRST:
        return 0
    return min(MOST, (size - FIRST + NEW - 1) // NEW)


@njit(cache=True)
def repeated_before(place: int, size: int, repeats: int) -> int:
    """Return how many of the early repeats come before a place."""
    return min(early_repeats(size, repeats), (place + PERIOD - FIRST - 1) // PERIOD)


@njit(cache=True)
def turn_at(place: int, size: int, repeats: int) -> ItemTurn:
    """Return the item at a place (0, 1, 2, …) of the order of an arm, and the ordinal of this repeat."""
    early = early_repeats(size, repeats)
    if place >= size + early:
        return ItemTurn(place % size, place // size)
    before = repeated_before(place, size, repeats)
    if before < early and place == FIRST + PERIOD * before:
        return ItemTurn(before, 1)
    return ItemTurn(place - before, 0)


@njit(cache=True)
def place_of(rank: int, repeat: int, size: int, repeats: int) -> int:
    """Return the place at which an item is asked for the time `repeat`."""
    early = early_repeats(size, repeats)
    if repeat == 0:
        return rank + (min(early, (rank - FIRST) // NEW + 1) if rank >= FIRST else 0)
    if repeat == 1 and rank < early:
        return FIRST + PERIOD * rank
    return repeat * size + rank
