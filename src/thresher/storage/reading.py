"""From what a database gives to rows: nothing gets through that was never written.

SQLite keeps any value in any column, so that a damaged file may hold a text where a number was. Whoever uses rows takes
for granted that they are what they say; here, and nowhere else, it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, TypeVar, get_args, get_type_hints

from thresher.campaign import Arm, Event, Ledger, Pull, Request
from thresher.campaign.rows import make
from thresher.errors import CorruptionError
from thresher.storage.statements import Row

LAST_MOMENT = 253_402_300_799_999_999  # µs since 1970: the end of the year 9999
_TIMES = ("at", "expires")
_Made = TypeVar("_Made", bound=tuple[Any, ...])


def _reader(what: str, kind: type[_Made], *more: str) -> Callable[[str, Sequence[Row]], list[_Made]]:
    """Return the function that makes rows of a kind out of what a campaign's table gives.

    Parameters
    ----------
    what : str
        What the table holds.
    kind : type
        The class of its rows.
    *more : str
        Whole numbers that are read behind the fields of a row, for others.
    """
    hints: dict[str, Any] = get_type_hints(kind)
    columns = {name: get_args(hint) or (hint,) for name, hint in hints.items()} | dict.fromkeys(more, (int,))
    shapes = frozenset(product(*columns.values()))
    times = [i for i, name in enumerate(columns) if name in _TIMES]
    size = len(hints)

    def read(campaign: str, rows: Sequence[Row]) -> list[_Made]:
        # Types only, and as fast as it can be had: asks of several processes read a hundred arms each. A number that is
        # too large for the database is refused by it, and what else is wrong with one does no harm but to itself.
        if not (
            shapes.issuperset([tuple(map(type, row)) for row in rows])
            and all(0 <= row[i] <= LAST_MOMENT for i in times for row in rows)
        ):
            raise damaged(campaign, f"a row of {what} holds {next(filter(None, map(wrong, rows)))}")
        return [make(kind, row[:size]) for row in rows] if more else [make(kind, row) for row in rows]

    def wrong(row: Row) -> str:
        for (name, types), value in zip(columns.items(), row, strict=True):
            if type(value) not in types or (name in _TIMES and not 0 <= value <= LAST_MOMENT):
                return f"{repr(value)[:40]} as its {name}"
        return ""

    return read


def damaged(campaign: str, finding: str) -> CorruptionError:
    """Return the error for rows that were never written; what else is wrong, the audit finds."""
    return CorruptionError(campaign, [finding], was_audited=False)


def earliest_of(campaign: str, rows: Sequence[Row]) -> int | None:
    """Return when the first of all leases runs out, None if there is none."""
    [(earliest,)] = rows
    if earliest is not None and not (isinstance(earliest, int) and 0 <= earliest <= LAST_MOMENT):
        raise damaged(campaign, f"a row of pulls holds {repr(earliest)[:40]} as its expires")
    return earliest


ledgers_of = _reader("the ledger", Ledger)
arms_of = _reader("arms", Arm)
pulls_of = _reader("pulls", Pull, "expires")
requests_of = _reader("requests", Request)
events_of = _reader("the log", Event)
