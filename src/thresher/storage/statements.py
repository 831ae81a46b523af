"""The named statements of ``sqlite.sql`` and ``postgresql.sql``, and the row that each of them returns."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any, NamedTuple, TypeAlias

from thresher.campaign import Answer, Arm, Item, Ledger, LogEntry, Pull, Request

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
    "affordable_arms": _ARM,
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


def load_statements(file: str) -> dict[str, str]:
    """Return the statements of a file by name; parameters are written ``:name``."""
    text = resources.files("thresher.storage").joinpath(file).read_text(encoding="utf-8")
    _, *parts = _NAME.split(text)
    return {
        name: _COMMENT.sub("", body.lstrip()).strip().rstrip(";")
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
