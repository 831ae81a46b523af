"""Arms in a table: one declaration of the columns, one reader for texts, files, mappings and data frames.

``thresher new``, ``thresher run``, problem files and the upload of the dashboard read arms here: they accept the same
tables and refuse the others with the same sentence. ``docs/reference/arms-table.md`` has the format.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import MISSING, InvalidInputError
from thresher.problem.csv_text import Fault, TableRow, rows_of
from thresher.problem.names import broken_rule
from thresher.problem.numbers import number_in, rate_in, real, whole

# Every column by its name, with its other names.
ALIASES: dict[str, tuple[str, ...]] = {
    "arm": ("name", "arms", "names"),
    "threshold": ("thresholds", "bar"),
    "sigma": (),
    "cost": ("costs",),
    "pull_cost": ("pull_costs",),
    "mean": ("means",),
    "family": (),
}
ARM_HEADS = ("arm", *ALIASES["arm"])
CAMPAIGN = ("arm", "threshold", "sigma", "cost", "pull_cost")
PROBLEM = ("arm", "mean", "threshold", "sigma", "cost", "pull_cost", "family")
POSITIVE = ("sigma", "cost", "pull_cost")
RATES = ("threshold", "mean")  # columns whose cells may be in per cent
DEFAULTS = {"cost": 1.0, "pull_cost": 1.0}  # of a blank cell
NEAR = 0.7  # how similar an unknown column is to a known one, by difflib, to count as a misspelling
MOST_FAULTS = 20
DOCUMENTS = (".json", ".jsonl", ".ndjson", ".toml", ".yaml", ".yml")  # endings of texts whose lines are not names
# How a file begins that is not text.
COMPRESSED = {
    b"\x1f\x8b": "gzip", b"PK\x03\x04": "a zip archive", b"PAR1": "Parquet", b"BZh": "bzip2", b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}  # fmt: skip


@dataclass
class ArmsTable:
    """Arms by column, and what is wrong with the rows that were left out.

    Parameters
    ----------
    columns : dict of str to list
        By the name of the column. Numbers are float, None for a blank cell; names and other columns are text.
    lines : list of int
        The line, or the row, of each arm.
    faults : list of Fault
        At most twenty.
    unit : str
        ``line``, ``row`` of a data frame, or ``arm`` of a list of names.
    """

    columns: dict[str, list[Any]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    unit: str = "line"

    @property
    def names(self) -> list[str]:
        """The names of the arms, if the table has them."""
        return self.columns.get("arm", [])

    def checked(self, source: str = "") -> ArmsTable:
        """Return this table if nothing is wrong with it.

        Raises
        ------
        InvalidInputError
            With the first fault, its line and the name of the file.
        """
        if self.faults:
            raise self.faults[0].error(source)
        return self

    def filled(self, column: str, given: Any = None) -> Any:
        """Return the numbers of a column, `given` where a cell is blank; only `given` where all cells are.

        Parameters
        ----------
        column : str
        given : float or sequence of float, optional
            One number for all arms, or one for each.

        Raises
        ------
        InvalidInputError
            If a cell is blank and neither `given` nor the column's default fills it.
        """
        cells = self.columns.get(column, [])
        if all(cell is None for cell in cells):
            return given
        given = DEFAULTS.get(column) if given is None else given
        if None not in cells:
            return cells
        others = [given] * len(cells) if np.ndim(given) == 0 else list(given)
        if len(others) != len(cells):
            return others  # the question says which shape it needs
        values = [other if cell is None else cell for cell, other in zip(cells, others, strict=True)]
        if None in values:
            i = values.index(None)
            fix = "fill the cell, or give one number for all arms"
            raise Fault(self.lines[i], f"column {column!r}", MISSING, "every arm needs one", fix, self.unit).error()
        return values

    def note(self, line: int, where: str, value: Any, rule: str, fix: str = "") -> None:
        """Note a fault, unless there are twenty."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(Fault(line, where, value, rule, fix, self.unit))


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte order mark.

    Raises
    ------
    InvalidInputError
        If it cannot be read, or is not in UTF-8.
    """
    try:
        return decoded(path.read_bytes(), str(path))
    except OSError as error:
        what = MISSING if isinstance(error, FileNotFoundError) else (error.strerror or str(error)).lower()
        raise InvalidInputError(f"file {path}", what, rule="must be a text file that can be read") from error


def decoded(content: bytes, name: str) -> str:
    """Return the text of a file that was read or uploaded, without a byte order mark.

    Raises
    ------
    InvalidInputError
        If it is not in UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        packed = next((packed for start, packed in COMPRESSED.items() if content.startswith(start)), None)
        if packed is not None:
            raise InvalidInputError(f"file {name}", packed, rule="must be text in UTF-8", fix="unpack it") from error
        where = f"{name}, line {content[: error.start].count(10) + 1}, encoding"
        found = "UTF-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "unknown"
        fix = "save the file as UTF-8; in Excel: CSV UTF-8"
        raise InvalidInputError(where, found, rule="must be UTF-8", fix=fix) from error


def read_file(path: Path, *, extra: bool = False) -> ArmsTable:
    """Return the arms of a campaign in a file.

    A file that ends in ``.csv`` or ``.tsv``, or whose first row has a column ``arm``, is a table (:func:`read_table`).
    In any other file each line is a name, except empty lines and comments.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or something in it is wrong; the message names the line.
    """
    if path.suffix.lower() in DOCUMENTS:
        raise InvalidInputError(f"file {path}", path.suffix, rule="must be CSV, or text with one name on each line")
    text = read_text(path)
    rows, _ = rows_of(text)
    if path.suffix.lower() in (".csv", ".tsv") or (rows and "arm" in map(_name_of, rows[0].cells)):
        return read_table(text, extra=extra).checked(path.name)
    lines = [line.strip(" \t\n") for line in io.StringIO(text, newline=None)]
    table = ArmsTable()
    _fill(table, ["arm"], [TableRow(i, [line]) for i, line in enumerate(lines, start=1) if line and line[0] != "#"])
    return _with_arms(table).checked(path.name)


def read_table(text: str, known: Sequence[str] = CAMPAIGN, *, required: str = "arm", extra: bool = False) -> ArmsTable:
    """Return the arms in a CSV text; what is wrong is in its faults.

    Parameters
    ----------
    text : str
        A first row with the names of the columns, and a row for each arm. If the first row is one cell that does not
        name a column, every row is the name of an arm; a misspelled ``arm`` is refused, ``arm 1`` is a name.
    known : sequence of str
        The columns that are read.
    required : str
        The column that must be there.
    extra : bool
        Take other columns too, as text; a column whose name is nearly that of a known one is refused all the same.
    """
    table = ArmsTable()
    rows, fault = rows_of(text)
    rows = [row for row in rows if any(cell.strip() for cell in row.cells)]
    heads, first = ["arm"], rows[0].line if rows else 1
    if rows and (len(rows[0].cells) > 1 or _name_of(rows[0].cells[0]) in ALIASES):
        heads = _heads(table, rows.pop(0), known, extra=extra)
    elif rows and not re.search(r"\d", rows[0].cells[0]) and _nearest(rows[0].cells[0], ARM_HEADS):
        fix = "write arm; the name of an arm goes below a first row 'arm'"
        table.note(first, "column 1", rows[0].cells[0], "must be a known column", fix)
    if rows and required not in heads and not table.faults:
        table.note(first, f"column {required!r}", MISSING, f"the first row must name the columns: {', '.join(known)}")
    if not table.faults:
        _fill(table, heads, rows)
    if fault is not None:
        table.faults.append(fault)
    return _with_arms(table, first)


def table_of_names(names: Iterable[Any]) -> ArmsTable:
    """Return arms that have a name only.

    Raises
    ------
    InvalidInputError
        If there is none, two share a name, or a name cannot be.
    """
    table = ArmsTable(unit="arm")
    _fill(table, ["arm"], [TableRow(i, [name]) for i, name in enumerate(names, start=1)])
    return _with_arms(table, 0).checked()


def table_of(columns: Mapping[Any, Any]) -> ArmsTable:
    """Return the arms of a campaign in columns that Python code gives.

    Parameters
    ----------
    columns : mapping
        By the name of the column: a sequence, or one number for all arms. A cell that is None is blank.

    Raises
    ------
    InvalidInputError
        If a column is unknown, missing or of another length, or a cell is wrong; the message names the row.
    """
    table = ArmsTable(unit="row")
    heads = _heads(table, TableRow(0, [str(key) for key in columns]), CAMPAIGN, extra=False)
    table.checked()
    by_head = dict(zip(heads, columns.values(), strict=True))
    names = by_head.get("arm", MISSING)
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInputError("column 'arm'", names, rule="must be a list of names")
    by_head["arm"] = list(names)
    cells = [_cells_of(head, column, len(by_head["arm"])) for head, column in by_head.items()]
    _fill(table, heads, [TableRow(i, list(row)) for i, row in enumerate(zip(*cells, strict=True), start=1)])
    return _with_arms(table, 0).checked()


def _with_arms(table: ArmsTable, first: int = 1) -> ArmsTable:
    """Return the table; note if it has no arms and nothing says why."""
    if not table.lines and not table.faults:
        table.note(first, "number of arms", 0, "must be at least 1")
    return table


def _cells_of(head: str, column: Any, n_arms: int) -> list[Any]:
    """Return the cells of a column; a single number is that of every arm."""
    is_single = isinstance(column, str) or not isinstance(column, Iterable) or getattr(column, "ndim", 1) == 0
    cells = [column] * n_arms if is_single else list(column)
    if len(cells) != n_arms:
        raise InvalidInputError(f"length of column {head!r}", len(cells), rule=f"must be the number of arms, {n_arms}")
    return cells


def _name_of(head: str) -> str:
    """Return the name of the column that a head stands for; the head itself if there is none."""
    plain = head.strip().lower()
    return next((name for name, others in ALIASES.items() if plain == name or plain in others), head.strip())


def _nearest(head: str, words: Sequence[str]) -> str:
    """Return the column name that a head probably misspells; empty if there is none."""
    plain = head.strip().lower()
    swapped = (word for word in words if sorted(word) == sorted(plain))
    return next(iter(get_close_matches(plain, words, n=1, cutoff=NEAR)), None) or next(swapped, "")


def _heads(table: ArmsTable, row: TableRow, known: Sequence[str], *, extra: bool) -> list[str]:
    """Return the columns of a first row; note those that are unknown or there twice."""
    heads = [_name_of(cell) for cell in row.cells]
    words = [word for name in known for word in (name, *ALIASES[name])]
    for i, (head, cell) in enumerate(zip(heads, row.cells, strict=True), start=1):
        if head in heads[: i - 1]:
            first = row.cells[heads.index(head)]
            table.note(row.line, f"column {i}", cell, f"must not repeat the column {first!r}")
        elif head not in known:
            near = _nearest(head, words)
            if near or not extra:
                fix = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
                table.note(row.line, f"column {i}", cell, "must be a known column", fix)
    return heads


def _fill(table: ArmsTable, heads: Sequence[str], rows: Iterable[TableRow]) -> None:
    """Put the rows into the table; note those that are wrong."""
    table.columns = {head: [] for head in heads}
    seen: dict[str, int] = {}
    for row in rows:
        if len(row.cells) != len(heads):
            fix = "quote a cell that contains the separator" if len(row.cells) > len(heads) else ""
            table.note(row.line, "number of cells", len(row.cells), f"must be {len(heads)}, one for each column", fix)
            continue
        cells = dict(zip(heads, row.cells, strict=True))
        faults = len(table.faults)
        for head, cell in cells.items():
            cells[head] = _cell(table, row.line, head, cell, seen)
        if len(table.faults) == faults < MOST_FAULTS:
            table.lines.append(row.line)
            for head, cell in cells.items():
                table.columns[head].append(cell)


def _cell(table: ArmsTable, line: int, head: str, cell: Any, seen: dict[str, int]) -> Any:
    """Return the value of a cell; note it if it is wrong."""
    if head == "arm":
        return _arm(table, line, cell, seen)
    if head not in ALIASES or head == "family":
        return cell.strip() if head == "family" else cell
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    read = rate_in if head in RATES else number_in
    number = read(cell) if isinstance(cell, str) else real(cell)
    if number is None or not math.isfinite(number):
        fix = "write a decimal point" if isinstance(cell, str) and number_in(cell.replace(",", ".")) is not None else ""
        table.note(line, f"column {head!r}", cell, "must be a number", fix)
    elif head in POSITIVE and number <= 0.0:
        table.note(line, f"column {head!r}", cell, "must be a positive number")
    return number


def _arm(table: ArmsTable, line: int, cell: Any, seen: dict[str, int]) -> Any:
    number = whole(cell)
    name = cell if number is None else str(number)
    if isinstance(name, str):
        name = name.strip(" \t")
    rule = broken_rule(name) if isinstance(name, str) else "must be text"
    if not rule and name in seen:
        rule = f"must be unique: {table.unit} {seen[name]} has it too"
    if rule:
        table.note(line, "name" if table.unit == "arm" else "column 'arm'", name, rule)
    else:
        seen[name] = line
    return name


def rows_with(table: ArmsTable) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line of each arm, and its cells by column."""
    for i, line in enumerate(table.lines):
        yield line, {head: cells[i] for head, cells in table.columns.items()}
