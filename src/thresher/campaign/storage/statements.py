"""The named statements of ``common.sql``, ``sqlite.sql`` and ``postgresql.sql``, and the row that each returns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from thresher.campaign.ledger import Answer, Arm, Item, Ledger, LogEntry, Pull, Request, Signal

Dialect: TypeAlias = Literal["sqlite", "postgresql"]
Row: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = Mapping[str, Any]

EVERYTHING = 2**62  # a limit that no table reaches
ALL_ROWS = {"first": 0, "limit": EVERYTHING}

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_PARAMETER = re.compile(r":(\w+)")
_COMMENT = re.compile(r"^--.*\n", re.MULTILINE)


class StatementResult(NamedTuple):
    """The rows that a statement returns: their class, and what a message calls their table."""

    kind: Any
    table: str


RESULTS = {
    name: StatementResult(kind, table)
    for kind, table, names in (
        (Ledger, "the ledger", "read_ledger"),
        (Arm, "arms", "least_arms arms_named arms_from arms_of_pulls"),
        (Pull, "pulls", "pulls_numbered pulls_of_arm pulls_of_arms pulls_after pulls_told_after"),
        (Pull, "pulls", "expired_pulls unused_pulls"),
        (Answer, "pulls", "answers"),
        (Item, "items", "items_from items_named items_of_pulls"),
        (Signal, "signals", "all_signals scores_of_arms"),
        (Request, "requests", "request_with_key list_requests"),
        (LogEntry, "the log", "events_after"),
    )
    for name in names.split()
}


def load_statements(dialect: Dialect) -> dict[str, str]:
    """Return the statements of a database by name; parameters are written ``:name``."""
    files = [resources.files("thresher.campaign.storage").joinpath(f"{name}.sql") for name in ("common", dialect)]
    _, *parts = _NAME.split("".join(file.read_text(encoding="utf-8") for file in files))
    return {
        name: _COMMENT.sub("", body.lstrip()).strip().rstrip(";")
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


def parameters_of(sql: str) -> list[str]:
    """Return the names of the parameters of a statement by number, that of the campaign first."""
    return sorted(dict.fromkeys(_PARAMETER.findall(sql)), key=lambda name: name != "campaign")


def numbered(sql: str, sign: str) -> str:
    """Return a statement with numbers, each after this sign, in place of the names of its parameters."""
    names = parameters_of(sql)
    return _PARAMETER.sub(lambda match: f"{sign}{names.index(match[1]) + 1}", sql)


def positional(sql: str) -> tuple[str, list[str]]:
    """Return a statement with a question mark in place of each parameter, and their names in order."""
    return _PARAMETER.sub("?", sql), _PARAMETER.findall(sql)


def values_of(parameters: Sequence[str], campaign: int, rows: Sequence[Any]) -> list[Row]:
    """Return the values of the parameters of a statement that writes rows, in order, for each row."""
    place = parameters.index("campaign")  # the one value that is in no row
    fields = attrgetter(*parameters[:place], *parameters[place + 1 :])
    return [(*found[:place], campaign, *found[place:]) for found in map(fields, rows)]
