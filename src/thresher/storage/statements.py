"""The named statements of ``common.sql``, ``sqlite.sql`` and ``postgresql.sql``, and the row that each returns."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any, Literal, NamedTuple, TypeAlias

from thresher.campaign import Answer, Arm, Item, Ledger, LogEntry, Pull, Request

Dialect: TypeAlias = Literal["sqlite", "postgresql"]
Row: TypeAlias = tuple[Any, ...]

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"^--.*\n", re.MULTILINE)


class StatementResult(NamedTuple):
    """The rows that a statement returns: their class, and what a message calls their table."""

    kind: Any
    table: str


_LEDGER, _ARM, _PULL = (
    StatementResult(Ledger, "the ledger"),
    StatementResult(Arm, "arms"),
    StatementResult(Pull, "pulls"),
)
_REQUEST, _EVENT = StatementResult(Request, "requests"), StatementResult(LogEntry, "the log")
_ITEM = StatementResult(Item, "items")
RESULTS = {
    "read_ledger": _LEDGER,
    "least_arms": _ARM,
    "arms_named": _ARM,
    "arms_from": _ARM,
    "arms_of_pulls": _ARM,
    "pulls_numbered": _PULL,
    "pulls_beside": _PULL,
    "pulls_of_arm": _PULL,
    "pulls_after": _PULL,
    "expired_pulls": _PULL,
    "pulls_named": _PULL,
    "pulls_told_after": _PULL,
    "answers": StatementResult(Answer, "pulls"),
    "items_from": _ITEM,
    "items_named": _ITEM,
    "items_of_pulls": _ITEM,
    "unused_pulls": _PULL,
    "request_with_key": _REQUEST,
    "list_requests": _REQUEST,
    "events_after": _EVENT,
}


def load_statements(dialect: Dialect) -> dict[str, str]:
    """Return the statements of a database by name; parameters are written ``:name``."""
    files = [resources.files("thresher.storage").joinpath(f"{name}.sql") for name in ("common", dialect)]
    _, *parts = _NAME.split("".join(file.read_text(encoding="utf-8") for file in files))
    return {
        name: _COMMENT.sub("", body.lstrip()).strip().rstrip(";")
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
