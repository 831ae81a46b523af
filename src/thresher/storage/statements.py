"""The named statements of ``statements.sql``, in the words of each database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Literal, NamedTuple, TypeAlias

Dialect: TypeAlias = Literal["sqlite", "postgresql"]

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)
_PARAMETER = re.compile(r"(?<!:):(\w+)")

# What a remark in a statement stands for in PostgreSQL, and in SQLite if that is anything.
_TAKEN = "(SELECT hash FROM ledger WHERE campaign = :campaign) = :seal"
_POSTGRESQL = {
    "locked": "FOR UPDATE",
    "clustered": "",
    "often updated": "WITH (fillfactor = 20)",  # room on a page for the next version of a row, beside the old one
    "and what is known is right": "AND thresher_clock() < :deadline AND NOT EXISTS "
    "(SELECT 1 FROM request WHERE campaign = :campaign AND key = :key)",
    "and the step was taken": f"AND {_TAKEN}",
    "where the step was taken": f"WHERE {_TAKEN}",
}
_SQLITE = dict.fromkeys(_POSTGRESQL, "") | {"clustered": "WITHOUT ROWID"}
_REMARKS: dict[Dialect, dict[str, str]] = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}


def in_words_of(dialect: Dialect, sql: str) -> str:
    """Return a statement with its remarks replaced by what they stand for."""
    for remark, words in _REMARKS[dialect].items():
        sql = sql.replace(f"/* {remark} */", words)
    return sql


class Statement(NamedTuple):
    """A statement with places for values, and what goes into each place."""

    text: str
    names: tuple[str, ...]

    def values(self, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return what goes into the places."""
        return tuple([parameters[name] for name in self.names])


def load_statements(dialect: Dialect) -> dict[str, Statement]:
    """Return every statement by its name; its ``:name`` become places in order, which drivers fill fastest."""
    text = resources.files("thresher.storage").joinpath("statements.sql").read_text(encoding="utf-8")
    _, *parts = _NAME.split(text)
    place = "?" if dialect == "sqlite" else "%s"
    found = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        sql = in_words_of(dialect, _COMMENT.sub("", body)).strip().rstrip(";")
        found[name] = Statement(_PARAMETER.sub(place, sql), tuple(_PARAMETER.findall(sql)))
    return found
