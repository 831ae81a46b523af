"""A whole transaction as one statement of PostgreSQL: no trips between its parts, and nothing to undo."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
    parts = [f"{f'write_{i}' if i else 'step'} AS ({_filled(texts[name], places)})" for i, name in enumerate(step)]
    fields = list[tuple[str, ...]]()
    for name, has_many in writes:
        used = len(names) + sum(map(len, fields))
        fields.append(tuple(match[2] for match in PARAMETER.finditer(texts[name]) if match[1] == "each."))
        numbers = {column: f"${used + i}" for i, column in enumerate(fields[-1], start=1)}
        source, at = "FROM step", f"write_{len(parts)}"
        if has_many:
            parts.append(f"rows_{len(parts)} AS MATERIALIZED ({_rows(numbers, places)})")
            source, at = f"FROM step, rows_{len(parts) - 1} AS each", f"write_{len(parts)}"
        parts.append(f"{at} AS ({_filled(texts[name], places, None if has_many else numbers, source=source)})")
    return Turn(f"WITH {', '.join(parts)} SELECT at FROM step", names, tuple(fields))  # noqa: S608


def array_of(column: Sequence[Any]) -> str:
    """Return the text of an array of numbers, any of which may be None, or of texts.

    The driver's own takes many times as long: this looks at a column, not at its items. No text of ours holds a NUL.
    """
    if isinstance(column[0], str):
        escaped = "\0".join(column).replace("\\", "\\\\").replace('"', '\\"')
        return '{"' + escaped.replace("\0", '","') + '"}'
    return "{" + ",".join(map(str, column)).replace("None", "NULL") + "}"


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    found = [match[2] for sql in texts for match in PARAMETER.finditer(sql) if match[1] in (None, "all.")]
    return tuple(dict.fromkeys(found))


def _rows(numbers: Mapping[str, str], places: Mapping[str, str]) -> str:
    """Return the rows that arrays hold.

    Materialized, and with the campaign in every row: so nothing is known of the table to be changed but what joins it
    with these rows, and whatever is estimated of the table, each row is looked up by its key.
    """
    arrays = ", ".join(f"CAST({place} AS {_type_of(column)}[])" for column, place in numbers.items())
    rows = f"unnest({arrays}) AS given ({', '.join(numbers)})"
    return f"SELECT CAST({places['campaign']} AS bigint) AS campaign, given.* FROM {rows}"  # noqa: S608


def _type_of(column: str) -> str:
    return "text" if column in _TEXTS else "double precision" if column in _FLOATS else "bigint"


def _filled(
    sql: str, places: Mapping[str, str], fields: Mapping[str, str] | None = None, *, source: str = "FROM step"
) -> str:
    """Return a statement with its places; without places for the fields of a row, they are columns of the source."""

    def place(match: re.Match[str]) -> str:
        scope, name = match[1], match[2]
        if scope is None or (scope == "all." and fields is not None):
            return places[name]
        if scope == "step.":
            return f"step.{name}"
        return fields[name] if fields is not None else f"each.{name}"

    for remark in (STEP, EACH):
        sql = sql.replace(f"/* {remark} */", source)
    return PARAMETER.sub(place, sql)
