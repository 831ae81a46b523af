"""Lenient CSV parsing: detects the separator, skips comments, and records the line of each row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from thresher.errors import InvalidInputError

LINE_END = re.compile(r"\r\n|\r|\n")
SEPARATOR = re.compile(r'"(?:[^"]|"")*"|([,;\t])')


class TableRow(NamedTuple):
    """One row of a table, and the line on which it begins."""

    line: int
    cells: list[Any]


@dataclass(frozen=True)
class Fault:
    """An error in one line of a text, or in one row of a table.

    Parameters
    ----------
    line : int
        From 1 on; 0 for the whole table.
    where, value, rule, fix
        As in :class:`thresher.errors.InvalidInputError`.
    unit : str
        ``line``, ``row`` or ``arm``.
    """

    line: int
    where: str
    value: Any
    rule: str
    fix: str = ""
    unit: str = "line"

    def __str__(self) -> str:
        return str(InvalidInputError(self.where, self.value, rule=self.rule, fix=self.fix))

    def error(self, source: str = "") -> InvalidInputError:
        """Return the error, with the line and the name of the file."""
        places = (source, f"{self.unit} {self.line}" if self.line else "", self.where)
        return InvalidInputError(", ".join(filter(None, places)), self.value, rule=self.rule, fix=self.fix)


def separator_of(line: str) -> str:
    """Return the first comma, semicolon or tab of a line that is not inside quotes; a comma if there is none."""
    return next((match[1] for match in SEPARATOR.finditer(line) if match[1]), ",")


def rows_of(text: str, *, comments: bool = True) -> tuple[list[TableRow], Fault | None]:
    """Return the rows of a CSV text, and the fault at which reading ended, if there is one.

    The separator is that of the first row (:func:`separator_of`). Empty lines are skipped, and with `comments` every
    line that begins with ``#``, except inside a quoted cell.
    """
    rows = list[TableRow]()
    for row in iterate_rows(text, comments=comments):
        if isinstance(row, Fault):
            return rows, row
        rows.append(row)
    return rows, None


def iterate_rows(text: str, *, comments: bool = True) -> Iterator[TableRow | Fault]:
    """Yield the rows of a CSV text as :func:`rows_of` reads them; a fault is the last."""
    lines = _Lines(text.removeprefix("\ufeff"), comments=comments)
    reader = csv.reader(lines, delimiter=separator_of(lines.peek()), strict=True)
    while True:
        lines.begin_row()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            fix = "close every quote, and write it twice inside a quoted cell"
            yield Fault(lines.row_begins, "text", lines.first.rstrip("\r\n"), f"must be CSV: {error}", fix)
            return
        if cells is None:
            return
        yield TableRow(lines.row_begins, cells)


def _lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends; `io.StringIO` would need four bytes for each character."""
    start = 0
    for end in LINE_END.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    if start < len(text):
        yield text[start:]


class _Lines:
    """The lines of a text for a CSV reader, without those between two rows that are empty or comments."""

    def __init__(self, text: str, *, comments: bool) -> None:
        self._text, self._lines, self._comments = text, _lines_of(text), comments
        self._read, self._is_between = 0, True
        self.row_begins, self.first = 1, ""

    def peek(self) -> str:
        """Return the first line of a row; nothing if there is none."""
        return next((line for line in _lines_of(self._text) if not self._is_skipped(line)), "")

    def begin_row(self) -> None:
        """Note that the next line begins a row."""
        self._is_between = True

    def _is_skipped(self, line: str) -> bool:
        return not line.strip() or (self._comments and line.startswith("#"))

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self._read += 1
            if self._is_between and self._is_skipped(line):
                continue
            if self._is_between:
                self._is_between, self.row_begins, self.first = False, self._read, line
            return line
        raise StopIteration
