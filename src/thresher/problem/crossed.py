"""A crossed table: the outcome of each arm on each of the same items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem.arms_table import read_text
from thresher.problem.csv_text import rows_of
from thresher.problem.numbers import number_in
from thresher.problem.question import numbered
from thresher.types import Floats

NAMES, VALUE = ("arm", "item"), "value"
REPEAT = "repeat"  # a further column, where an arm has several outcomes on an item


class Crossed(NamedTuple):
    """K arms by N items.

    Attributes
    ----------
    values : ndarray of float64, shape (K, N)
        NaN where an arm does not have the item.
    arms, items : tuple of str
        Their names; numbers from 1 on where none are given.
    repeats : int
        The most outcomes of an arm on an item. With more than one, the values are the means of 0/1 outcomes.
    """

    values: Floats
    arms: tuple[str, ...]
    items: tuple[str, ...]
    repeats: int = 1


def crossed_of(table: Any, arms: Sequence[str] = ()) -> Crossed:
    """Return a crossed table from an array, a data frame or a CSV file.

    Parameters
    ----------
    table : array, data frame, or path
        An array of shape (K, N), with NaN where nothing was recorded; or a data frame (pandas, polars) or a CSV file
        with the columns ``arm``, ``item`` and ``value``, one row for each outcome; and ``repeat`` if an arm has several
        outcomes on an item, which must then be 0 or 1.
    arms : sequence of str
        Names for the rows of an array; their numbers unless given.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If a column is missing or unknown, an outcome is given twice or is not a finite number, or an arm has no item.
    """
    if isinstance(table, Crossed):
        return table
    rows = named_rows(table)
    if rows is None:
        return _from_array(table, arms)
    if arms:
        raise InvalidInputError("arms", list(arms), rule="are named by the column 'arm'", fix="leave arms out")
    return crossed_rows(rows)


Row = tuple[str, str, str, Any, str]


def named_rows(table: Any, values: Sequence[str] = (VALUE,)) -> Iterator[Row] | None:
    """Return rows (where, arm, item, value, repeat) of a CSV file, a data frame or a mapping arm → item → value.

    None if it is an array, in which nothing has a name. `values` are the names that the column of values may have; a
    table has one of them.
    """
    if isinstance(table, str | Path):
        return _rows_of(read_text(Path(table)), str(table), values)
    if hasattr(table, "columns"):
        return _frame_rows(table, values)
    return _mapping_rows(table) if isinstance(table, Mapping) else None


def crossed_csv(text: str, *, where: str) -> Crossed:
    """Return the crossed table in the text of a CSV file, called `where` in messages.

    Raises
    ------
    InvalidInputError, UnknownNameError
        As :func:`crossed_of`.
    """
    return crossed_rows(_rows_of(text, where))


def _from_array(table: Any, arms: Sequence[str]) -> Crossed:
    try:
        values = np.array(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError("table", table, rule="must be numbers, NaN where nothing was recorded") from error
    if values.ndim != 2 or 0 in values.shape:
        raise InvalidInputError("shape of the table", values.shape, rule="must be (arms, items), one of each at least")
    names = tuple(arms) or numbered(values.shape[0])
    if len(names) != values.shape[0]:
        raise InvalidInputError("number of arm names", len(names), rule=f"must be {values.shape[0]}, one for each row")
    for k, row in enumerate(values):
        if np.isinf(row).any():
            raise InvalidInputError(f"an outcome of arm {names[k]!r}", math.inf, rule="must be a finite number or NaN")
        if np.isnan(row).all():
            raise InvalidInputError(f"arm {names[k]!r}", rule="has no outcome; every arm must have at least one item")
    return Crossed(values, names, numbered(values.shape[1]))


def _frame_rows(frame: Any, values: Sequence[str]) -> Iterator[Row]:
    used = _used_columns([str(column) for column in frame.columns], "the data frame", values)
    arms, items, numbers = (list(frame[column]) for column in used)
    repeats = list(frame[REPEAT]) if REPEAT in frame.columns else [""] * len(arms)
    rows = zip(map(str, arms), map(str, items), numbers, map(str, repeats), strict=True)
    return ((f"row {place}", *row) for place, row in enumerate(rows, start=1))


def _mapping_rows(table: Mapping[Any, Any]) -> Iterator[Row]:
    for arm, answers in table.items():
        if not isinstance(answers, Mapping):
            raise InvalidInputError(f"arm {arm!r}", answers, rule="must have a mapping from items to numbers")
        for item, value in answers.items():
            yield f"arm {arm!r}, item {item!r}", str(arm), str(item), value, ""


def _rows_of(text: str, where: str, values: Sequence[str] = (VALUE,)) -> Iterator[Row]:
    rows, fault = rows_of(text)
    columns = [column.strip().lower() for column in rows[0].cells] if rows else []
    places = [columns.index(column) for column in _used_columns(columns, where, values)]
    for row in rows[1:]:
        line = f"{where}, line {row.line}"
        if len(row.cells) != len(columns):
            raise InvalidInputError(f"{line}: number of cells", len(row.cells), rule=f"must be {len(columns)}")
        arm, item, value = (row.cells[place].strip() for place in places)
        yield line, arm, item, value, row.cells[columns.index(REPEAT)].strip() if REPEAT in columns else ""
    if fault is not None:
        raise fault.error(where)


def _used_columns(columns: Sequence[str], where: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of arm, item and value; raise if one is missing, unknown, or there twice."""
    there = [column for column in values if column in columns]
    if len(there) > 1:
        rule = "must be 1"
        fix = f"leave one of them out, or choose it by thresher tell NAME --from FILE --proxy-column {there[-1]}"
        raise InvalidInputError(f"number of columns {' and '.join(map(repr, there))} of {where}", 2, rule=rule, fix=fix)
    used = (*NAMES, *(there or values[:1]))
    for column in used:
        if column not in columns:
            rule = f"the columns must be {', '.join(NAMES)} and {' or '.join(values)}"
            raise InvalidInputError(f"column {column!r} of {where}", rule=rule)
    for column in columns:
        if column not in (*used, REPEAT):
            raise UnknownNameError(f"column of {where}", column, (*used, REPEAT))
        if columns.count(column) > 1:
            raise InvalidInputError(f"number of columns {column!r} of {where}", 2, rule="must be 1")
    return used


def crossed_rows(rows: Iterable[Row]) -> Crossed:
    """Return the table of rows (where, arm, item, value, repeat); arms and items are in the order of their rows."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for where, arm, item, value, repeat in rows:
        for what, name in (("arm", arm), ("item", item)):
            if not name.strip():
                raise InvalidInputError(f"{where}: {what}", name, rule="must have a name")
        cell = found.setdefault((arm, item), {})
        if repeat in cell:
            again = f", repeat {repeat!r}" if repeat else ""
            raise InvalidInputError(
                f"{where}: outcome of arm {arm!r} on item {item!r}{again}", value,
                rule="is given twice; keep one of the rows",
            )  # fmt: skip
        cell[repeat] = _number(f"{where}: value", value)
    if not found:
        raise InvalidInputError("table", rule="must have at least one row (arm, item, value)")
    arms, items = (dict.fromkeys(key[place] for key in found) for place in (0, 1))
    rank = {item: i for i, item in enumerate(items)}
    values = np.full((len(arms), len(items)), np.nan)
    place = {arm: k for k, arm in enumerate(arms)}
    for (arm, item), cell in found.items():
        values[place[arm], rank[item]] = sum(cell.values()) / len(cell)
    return Crossed(values, tuple(arms), tuple(items), _repeats_of(found))


def _repeats_of(found: Mapping[tuple[str, str], Mapping[str, float]]) -> int:
    """Return the most outcomes of an arm on an item; raise if there are several and they are not 0 or 1."""
    most = max(len(cell) for cell in found.values())
    if most == 1:
        return 1
    for (arm, item), cell in found.items():
        for value in cell.values():
            if value not in (0.0, 1.0):
                raise InvalidInputError(
                    f"outcome of arm {arm!r} on item {item!r}", value, rule="must be 0 or 1 where items are repeated"
                )
    return most


def _number(where: str, value: Any) -> float:
    try:
        number = number_in(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        number = None
    if number is None or not math.isfinite(number):
        raise InvalidInputError(where, value, rule="must be a finite number")
    return number
