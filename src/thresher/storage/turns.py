"""A whole transaction as one statement of PostgreSQL: no trips between its parts, and nothing to undo."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thresher.storage.statements import EACH, PARAMETER, STEP

_TEXTS = frozenset(("key", "name", "state", "ticket"))
_FLOATS = frozenset(("cost", "sigma", "squares", "threshold", "total", "urgency", "value"))


class Turn(NamedTuple):
    """The text of a statement, and what goes into its places.

    Attributes
    ----------
    text : str
    names : tuple of str
        What is given once; it comes first.
    fields : tuple of tuple of str
        What is given of the rows of each write, in order.
    """

    text: str
    names: tuple[str, ...]
    fields: tuple[tuple[str, ...], ...]


def turn_of(texts: Mapping[str, str], step: Sequence[str], writes: Sequence[tuple[str, bool]]) -> Turn:
    """Return the statement that takes a step and does all writes if it was taken.

    Parameters
    ----------
    texts : mapping
        Statements by name, with their ``:names``.
    step : sequence of str
        The statement that takes the step, then those that follow it and have no rows.
    writes : sequence of (str, bool)
        Those that have rows, and whether they have several: arrays then; one row goes as plain values, which is faster.
    """
    names = _names([texts[name] for name in (*step, *(name for name, _ in writes))])
    places = {name: f"${i}" for i, name in enumerate(names, start=1)}
    parts = [_filled(texts[name].replace(f"/* {STEP} */", "FROM step"), places) for name in step]
    used, fields = len(names), list[tuple[str, ...]]()
    for name, has_many in writes:
        fields.append(tuple(match[2] for match in PARAMETER.finditer(texts[name]) if match[1] == "each."))
        numbers = {column: f"${used + i}" for i, column in enumerate(fields[-1], start=1)}
        used += len(numbers)
        sql = texts[name].replace(f"/* {EACH} */", _rows(numbers) if has_many else "FROM step")
        parts.append(_filled(sql, places, {} if has_many else numbers))
    labels = ["step", *(f"write_{i}" for i in range(1, len(parts)))]
    body = ", ".join(f"{label} AS ({part})" for label, part in zip(labels, parts, strict=True))
    return Turn(f"WITH {body} SELECT at FROM step", names, tuple(fields))  # noqa: S608


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    found = [match[2] for sql in texts for match in PARAMETER.finditer(sql) if match[1] is None]
    return tuple(dict.fromkeys(found))


def _rows(numbers: Mapping[str, str]) -> str:
    arrays = ", ".join(f"CAST({place} AS {_type_of(column)}[])" for column, place in numbers.items())
    return f"FROM step, unnest({arrays}) AS each ({', '.join(numbers)})"


def _type_of(column: str) -> str:
    return "text" if column in _TEXTS else "double precision" if column in _FLOATS else "bigint"


def _filled(sql: str, places: Mapping[str, str], fields: Mapping[str, str] | None = None) -> str:
    """Return a statement with its places; a field that has no place is a column of the step or of the rows."""

    def place(match: re.Match[str]) -> str:
        scope, name = match[1], match[2]
        if scope is None:
            return places[name]
        return (fields or {}).get(name, f"{scope}{name}") if scope == "each." else f"{scope}{name}"

    return PARAMETER.sub(place, sql)
