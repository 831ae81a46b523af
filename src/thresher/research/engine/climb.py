"""How an arm is pulled up to a level with the help of a boundary table: draw, add, compare.

The result equals that of :func:`thresher.research.engine.table.pull_below`, bit for bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher.jit import Whole, formula, kernel
from thresher.policy import arm_index
from thresher.research.engine.boundary import END, extend, notice, range_of
from thresher.research.engine.draws import NORMAL
from thresher.research.engine.table import DrawnPool, Kind, Pulled, drawn_by, pull_below, ranked_by
from thresher.streams import Word, normal, uniform, word_at

CHUNK = 1 << 10  # pulls after which a running sum of bars is computed again, so that it cannot drift


@kernel
def climb(kind: Kind, pool: DrawnPool, table: Any, row: Any, index: float, level: float, most: Whole) -> Pulled:
    """Pull the arm of a row while its index is below a level, at most `most` times.

    It does what :func:`pull_below` does, but evaluates the formula only where a boundary table, of this level or a
    lower one, leaves a doubt. The highest index is then not known: not a number.
    """
    if is_quick(table, row, level, most):
        return climb_quickly(kind, table, row, index, level, most)
    return pull_below(kind, pool, row, index, level, most)


@formula
def is_quick(table: Any, row: Any, level: float, most: Whole) -> bool:
    """Return whether an arm is one for :func:`climb_quickly`."""
    return bool(table["level"] <= level and row["count"] + most < END)


@kernel
def climb_quickly(kind: Kind, table: Any, row: Any, index: float, level: float, most: Whole) -> Pulled:
    """Pull the arm of a row while its index is below a level, at most `most` times, by a table.

    It is called without an array: to count references to one takes longer than a draw.
    """
    arm, rule = drawn_by(kind, row), ranked_by(kind, row)
    first, total = row["count"], row["total"]
    count, stop = first, first + most
    while index < level and count < stop:
        if count + 1 >= table["end"]:
            extend(table, count + 1)
        if arm.draw == NORMAL:
            count, total = _pull_normal(table, arm.key, arm.mean, arm.sigma, arm.threshold, count, stop, total)
        else:
            count, total = _pull_zero_one(table, arm.key, arm.mean, arm.threshold, count, stop, total)
        index = arm_index(rule, float(count), total, 0.0)
        notice(table, rule, count)
    row["count"], row["total"] = count, total
    return Pulled(count - first, index, math.nan)


@kernel
def _pull_normal(
    table: Any, key: Word, mean: float, sigma: float, threshold: float, count: Whole, stop: Whole, total: float
) -> tuple[Whole, float]:
    """Pull a normal arm while its sum is inside its interval; return how often it was pulled in all, and its total.

    This is the hot loop: it draws, adds and compares. It works on plain numbers: see :mod:`thresher.jit`.
    """
    middle, reach, entries = table["middle"], table["reach"], range_of(count + 1)
    begin, shift, inside = np.uint64(entries.begin), np.uint64(entries.shift), True
    stop, bars = min(stop, entries.last, table["end"] - 1, count + CHUNK), count * threshold
    while inside and count < stop:
        total += mean + sigma * normal(word_at(key, count))
        bars += threshold
        count += 1
        entry = begin + (np.uint64(count) >> shift)
        inside = abs(total - bars - middle[entry]) < reach[entry]
    return count, total


@kernel
def _pull_zero_one(
    table: Any, key: Word, mean: float, threshold: float, count: Whole, stop: Whole, total: float
) -> tuple[Whole, float]:
    """Pull an arm with outcomes 0 and 1 in the same way."""
    middle, reach, entries = table["middle"], table["reach"], range_of(count + 1)
    begin, shift, inside = np.uint64(entries.begin), np.uint64(entries.shift), True
    stop, bars = min(stop, entries.last, table["end"] - 1, count + CHUNK), count * threshold
    while inside and count < stop:
        total += 1.0 if uniform(word_at(key, count)) < mean else 0.0
        bars += threshold
        count += 1
        entry = begin + (np.uint64(count) >> shift)
        inside = abs(total - bars - middle[entry]) < reach[entry]
    return count, total
