"""How an arm is pulled up to a level with the help of a boundary table: draw, add, compare.

What comes out is what :func:`thresher.engine.table.pull_below` gives, to the last bit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from thresher.engine.boundary import END, notice, range_of
from thresher.engine.draws import NORMAL, outcome_at, supply_of
from thresher.engine.table import Kind, drawn_by, pull_below, ranked_by
from thresher.jit import Whole, formula, part
from thresher.policy.ranking import urgency_of
from thresher.streams import Word, normal, word_at
from thresher.types import Floats

CHUNK = 1 << 10  # pulls after which a running sum of bars is computed anew, so that it cannot drift


class Climbed(NamedTuple):
    """How often an arm was pulled in a row, and its index after that."""

    pulls: Whole
    urgency: float


@part
def climb(kind: Kind, pool: Floats, table: Any, row: Any, urgency: float, level: float, most: Whole) -> Climbed:
    """Pull the arm of a row while its index is below a level, at most `most` times.

    It does what :func:`pull_below` does, but evaluates the formula only where a boundary table, of this level or a
    lower one, leaves a doubt.
    """
    if is_quick(kind, table, row, level, most):
        return climb_quickly(kind, table, row, urgency, level, most)
    if table["level"] <= level and row["count"] + most < END:
        return _climb_other(kind, pool, table, row, urgency, level, most)
    pulled = pull_below(kind, pool, row, urgency, level, most)
    return Climbed(pulled.pulls, pulled.urgency)


@formula
def is_quick(kind: Kind, table: Any, row: Any, level: float, most: Whole) -> bool:
    """Return whether an arm is one for :func:`climb_quickly`."""
    return kind.draw == NORMAL and table["level"] <= level and row["count"] + most < END


@part
def climb_quickly(kind: Kind, table: Any, row: Any, urgency: float, level: float, most: Whole) -> Climbed:
    """Pull a normal arm while its index is below a level, at most `most` times.

    It is called without an array: to count references to one takes longer than a draw.
    """
    arm, rule = drawn_by(kind, row), ranked_by(kind, row)
    first, total = row["count"], row["total"]
    count, stop = first, first + most
    while urgency < level and count < stop:
        count, total = _pull_inside(table, arm.key, arm.mean, arm.sigma, arm.threshold, count, stop, total)
        urgency = urgency_of(rule, float(count), total, 0.0)
        notice(table, rule, count)
    row["count"], row["total"] = count, total
    return Climbed(count - first, urgency)


@part
def _pull_inside(
    table: Any, key: Word, mean: float, sigma: float, threshold: float, count: Whole, stop: Whole, total: float
) -> tuple[Whole, float]:
    """Pull a normal arm while its sum is inside its interval; return how often it was pulled in all, and its total.

    This is the hot loop: it draws, adds and compares. It works on plain numbers: see :mod:`thresher.jit`.
    """
    low, high, entries = table["low"], table["high"], range_of(count + 1)
    begin, shift = np.uint64(entries.begin), np.uint64(entries.shift)
    stop, bars, inside = min(stop, entries.last, count + CHUNK), count * threshold, True
    while inside and count < stop:
        total += mean + sigma * normal(word_at(key, count))
        bars += threshold
        count += 1
        entry = begin + (np.uint64(count) >> shift)
        inside = low[entry] < total - bars < high[entry]
    return count, total


@part
def _climb_other(kind: Kind, pool: Floats, table: Any, row: Any, urgency: float, level: float, most: Whole) -> Climbed:
    """Pull any other arm while its index is below a level, at most `most` times."""
    arm, rule = drawn_by(kind, row), ranked_by(kind, row)
    low, high, supply = table["low"], table["high"], supply_of(arm)
    first, total = row["count"], row["total"]
    count, stop = first, min(first + most, supply)
    while urgency < level and count < stop:
        total += outcome_at(arm, pool, count)
        count += 1
        entries = range_of(count)
        entry = entries.begin + (count >> entries.shift)
        if not low[entry] < total - count * arm.threshold < high[entry] or count == stop:
            urgency = urgency_of(rule, float(count), total, 0.0)
            notice(table, rule, count)
    if count == supply:
        urgency = math.inf  # the pool has run dry
    row["count"], row["total"] = count, total
    return Climbed(count - first, urgency)
