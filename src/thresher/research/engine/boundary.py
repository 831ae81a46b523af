r"""Boundary tables: between which sums an arm's index is below a level, so that most pulls need no formula.

An index is non-decreasing in pulls and in evidence (:cite:p:`ouhamma2021`, Assumption 1), so for each number of pulls
`n` there is an interval such that the index is below the level while :math:`S = \sum_{i \le n} (X_i - \theta)` lies in
it. Arms of equal rule share the interval, and so do runs. The tables hold intervals that are slightly too narrow:
inside, the formula gives less than the level for certain, whatever the rounding; elsewhere the formula decides. So
they change how long a run takes and nothing else.

The intervals of neighbouring numbers of pulls are computed together, as a cell, once the formula has been evaluated a
few times there: the tables never cost much more than they save.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.inference import KL, SQUARED, kl_evidence
from thresher.jit import Whole, formula, kernel
from thresher.policy import LARGEST, ArmRule
from thresher.policy.index import SPRT, USER_CODE, index_of
from thresher.types import Floats, Ints

MOST_GROUPS = 4  # rules with tables; where there are more, no arm has one
SLOTS = 128  # levels with tables; later ones make do with the table of a lower level
TRIES = 4  # evaluations of the formula in a cell before its intervals are computed
CLOSENESS = 2.0**-9  # how near the end of an interval is to the boundary, relatively
CELL_BITS = 4  # a cell spans 2^-4 of its number of pulls; below 2^4, one
FINE_BITS, COARSER_BITS, RANGES = 10, 5, 4  # one pull to an entry below 2^10, 2^5 below 2^15, 2^10 below 2^20, …
RANGE_SIZE = (1 << FINE_BITS) - (1 << (FINE_BITS - COARSER_BITS))
ENTRIES = (1 << FINE_BITS) + (RANGES - 1) * RANGE_SIZE
END = 1 << (FINE_BITS + (RANGES - 1) * COARSER_BITS)  # no table beyond this many pulls

# Running sums, means and formulas err by a few units in the last place, 2e-16, of their largest term. The margins are
# thousands of times that, and still too small to cost time.
INDEX_MARGIN = 1e-10
SUM_MARGIN = 1e-11

_SPRT_CODE = SPRT.code
_MOST, _LEAST = 1e12, 1e-12  # evidence, or distance from the bar, that is looked at


# A record, because an array is counted whenever it is passed on, and that takes longer than a draw.
TABLE = np.dtype(
    [("level", "f8"), ("farthest_bar", "f8"), ("end", "i8"), ("middle", "f8", (ENTRIES,)), ("reach", "f8", (ENTRIES,))]
)


class Boundaries(NamedTuple):
    """The tables of one kernel call.

    Attributes
    ----------
    groups : int
        How many rules have tables.
    farthest_bar : float
        The largest absolute value of a bar.
    levels : ndarray of float64, shape (SLOTS,)
        The levels with tables, ascending; then infinities.
    slots : ndarray of int64, shape (SLOTS,)
        Which slot each of these levels has; they are taken in their order.
    tables : ndarray of TABLE, shape (SLOTS * groups + 1,)
        Slot by slot, a table for each group: its level, from how many pulls on it is not filled yet, and of each
        entry the middle of its interval and how far that reaches to both sides: one comparison tells whether a sum is
        inside. Until these are computed, the middle is not a number, and the reach of a cell's first entry is how
        often the formula was evaluated there. The last table is none: its level is not a number.
    """

    groups: Whole
    farthest_bar: float
    levels: Floats
    slots: Ints
    tables: NDArray[np.void]


@kernel
def new_boundaries(groups: Whole, thresholds: Floats) -> Boundaries:
    """Return empty tables."""
    tables = np.empty(SLOTS * groups + 1, TABLE)
    tables[-1]["level"] = math.nan
    return Boundaries(groups, np.abs(thresholds).max(), np.full(SLOTS, math.inf), np.empty(SLOTS, np.int64), tables)


@formula
def has_table(rule: ArmRule) -> bool:
    """Return whether the index of an arm can have tables.

    A user's formula may not be monotone, that of a finite pool is not, and that of the sequential test loses digits
    near the bar.
    """
    if rule.size < math.inf:
        return False
    return rule.code != USER_CODE and rule.code != _SPRT_CODE and (rule.evidence == SQUARED or rule.evidence == KL)


@formula
def share_table(one: ArmRule, other: ArmRule) -> bool:
    """Return whether the indices of two arms reach every level at the same sums about their bars."""
    return (
        one.code == other.code
        and one.parameter == other.parameter
        and one.cost == other.cost
        and one.precision == other.precision
        and one.pseudo_count == other.pseudo_count
        and _pseudo_sum(one) == _pseudo_sum(other)
        and (one.threshold == other.threshold or one.evidence == SQUARED)
    )


@formula
def _pseudo_sum(rule: ArmRule) -> float:
    """Return the sum of the pseudo-samples about the bar."""
    return rule.pseudo_total - rule.pseudo_count * rule.threshold


@kernel
def slot_below(boundaries: Boundaries, level: float) -> Whole:
    """Return the slot of the highest level with tables that is not above a level; -1 if there is none."""
    place = _place_below(boundaries.levels, level)
    return boundaries.slots[place] if place >= 0 else np.int64(-1)


@kernel
def slot_for(boundaries: Boundaries, level: float) -> Whole:
    """Return the slot of a level, a new one if there is room, else the one below it; -1 if there is none."""
    groups, levels, slots, tables = boundaries.groups, boundaries.levels, boundaries.slots, boundaries.tables
    place = _place_below(levels, level)
    if groups == 0 or levels[-1] < math.inf or (place >= 0 and levels[place] == level):
        return slot_below(boundaries, level)
    free = _place_below(levels, LARGEST) + 1
    for i in range(free, place + 1, -1):
        levels[i], slots[i] = levels[i - 1], slots[i - 1]
    levels[place + 1], slots[place + 1] = level, free
    for group in range(groups):
        table = tables[free * groups + group]
        table["level"], table["farthest_bar"], table["end"] = level, boundaries.farthest_bar, 1
    return free


@kernel
def _place_below(levels: Floats, level: float) -> Whole:
    """Return the position of the highest of the ascending levels that is not above a level; -1 if there is none."""
    return np.int64(np.searchsorted(levels, min(level, LARGEST), side="right")) - np.int64(1)


@formula
def place_of(groups: Whole, slot: Whole, group: Whole) -> Whole:
    """Return the position of a group's table in a slot."""
    return slot * groups + group if slot >= 0 and group >= 0 else SLOTS * groups


class Range(NamedTuple):
    """Numbers of pulls, up to `last`, whose entries are equally wide: that of `n` is ``begin + (n >> shift)``."""

    begin: Whole
    shift: Whole
    last: Whole


@formula
def range_of(count: Whole) -> Range:
    """Return the range that a number of pulls below the end belongs to."""
    begin, shift = np.int64(0), np.int64(0)
    while count >> (shift + FINE_BITS) > 0:
        begin += RANGE_SIZE
        shift += COARSER_BITS
    return Range(begin, shift, (np.int64(1) << (shift + FINE_BITS)) - 1)


@kernel
def extend(table: Any, count: Whole) -> None:
    """Grow a table to hold this many pulls, and at least to twice its size."""
    middle, reach, first = table["middle"], table["reach"], table["end"]
    while table["end"] <= count:
        table["end"] *= 2
    begin, end = range_of(first), range_of(table["end"] - 1)
    for entry in range(begin.begin + (first >> begin.shift), end.begin + ((table["end"] - 1) >> end.shift) + 1):
        middle[entry], reach[entry] = math.nan, 0.0


@kernel
def notice(table: Any, rule: ArmRule, count: Whole) -> None:
    """Count an evaluation of the formula, and compute the intervals of its cell when it is time."""
    middle, reach, entries = table["middle"], table["reach"], range_of(count)
    if not math.isnan(middle[entries.begin + (count >> entries.shift)]):
        return
    bits = np.int64(0)
    while count >> (bits + CELL_BITS + 1) > 0:
        bits += 1
    first, size = (count >> bits) << bits, np.int64(1) << bits
    entry = entries.begin + (first >> entries.shift)
    reach[entry] += 1.0
    if reach[entry] >= TRIES:
        cell = cell_of(rule, table["level"], float(first), float(first + size - 1), table["farthest_bar"])
        for more in range(0, size, np.int64(1) << entries.shift):
            middle[entry], reach[entry] = interval_of(cell, float(more))
            entry += 1


class Cell(NamedTuple):
    """The intervals of a range of pulls: both ends at the first of them, what each grows by per pull, and the shift."""

    below: float
    above: float
    below_growth: float
    above_growth: float
    shift: float


@kernel
def cell_of(rule: ArmRule, level: float, least: float, most: float, farthest_bar: float) -> Cell:
    r"""Return intervals for `least` to `most` pulls, as straight lines.

    With the evidence :math:`x` that it takes after the most pulls, the ends are concave in the number of pulls
    (:math:`\sqrt{x n / \lambda}`, or :math:`n` times a concave function of :math:`x / n`), so a chord is inside.
    """
    fewest, seen = least + rule.pseudo_count, most + rule.pseudo_count
    evidence = _evidence_below(rule, seen, level - INDEX_MARGIN * (1.0 + abs(level)))
    below, above = _ends(rule, evidence, fewest)
    last_below, last_above = _ends(rule, evidence, seen)
    steps, rounding = max(most - least, 1.0), SUM_MARGIN * (seen * farthest_bar + abs(rule.pseudo_total))
    return Cell(
        below - rounding,
        above - rounding,
        (last_below - below) / steps,
        (last_above - above) / steps,
        _pseudo_sum(rule),
    )


@formula
def interval_of(cell: Cell, more: float) -> tuple[float, float]:
    """Return the middle and the half-width of the sums at which the index is certainly below the level.

    They are for the sum about the bar after this many more pulls.

    The margin is that of the larger side: the middle is rounded by a share of it.
    """
    below, above = cell.below + more * cell.below_growth, cell.above + more * cell.above_growth
    reach = 0.5 * (above + below) - SUM_MARGIN * (max(above, below) + abs(cell.shift))
    return 0.5 * (above - below) - cell.shift, reach


@kernel
def _ends(rule: ArmRule, evidence: float, seen: float) -> tuple[float, float]:
    """Return how far below and above the bar the sum of this many samples has that evidence."""
    if rule.evidence == SQUARED:
        reach = math.sqrt(evidence * seen / rule.precision)
        return reach, reach
    rate = evidence / seen - SUM_MARGIN
    return seen * _gap_below(rate, rule.threshold, 0.0), seen * _gap_below(rate, rule.threshold, 1.0)


@kernel
def _evidence_below(rule: ArmRule, seen: float, level: float) -> float:
    """Return evidence with which the index is still below a level, nearly as much as can be; 0 if there is none."""
    low, high = 0.0, 1.0
    while high < _MOST and index_of(rule.code, rule.user, seen, high, rule.cost, rule.parameter) < level:
        low, high = high, 4.0 * high
    while high - low > CLOSENESS * high and high > _LEAST:
        middle = 0.5 * (low + high)
        if index_of(rule.code, rule.user, seen, middle, rule.cost, rule.parameter) < level:
            low = middle
        else:
            high = middle
    return low


@kernel
def _gap_below(rate: float, threshold: float, end: float) -> float:
    """Return how far from the bar, in the direction of `end`, a mean has a divergence just below a rate."""
    inner, outer = threshold, end
    if kl_evidence(1.0, end, threshold) < rate:
        return abs(end - threshold)
    while abs(outer - inner) > CLOSENESS * abs(outer - threshold) and abs(outer - threshold) > _LEAST:
        middle = 0.5 * (inner + outer)
        if kl_evidence(1.0, middle, threshold) < rate:
            inner = middle
        else:
            outer = middle
    return abs(inner - threshold)
