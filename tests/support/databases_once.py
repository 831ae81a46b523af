"""New databases of SQLite are copies of one: running all steps of the schema takes longer than most tests.

The steps themselves make the first database of a process, every one whose test gives other steps, and all of a test
that sets ``ARE_COPIED`` to False.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from thresher.campaign.storage import sqlite
from thresher.campaign.storage.memory import MemoryStorage
from thresher.campaign.storage.migrations import Migration, apply_migrations, load_migrations
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.campaign.storage.statements import Row

ARE_COPIED = True
STEPS = load_migrations()

_check_file, _migrate, _schema_of = SqliteStorage.check_file, SqliteStorage._migrate, sqlite.schema_of
_lock = threading.RLock()


def build_databases_once() -> None:
    """Let a new database be a copy of the first one that this process made by the same steps."""
    storage, module = cast(Any, SqliteStorage), cast(Any, sqlite)
    storage.check_file, storage._migrate = _copy_file, _copy_memory
    module.schema_of = lambda steps: list(_schema(tuple(steps)))


def _copy_file(storage: SqliteStorage, *, create: bool) -> None:
    """Put a copy where a file may be made, at once: another thread or process sees no part of it."""
    path = storage._path
    if ARE_COPIED and create and storage._migrations == STEPS and path.parent.is_dir() and not os.path.lexists(path):
        part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.copy")
        with suppress(OSError):  # it is then made by the steps
            sqlite.make_private_file(part)
            part.write_bytes(_first_file())
            with suppress(FileExistsError):  # another one was faster
                os.link(part, path)
        with suppress(OSError):
            part.unlink()
    _check_file(storage, create=create)


def _copy_memory(storage: SqliteStorage) -> None:
    if ARE_COPIED and isinstance(storage, MemoryStorage) and storage._migrations == STEPS:
        with _lock:
            _first_memory().backup(storage._writer.connection)
    else:
        _migrate(storage)


@cache
def _first_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "first.db"
        sqlite.make_private_file(path)
        SqliteStorage(path).close()
        return path.read_bytes()


@cache
def _first_memory() -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    apply_migrations(memory.execute, "sqlite", 0, STEPS)
    return memory


@cache
def _schema(steps: tuple[Migration, ...]) -> list[Row]:
    return _schema_of(steps)
