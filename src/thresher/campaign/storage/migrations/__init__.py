"""The steps by which a database's schema came to be: numbered files that are never edited once released."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from thresher.campaign.storage.statements import Dialect, Row
from thresher.errors import SchemaVersionError, StorageError

__all__ = ["Migration", "apply_migrations", "check_steps", "check_version", "load_migrations"]

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_END = re.compile(r";[ \t]*$", re.MULTILINE)
_ONLY = re.compile(r"^-- (sqlite|postgresql):$", re.MULTILINE)
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)

# The first step has remarks for what only one database has; later ones write "-- sqlite:" or "-- postgresql:".
_REMARKS: dict[Dialect, dict[str, str]] = {
    "sqlite": {"/* clustered */": "WITHOUT ROWID", "/* often updated */": ""},
    "postgresql": {"/* clustered */": "", "/* often updated */": "WITH (fillfactor = 20)"},
}


@dataclass(frozen=True)
class Migration:
    """One step: its number, its name, and its text."""

    version: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text, which records what was applied."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def statements(self, dialect: Dialect) -> list[str]:
        """Return what one database is to run."""
        found = []
        for part in _END.split(self.text):
            only = _ONLY.findall(part)
            sql = _COMMENT.sub("", part)
            for remark, words in _REMARKS[dialect].items():
                sql = sql.replace(remark, words)
            sql = sql.strip()
            if sql and (not only or only[-1] == dialect):
                found.append(sql)
        return found


def load_migrations() -> tuple[Migration, ...]:
    """Return all steps in order."""
    files = sorted(resources.files(__name__).iterdir(), key=lambda file: file.name)
    named = [(match, file) for file in files if (match := _FILE.fullmatch(file.name))]
    return tuple(Migration(int(match[1]), match[2], file.read_text(encoding="utf-8")) for match, file in named)


def check_version(where: str, found: Any, migrations: Sequence[Migration]) -> bool:
    """Return whether a schema of that version needs steps.

    Raises
    ------
    StorageError
        If it is not a version.
    SchemaVersionError
        If it is newer than all steps.
    """
    if not isinstance(found, int):
        raise StorageError(f"the version table of {where} is not what was written", instead="restore it from a backup")
    newest = migrations[-1].version
    if found > newest:
        raise SchemaVersionError(where, found=found, known=newest)
    return found < newest


def check_steps(where: str, steps: Sequence[Row], migrations: Sequence[Migration]) -> list[str]:
    """Return what is wrong with the rows of the version table.

    Raises
    ------
    SchemaVersionError
        If a newer version took the schema further since this one opened it: this version cannot check the newer schema.
    """
    known = [(step.version, step.name, step.digest) for step in migrations]
    if steps == known:
        return []
    if steps[: len(known)] == known:
        raise SchemaVersionError(where, found=steps[-1][0], known=known[-1][0])
    return ["the version table is not what was written"]


def apply_migrations(
    execute: Callable[[str], object], dialect: Dialect, found: int, migrations: Sequence[Migration]
) -> None:
    """Run the steps after version `found`, inside the caller's transaction, and write them into the version table."""
    if found == 0:
        execute(
            "CREATE TABLE IF NOT EXISTS thresher_schema (version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, "
            "digest TEXT NOT NULL)"
        )
    for step in migrations:
        if step.version > found:
            for statement in step.statements(dialect):
                execute(statement)
            row = f"{step.version}, '{step.name}', '{step.digest}'"
            execute(f"INSERT INTO thresher_schema VALUES ({row})")  # noqa: S608
