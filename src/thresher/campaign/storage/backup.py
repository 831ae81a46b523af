"""Backups: a whole database as one SQLite file, copied while others write, and checked before it counts as done."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from thresher.campaign.storage.address import hide_password, open_storage
from thresher.campaign.storage.audit import audit
from thresher.campaign.storage.database import SqlStorage
from thresher.campaign.storage.sqlite import SqliteStorage, make_private_file
from thresher.errors import CorruptionError, InvalidInputError, StorageError


def back_up(address: str, out: Path) -> list[str]:
    """Write all campaigns and tokens of a database into a new SQLite file; return the names of the campaigns.

    It is a copy of one moment, and others write meanwhile. It gets its name when all of it has been verified.

    Raises
    ------
    CorruptionError
        If stored data do not match their log; there is no backup then.
    StorageError
        If the database or the file cannot be used.
    """
    part = out.with_name(f"{out.name}.part")
    with _opened(address) as storage, _removed(part):
        make_private_file(part)
        storage.copy_to(part)
        with _opened_file(part) as copy:
            names = _verified(copy)
        with closing(sqlite3.connect(part)) as file:
            file.execute(
                "PRAGMA journal_mode=DELETE"
            )  # readers of a file with a write-ahead log leave other files in its folder
        part.replace(out)
    return names


def restore(source: Path, address: str) -> list[str]:
    """Write a backup into a database without campaigns; return their names. Tokens of the database are replaced.

    The backup may be of an earlier version; its file is left as it is.

    Raises
    ------
    CorruptionError
        If the backup is damaged; nothing is written then.
    InvalidInputError
        If there is no such backup, or the database has campaigns.
    StorageError
        If the database or the file cannot be used.
    """
    if not source.is_file():
        raise InvalidInputError("backup", str(source), rule="must be a file that thresher backup wrote")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "backup.db"
        make_private_file(copy)
        with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as file:
            _copy(file, copy)
        with _opened_file(copy) as checked:
            _verified(checked)
        with _opened(address, create=True) as storage:
            if found := storage.headings():
                rule = f"must have no campaigns; it has {found[0].name!r}"
                raise InvalidInputError("database", hide_password(address), rule=rule, fix="restore into a new one")
            storage.fill_from(copy)
            return _verified(storage)


def copy(source: str, target: str) -> list[str]:
    """Write all campaigns and tokens of a database into another one without campaigns; return their names.

    It is a copy of one moment, verified before anything is written and again afterwards. Others may write into the
    source meanwhile; what they write later is not copied.

    Raises
    ------
    CorruptionError, InvalidInputError, StorageError
        As :func:`back_up` and :func:`restore` do.
    """
    with tempfile.TemporaryDirectory() as folder:
        between = Path(folder) / "copy.backup"
        back_up(source, between)
        return restore(between, target)


def _copy(source: sqlite3.Connection, path: Path) -> None:
    try:
        with closing(sqlite3.connect(path)) as target:
            source.backup(target)
    except sqlite3.Error as error:
        raise StorageError(f"the backup cannot be read: {error}", instead="name a file of thresher backup") from error


@contextmanager
def _opened(address: str, *, create: bool = False) -> Iterator[SqlStorage]:
    storage = open_storage(address, create=create)
    try:
        if not isinstance(storage, SqlStorage) or address.startswith("memory:"):
            raise InvalidInputError("--db", address, rule="must be an SQLite file or a PostgreSQL database")
        yield storage
    finally:
        storage.close()


@contextmanager
def _opened_file(path: Path) -> Iterator[SqlStorage]:
    with closing(SqliteStorage(path)) as storage:
        yield storage


@contextmanager
def _removed(part: Path) -> Iterator[None]:
    """Remove an unfinished file and the other files of SQLite, before and after."""
    files = [part.with_name(part.name + end) for end in ("", "-wal", "-shm", "-journal")]
    try:
        for file in files:
            file.unlink(missing_ok=True)
        yield
    finally:
        for file in files:
            file.unlink(missing_ok=True)


def _verified(storage: SqlStorage) -> list[str]:
    """Return the names of the campaigns; raise CorruptionError if one of them does not match its log."""
    for heading in storage.headings():
        if findings := storage.verify(heading.id, partial(audit, heading)):
            raise CorruptionError(heading.name, findings)
    return [heading.name for heading in storage.headings()]
