"""The table of all arms as text: which columns fit, and how names are shortened or split into columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from thresher.report.columns import ARM, STRIP, TERMINAL, Column, View, columns_of
from thresher.report.decision_rows import HasDecision
from thresher.report.decisions import COLOURS, in_order
from thresher.report.text_terms import TextTerms

GUTTER = 2  # columns of a terminal between two columns
SHORTEST_NAME = 24  # columns of a terminal, to which longer names of arms are shortened before a column is dropped
SHORTEST_PART = 10  # the same for each part of a name
PART = re.compile(r"(?:^| )(\w+)=")  # the beginning of a part of a name such as model=small prompt=terse


@dataclass(frozen=True)
class DecisionTable:
    """The rows of all arms as text, in their order, with the headings of the columns and the colour of each decision.

    Parameters
    ----------
    columns : list of Column
    heads : list of str
        Their headings.
    rows : list of list of str
    colours : list of str
    """

    columns: list[Column]
    heads: list[str]
    rows: list[list[str]]
    colours: list[str]

    def fitted(self, width: int) -> DecisionTable:
        """Return the table without the columns that do not fit, the least important first; the interval stays.

        Names that are too long are shortened in the middle, never below 24 columns, before a column of numbers goes;
        the strip goes before a name is shortened.
        """
        fits = self
        for column in sorted(self.columns, key=lambda column: column.dropped or 0):
            if (fits.width if column is STRIP else fits.least_width) <= width:
                continue
            if column.dropped is not None:
                fits = fits.without(column)
        return fits._named_within(width)

    def _named_within(self, width: int) -> DecisionTable:
        """Return the table with its names shortened, the longest first, until it fits."""
        rooms = self.widths
        least = self._least_names
        excess = self.width - width
        while excess > 0 and (long := [i for i in least if rooms[i] > least[i]]):
            longest = max(long, key=rooms.__getitem__)
            rooms[longest] -= 1
            excess -= 1
        shown = [[shortened(cell, rooms[i]) if i in least else cell for i, cell in enumerate(row)] for row in self.rows]
        return replace(self, rows=shown)

    @property
    def _least_names(self) -> dict[int, int]:
        """The columns of names, and the width to which each may be shortened."""
        places = [i for i, column in enumerate(self.columns) if column.key == ARM.key]
        least = SHORTEST_NAME if len(places) == 1 else SHORTEST_PART
        return {i: max(least, _head_width(self.heads[i])) for i in places}

    @property
    def widths(self) -> list[int]:
        """The width of each column on a terminal: headings take at most two lines, cells one."""
        columns = zip(self.heads, *self.rows, strict=True)
        return [max(_head_width(head), *map(width_of, cells), 1) for head, *cells in columns]

    @property
    def width(self) -> int:
        """The width of a row on a terminal."""
        return sum(self.widths) + GUTTER * (len(self.heads) - 1)

    @property
    def least_width(self) -> int:
        """The width of a row if names are shortened."""
        widths = self.widths
        return self.width - sum(max(widths[i] - least, 0) for i, least in self._least_names.items())

    @property
    def left(self) -> tuple[int, ...]:
        """The columns of words."""
        return tuple(i for i, column in enumerate(self.columns) if column.is_text)

    @property
    def coloured(self) -> int:
        """The column of the decision."""
        return next(i for i, column in enumerate(self.columns) if column.key == "decision")

    def at(self, places: Sequence[int]) -> DecisionTable:
        """Return the table with the rows at these places only."""
        return replace(self, rows=[self.rows[i] for i in places], colours=[self.colours[i] for i in places])

    def without(self, column: Column) -> DecisionTable:
        """Return the table without a column."""
        kept = [i for i, each in enumerate(self.columns) if each is not column]
        rows = [[row[i] for i in kept] for row in self.rows]
        return DecisionTable([self.columns[i] for i in kept], [self.heads[i] for i in kept], rows, self.colours)


def _head_width(head: str) -> int:
    """Return the least width at which a heading takes at most two lines."""
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


def table_of(rows: Sequence[HasDecision], said: TextTerms, surface: str = TERMINAL) -> DecisionTable:
    """Return the table of all arms on a surface, by decision; a terminal has a column for each part of the names."""
    return ordered_table(in_order(rows, said.passes), View(rows, said), surface)


def ordered_table(rows: Sequence[HasDecision], view: View, surface: str = TERMINAL) -> DecisionTable:
    """Return the table of these arms, which are among those of the view, in the order given."""
    columns = [
        part
        for column in columns_of(view, surface)
        for part in (_parts_of_names(view.rows) if column is ARM and surface == TERMINAL else [column])
    ]
    return DecisionTable(
        columns,
        [column.heading(view) for column in columns],
        [[column.cell(row, view) for column in columns] for row in rows],
        [COLOURS[row.decision] for row in rows],
    )


def _parts_of_names(rows: Sequence[HasDecision]) -> list[Column]:
    """Return a column for each part of names such as ``model=small prompt=terse``, or the one of the whole names."""
    keys = PART.findall(rows[0].arm) if rows else []
    whole = re.compile(" ".join(f"{key}=(.*)" for key in keys), re.DOTALL)
    if not keys or len({*keys}) < len(keys) or not all(whole.fullmatch(row.arm) for row in rows):
        return [ARM]
    return [_part(whole, i, key) for i, key in enumerate(keys, start=1)]


def _part(whole: re.Pattern[str], number: int, key: str) -> Column:
    """Return the column of a part of the names."""

    def cell(row: HasDecision, _: View) -> str:
        found = whole.fullmatch(row.arm)
        return found[number] if found else row.arm

    return replace(ARM, heading=lambda _: key, cell=cell)
