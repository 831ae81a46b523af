"""The table of all arms as text: its columns, their order, and which are left out where it is too wide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from unicodedata import east_asian_width

from thresher.report.decision_rows import HasDecision, HasDifference
from thresher.report.decisions import COLOURS, Said, decision_cell, in_order
from thresher.report.measure import Measure, figure, interval_of, signed
from thresher.report.words import share

HEADS = ("arm", "decision", "mean", "interval", "bar", "measurements", "chance of error")
LEFT = (0, 1)  # columns of words
GUTTER, NARROWEST = 2, 8  # columns of a terminal: between two columns, and of each; "of error" fits
MOST_NAMES = 0.9  # of the arms: no column is dropped for the names of the others, which are wrapped
COLOURED = 1  # the column of the decision
CONTROL_HEADS = ("arm", "decision", "mean", "difference", "interval of the difference", "lift, %", *HEADS[-2:])
# Columns to drop if a table is too wide, in this order:
DROPPED = ("bar", "lift", "interval", "interval of the difference", "measurements", "mean")


@dataclass(frozen=True)
class DecisionTable:
    """The rows of all arms as text, in their order, with the heads of the columns and the colour of each decision."""

    heads: list[str]
    rows: list[list[str]]
    colours: list[str]

    def fitted(self, width: int) -> DecisionTable:
        """Return the table without the columns that do not fit, the least important first."""
        fits = self
        for name in DROPPED:
            if fits.least_width <= width:
                break
            fits = fits.without(name)
        return fits

    @property
    def widths(self) -> list[int]:
        """The width of each column on a terminal: heads are wrapped at spaces, cells are not."""
        words = [[*head.split(), *cells] for head, *cells in zip(self.heads, *self.rows, strict=True)]
        return [max(NARROWEST, *map(_cells_of, column)) for column in words]

    @property
    def width(self) -> int:
        """The width of a row on a terminal."""
        return sum(self.widths) + GUTTER * (len(self.heads) - 1)

    @property
    def least_width(self) -> int:
        """The width of a row, if the few longest names are wrapped."""
        names = sorted(_cells_of(row[0]) for row in self.rows)
        return self.width - self.widths[0] + max(NARROWEST, *names[: int(MOST_NAMES * (len(names) - 1)) + 1])

    def without(self, name: str) -> DecisionTable:
        """Return the table without a column; its head is the name, with or without a unit."""
        kept = [i for i, head in enumerate(self.heads) if head.split(",")[0] != name]
        rows = [[row[i] for i in kept] for row in self.rows]
        return DecisionTable([self.heads[i] for i in kept], rows, self.colours)


def _cells_of(text: str) -> int:
    """Return the width of a text on a terminal."""
    return len(text) + sum(east_asian_width(letter) in "WF" for letter in text)


def table_of(rows: Sequence[HasDecision], said: Said) -> DecisionTable:
    """Return the table of all arms; bars have a column only if they differ."""
    measure = Measure.of(rows, said.unit)
    in_unit = ("mean", "interval", "bar", "difference", "interval of the difference")
    heads = [measure.head(head) if head in in_unit else head for head in (CONTROL_HEADS if said.control else HEADS)]
    ordered = in_order(rows, said.passes)
    colours = [COLOURS[row.decision] for row in ordered]
    if said.control:
        beside = cast("Sequence[HasDifference]", ordered)
        return DecisionTable(heads, [_cells_beside_control(row, said, measure) for row in beside], colours)
    table = DecisionTable(heads, [_cells(row, said, measure) for row in ordered], colours)
    return table if len({row.threshold for row in rows}) > 1 else table.without("bar")


def _cells(row: HasDecision, said: Said, measure: Measure) -> list[str]:
    numbers = [measure.figure(row.mean), interval_of(row, measure), measure.figure(row.threshold), f"{row.pulls:,}"]
    return [row.arm, decision_cell(row, said.passes), *numbers, share(row.p_wrong)]


def _cells_beside_control(row: HasDifference, said: Said, measure: Measure) -> list[str]:
    numbers = [measure.figure(row.mean), signed(row.difference, measure), interval_of(row, measure), lift_of(row)]
    return [row.arm, decision_cell(row, said.passes), *numbers, f"{row.pulls:,}", share(row.p_wrong)]


def lift_of(row: HasDifference) -> str:
    """Return the lift in per cent with its interval; a dash where there is none."""
    if row.lift is None or not row.pulls:
        return "–"
    low, high = row.lift_low, row.lift_high
    is_known = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    return signed(row.lift) + (f" ({figure(low)} to {figure(high)})" if is_known else "")
