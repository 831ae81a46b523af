"""From what a database returns to rows: the one place where types are checked.

SQLite stores any value in any column. A damaged file may hold a text where a number was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, TypeVar, get_args, get_type_hints

from thresher.campaign.storage.statements import RESULTS, Row
from thresher.errors import CorruptionError

LAST_MOMENT = 253_402_300_799_999_999  # µs since 1970: the end of the year 9999
_TIMES = ("at", "expires")

Entry = TypeVar("Entry", bound=Row)


def rows_of(campaign: str, statement: str, rows: Sequence[Row]) -> list[Any]:
    """Return the rows of a statement as values of their class.

    Raises
    ------
    CorruptionError
        If a row holds a value of another type.
    """
    result = RESULTS[statement]
    if not _are_sound(result.kind)(rows):
        wrong = next(filter(None, (_wrong(result.kind, row) for row in rows)))
        raise damaged(campaign, f"a row of {result.table} holds {wrong}")
    return list(map(result.kind._make, rows))


def up_to(log: Iterable[Entry], size: int | None) -> Iterator[Entry]:
    """Yield rows of the log up to the one with which their bodies have `size` bytes."""
    left = float("inf") if size is None else size
    for row in log:
        yield row
        left -= len(str(row[2]))
        if left <= 0:
            return


def damaged(campaign: str, finding: str) -> CorruptionError:
    """Return the error for damaged rows; an audit finds the rest."""
    return CorruptionError(campaign, [finding], was_audited=False)


@cache
def _types(kind: type) -> dict[str, tuple[type, ...]]:
    return {name: get_args(hint) or (hint,) for name, hint in get_type_hints(kind).items()}


@cache
def _are_sound(kind: type) -> Callable[[Sequence[Row]], bool]:
    """Return the check of many rows at once: all combinations of types that a row can have are known."""
    shapes = frozenset(product(*_types(kind).values()))
    times = [i for i, name in enumerate(_types(kind)) if name in _TIMES]

    def check(rows: Sequence[Row]) -> bool:
        sound = shapes.issuperset([tuple(map(type, row)) for row in rows])
        return sound and all(0 <= row[i] <= LAST_MOMENT for i in times for row in rows)

    return check


def _wrong(kind: type, row: Row) -> str:
    """Return the first wrong value of a row, in words; empty if there is none."""
    for (name, types), value in zip(_types(kind).items(), row, strict=True):
        if type(value) not in types or (name in _TIMES and not 0 <= value <= LAST_MOMENT):
            return f"{repr(value)[:40]} as its {name}"
    return ""
