"""The named statements of ``statements.sql``, in the words of each database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Literal, NamedTuple, TypeAlias

Dialect: TypeAlias = Literal["sqlite", "postgresql"]
Row: TypeAlias = tuple[Any, ...]

STEP, EACH = "from the step", "from the step and each"

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)
PARAMETER = re.compile(r"(?<!:):(step\.|each\.|all\.)?(\w+)")

# What a remark stands for in PostgreSQL, and in SQLite if that is anything.
_POSTGRESQL = {
    "locked": "FOR UPDATE",
    "clustered": "",
    "often updated": "WITH (fillfactor = 20)",  # room on a page for the next version of a row, beside the old one
}
_SQLITE = dict.fromkeys(_POSTGRESQL, "") | {"clustered": "WITHOUT ROWID", STEP: "", EACH: ""}
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

    def values(self, parameters: Mapping[str, Any]) -> Row:
        """Return what goes into the places."""
        return tuple([parameters[name] for name in self.names])


def load_texts(dialect: Dialect) -> dict[str, str]:
    """Return every statement by its name, with its ``:names``."""
    text = resources.files("thresher.storage").joinpath("statements.sql").read_text(encoding="utf-8")
    _, *parts = _NAME.split(text)
    return {
        name: in_words_of(dialect, _COMMENT.sub("", body)).strip().rstrip(";")
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


def load_statements(dialect: Dialect) -> dict[str, Statement]:
    """Return every statement by its name, with places in the order in which drivers fill them fastest."""
    return {name: _placed(sql) if dialect == "sqlite" else _numbered(sql) for name, sql in load_texts(dialect).items()}


def _placed(sql: str) -> Statement:
    return Statement(PARAMETER.sub("?", sql), tuple(match[2] for match in PARAMETER.finditer(sql)))


def _numbered(sql: str) -> Statement:
    """Return a statement whose places have numbers: a name that comes twice is sent once."""
    places: dict[str, str] = {}
    text = PARAMETER.sub(lambda match: places.setdefault(match[2], f"${len(places) + 1}"), sql)
    return Statement(text, tuple(places))
