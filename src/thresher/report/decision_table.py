"""The table of all arms as text: its columns, their order, and which are left out where it is too wide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast
from unicodedata import east_asian_width

from thresher.report.decision_rows import HasDecision, HasDifference, HasShare
from thresher.report.decisions import COLOURS, decision_cell, in_order, interval_cell
from thresher.report.measure import Measure
from thresher.report.numbers import NONE, chance, figure, rate, signed
from thresher.report.quantile_words import SHARE, quantile_name
from thresher.report.said import Said

HEADS = ("arm", "decision", "mean", "interval", "bar", "measurements", "chance of error")
LEFT = (0, 1)  # columns of words
GUTTER = 2  # columns of a terminal between two columns
SHORTEST_NAME = 24  # columns of a terminal, to which longer names of arms are shortened before a column is dropped
COLOURED = 1  # the column of the decision
# Columns to drop if a table is too wide, in this order:
DROPPED = ("bar", "lift", "measurements", "difference", "mean", "chance of error")
QUANTILE_DROPPED = ("bar", "mean", "measurements", "chance of error")  # the interval is that of the share


@dataclass(frozen=True)
class DecisionTable:
    """The rows of all arms as text, in their order, with the heads of the columns and the colour of each decision."""

    heads: list[str]
    rows: list[list[str]]
    colours: list[str]
    dropped: tuple[str, ...] = DROPPED

    def fitted(self, width: int) -> DecisionTable:
        """Return the table without the columns that do not fit, the least important first; the interval stays.

        Names that are too long are shortened in the middle, never below 24 columns.
        """
        fits = self
        for name in self.dropped:
            if fits.least_width <= width:
                break
            fits = fits.without(name)
        room = max(width - fits.width + fits.widths[0], SHORTEST_NAME)
        return replace(fits, rows=[[shortened(row[0], room), *row[1:]] for row in fits.rows])

    @property
    def widths(self) -> list[int]:
        """The width of each column on a terminal: heads take at most two lines, cells one."""
        columns = zip(self.heads, *self.rows, strict=True)
        return [max(_head_width(head), *map(width_of, cells), 1) for head, *cells in columns]

    @property
    def width(self) -> int:
        """The width of a row on a terminal."""
        return sum(self.widths) + GUTTER * (len(self.heads) - 1)

    @property
    def least_width(self) -> int:
        """The width of a row if names are shortened."""
        return self.width - self.widths[0] + min(self.widths[0], SHORTEST_NAME)

    def at(self, places: Sequence[int]) -> DecisionTable:
        """Return the table with the rows at these places only."""
        return replace(self, rows=[self.rows[i] for i in places], colours=[self.colours[i] for i in places])

    def without(self, name: str) -> DecisionTable:
        """Return the table without a column; its head is the name, with or without a unit."""
        kept = [i for i, head in enumerate(self.heads) if head.split(",")[0] != name]
        rows = [[row[i] for i in kept] for row in self.rows]
        return replace(self, heads=[self.heads[i] for i in kept], rows=rows)


def _head_width(head: str) -> int:
    """Return the least width at which a head takes at most two lines."""
    words = head.split(" ")  # not at no-break spaces
    splits = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words) + 1)]
    return min(max(map(width_of, lines)) for lines in splits)


def width_of(text: str) -> int:
    """Return the width of a text on a terminal."""
    return len(text) + sum(east_asian_width(letter) in "WF" for letter in text)


def shortened(name: str, room: int) -> str:
    """Return a name that fits: without its middle if it is too wide."""
    if width_of(name) <= room:
        return name
    head, tail = name, name
    while width_of(head) > (room - 1) // 2:
        head = head[:-1]
    while width_of(tail) > room - 1 - width_of(head):
        tail = tail[1:]
    return f"{head}…{tail}"


def some_of(rows: Sequence[HasDecision], most: int) -> list[int]:
    """Return the places of at most that many rows: of each decision the first ones, so that none hides the others."""
    groups = [[i for i, row in enumerate(rows) if row.decision == word] for word in ("open", "fail", "pass")]
    chosen: list[int] = []
    for left, group in zip((3, 2, 1), sorted(groups, key=len), strict=True):
        chosen += group[: (most - len(chosen)) // left]
    return sorted(chosen)


def table_of(rows: Sequence[HasDecision], said: Said) -> DecisionTable:
    """Return the table of all arms; bars have a column only if they differ."""
    measure = said.measure(rows)
    interval, ordered = said.interval_head(measure, len(rows)), in_order(rows, said.passes)
    colours = [COLOURS[row.decision] for row in ordered]
    if said.quantile:
        cells = [_quantile_cells(cast("HasShare", row), said, measure) for row in ordered]
        table = DecisionTable(_quantile_heads(interval, said, measure), cells, colours, QUANTILE_DROPPED)
        return table if len({row.threshold for row in rows}) > 1 else table.without("bar")
    if said.control:
        beside = cast("Sequence[HasDifference]", ordered)
        cells = [_cells_beside_control(row, said, measure) for row in beside]
        return DecisionTable(_control_heads(interval, measure), cells, colours)
    heads = {"mean": measure.head(said.mean_head), "interval": interval, "bar": measure.head("bar")}
    cells = [_cells(row, said, measure) for row in ordered]
    dropped = tuple(said.mean_head if name == "mean" else name for name in DROPPED)
    table = DecisionTable([heads.get(head, head) for head in HEADS], cells, colours, dropped)
    return table if len({row.threshold for row in rows}) > 1 else table.without("bar")


def _cells(row: HasDecision, said: Said, measure: Measure) -> list[str]:
    numbers = [measure.figure(row.mean), interval_cell(row, said, measure), measure.bar(row.threshold)]
    return [row.arm, decision_cell(row, said.passes), *numbers, f"{row.pulls:,}", chance(row.p_wrong)]


def _control_heads(interval: str, measure: Measure) -> list[str]:
    known = [*(measure.head(head) for head in ("mean", "difference")), interval]
    return [*HEADS[:2], *known, "lift, %", *HEADS[-2:]]


def _quantile_heads(interval: str, said: Said, measure: Measure) -> list[str]:
    in_unit = [measure.head(head) for head in (quantile_name(said.quantile), "mean", "bar")]
    return [*HEADS[:2], SHARE, interval, *in_unit, *HEADS[-2:]]


def _quantile_cells(row: HasShare, said: Said, measure: Measure) -> list[str]:
    numbers = [rate(row.share), interval_cell(row, said, measure), measure.figure(row.quantile)]
    numbers += [measure.figure(row.mean), measure.bar(row.threshold)]
    return [row.arm, decision_cell(row, said.passes), *numbers, f"{row.pulls:,}", chance(row.p_wrong)]


def _cells_beside_control(row: HasDifference, said: Said, measure: Measure) -> list[str]:
    numbers = [measure.figure(row.mean), measure.difference(row.difference), interval_cell(row, said, measure)]
    known = [*numbers, lift_of(row), f"{row.pulls:,}", chance(row.p_wrong)]
    return [row.arm, decision_cell(row, said.passes), *known]


def lift_of(row: HasDifference) -> str:
    """Return the lift in per cent with its interval; a dash where there is none."""
    if row.lift is None or not row.pulls:
        return NONE
    low, high = row.lift_low, row.lift_high
    is_known = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    return signed(figure(row.lift), row.lift) + (f" ({figure(low)} to {figure(high)})" if is_known else "")
