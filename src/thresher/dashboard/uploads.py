"""Arms as people bring them: a CSV file, with what is wrong said line by line."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.campaign import Terms
from thresher.errors import ThresherError
from thresher.live.arms import COLUMNS, arm_rows
from thresher.live.texts import name_of

MOST_COMPLAINTS = 20
HEADS = tuple(COLUMNS)


@dataclass
class Upload:
    """What was found in a text.

    Parameters
    ----------
    columns : dict of str to list
        By the names of ``Campaign.create``'s columns.
    lines : list of int
        The line of each arm.
    complaints : list of (int, str)
        What is wrong, by line.
    """

    columns: dict[str, list[Any]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    complaints: list[tuple[int, str]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of the arms."""
        return self.columns.get("arm", [])

    def complain(self, line: int, what: str) -> None:
        """Note what is wrong with a line, unless there is enough of that."""
        if len(self.complaints) < MOST_COMPLAINTS:
            self.complaints.append((line, what))


def read_upload(text: str) -> Upload:
    """Return the arms of a CSV text: with a heading ``arm,threshold,…``, or one name a line."""
    upload, seen = Upload(), dict[str, int]()
    rows = _rows(text, upload)
    first = next(rows, None)
    if first is None:
        upload.complain(1, "there are no arms")
        return upload
    heads = [cell.strip().lower() for cell in first[1]]
    if "arm" not in heads:
        if len(heads) > 1:
            upload.complain(first[0], f"no column 'arm'; head the columns {', '.join(HEADS)}")
            return upload
        heads, rows = ["arm"], _again(first, rows)
    if not _heads_fit(heads, first[0], upload):
        return upload
    upload.columns = {head: [] for head in heads}
    for line, cells in rows:
        _take(upload, seen, line, heads, cells)
    if not upload.names and not upload.complaints:
        upload.complain(first[0], "there are no arms below the heading")
    return upload


def _rows(text: str, upload: Upload) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        upload.complain(reader.line_num, str(error))


def _again(first: tuple[int, list[str]], rest: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    yield first
    yield from rest


def _heads_fit(heads: list[str], line: int, upload: Upload) -> bool:
    for head in heads:
        if head not in COLUMNS:
            upload.complain(line, f"unknown column {head[:40]!r}; there are {', '.join(HEADS)}")
        elif heads.count(head) > 1:
            upload.complain(line, f"the column {head!r} stands there twice")
    return not upload.complaints


def _take(upload: Upload, seen: dict[str, int], line: int, heads: list[str], cells: list[str]) -> None:
    if len(cells) != len(heads):
        upload.complain(line, f"{len(cells)} cells under {len(heads)} columns")
        return
    row = dict(zip(heads, cells, strict=True))
    try:
        name = name_of("arm", row.pop("arm").strip())
    except ThresherError as error:
        upload.complain(line, str(error))
        return
    if name in seen:
        upload.complain(line, f"the arm {name[:40]!r} is on line {seen[name]} too")
        return
    numbers = _numbers(upload, line, row)
    if numbers is not None:
        seen[name] = line
        upload.lines.append(line)
        for head, value in {"arm": name, **numbers}.items():
            upload.columns[head].append(value)


def _numbers(upload: Upload, line: int, row: Mapping[str, str]) -> dict[str, float | None] | None:
    """Return the numbers of a line, None for a blank cell; None for all if one cannot be read."""
    found: dict[str, float | None] = {}
    for head, cell in row.items():
        try:
            number = float(cell) if cell.strip() else None
        except ValueError:
            number = math.nan
        if number is not None and not math.isfinite(number):
            upload.complain(line, f"{head} is {cell[:40]!r}; give a number")
            return None
        found[head] = number
    return found


def check_numbers(upload: Upload, terms: Terms, *, threshold: float | None, sigma: float | None = None) -> None:
    """Complain of the lines whose numbers no campaign of these terms can have, with a bar and a σ for blank cells."""
    for_all = {"thresholds": threshold, "sigma": sigma if "sigma" in upload.columns else None}
    try:
        arm_rows(terms, upload.columns, **for_all)
        return
    except ThresherError as error:
        whole = str(error)
    for i, line in enumerate(upload.lines):
        if len(upload.complaints) == MOST_COMPLAINTS:
            return
        one = {head: [values[i]] for head, values in upload.columns.items()}
        try:
            arm_rows(terms, one, **for_all)
        except ThresherError as error:
            upload.complain(line, str(error))
    if not upload.complaints:
        upload.complain(1, whole)
