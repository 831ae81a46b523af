"""Campaigns in one SQLite file: any number of threads and processes on one machine, no server."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from thresher.campaign.storage.database import LONG_READS, Run, SqlStorage
from thresher.campaign.storage.migrations import (
    Migration,
    apply_migrations,
    check_steps,
    check_version,
    load_migrations,
)
from thresher.campaign.storage.protocol import Contents
from thresher.campaign.storage.statements import Parameters, Row, load_statements, positional, values_of
from thresher.campaign.storage.write_ahead_log import dropped_transactions
from thresher.errors import StorageError, StorageUnavailableError

STATEMENTS = load_statements("sqlite")
# By position where rows are written, which is faster; from Python 3.14 on, names take no sequence of values.
POSITIONAL = {name: positional(sql) for name, sql in STATEMENTS.items()}
HAS_SCHEMA = "SELECT count(*) FROM sqlite_master WHERE name = 'thresher_schema'"
IS_FOREIGN = f"SELECT count(*) > 0 AND NOT ({HAS_SCHEMA}) FROM sqlite_master WHERE type = 'table'"  # noqa: S608
READERS = 2 * LONG_READS
# Tables of the pytest plugin are its own.
SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name NOT GLOB 'pytest_*' ORDER BY name"


def clock() -> int:
    """Return the time of this machine: µs since 1970."""
    return time.time_ns() // 1000


class SqliteStorage(SqlStorage):
    """Campaigns in one SQLite file (write-ahead log, every commit on disk before it is acknowledged).

    Parameters
    ----------
    path : Path
    create : bool
        Whether the file may be made; it is then for its owner alone.
    timeout : float
        Seconds to wait for another process that is writing.
    now : callable
        The clock, in µs since 1970.
    migrations : sequence of Migration, optional
        Other steps than those of this version.

    Raises
    ------
    StorageUnavailableError
        If there is no such file, or it cannot be opened.
    SchemaVersionError
        If a newer thresher made it.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        timeout: float = 30.0,
        now: Callable[[], int] = clock,
        migrations: Sequence[Migration] | None = None,
    ) -> None:
        super().__init__(timeout=timeout)
        self._path, self._now = path, now
        self._migrations = load_migrations() if migrations is None else migrations
        self.check_file(create=create)
        self.connect_here()
        self._migrate()

    def check_file(self, *, create: bool) -> None:
        """Raise StorageUnavailableError unless there is a file, or it may be made."""
        path = self._path
        if create and not path.exists():
            with _explained(path):
                make_private_file(path)
        if not path.is_file():
            what = "is a directory" if path.is_dir() else "does not exist" if not path.exists() else "is not a file"
            raise StorageUnavailableError(f"{path} {what}", instead="name an SQLite file, or create a campaign in it")

    def connect(self) -> None:
        """Open the connection that writes; those that read are opened when they are needed."""
        self._writer = _Connection(self._path, self._timeout, self._now)
        self._idle: list[_Connection] = []
        self._readers = threading.Semaphore(READERS)

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """Hold a snapshot; with a write-ahead log it waits for no writer, and no writer waits for it."""
        self.connect_here()
        idle = self._idle
        with self._readers:
            connection = idle.pop() if idle else _Connection(self._path, self._timeout, self._now)
            try:
                with connection.transaction("DEFERRED") as run:
                    yield run
            finally:
                idle.append(connection)

    def writing(self) -> AbstractContextManager[Run]:
        """Hold the one transaction that may write."""
        self.connect_here()
        return self._writer.transaction("IMMEDIATE")

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Hold the one transaction that may write, for statements that are not those of a campaign."""
        self.connect_here()
        with self._writer.transaction("IMMEDIATE"):
            yield self._writer.connection

    def findings(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` and SQLite find; a row that cannot be read is a finding."""
        try:
            return super().findings(campaign, check)
        except StorageUnavailableError as error:
            if "locked" in str(error):
                raise
            return [str(error)]  # to SQLite, a damaged page may look like a missing table or a failing disk

    def damage(self, run: Run) -> list[str]:
        """Return the damage that SQLite finds in the file, and differences of the schema."""
        assert isinstance(run, _Run)
        found = [f"SQLite: {row[0]}" for row in run.raw("PRAGMA integrity_check(20)") if row[0] != "ok"]
        if dropped := dropped_transactions(self._path):
            found.append(f"{dropped} transactions of the write-ahead log follow a damaged frame and are dropped")
        found += check_steps(str(self._path), run("list_steps"), self._migrations)
        if run.raw(SCHEMA) != schema_of(self._migrations):
            found.append("the schema is not what was written")
        return found

    def copy_to(self, path: Path) -> None:
        """Copy the file as it is at one moment, by SQLite's own means."""
        with _explained(path), closing(sqlite3.connect(path)) as target, closing(sqlite3.connect(self._path)) as source:
            source.backup(target)

    def fill_from(self, path: Path) -> None:
        """Copy a file in the place of this one."""
        self.connect_here()
        with _explained(self._path), self._writer.lock, closing(sqlite3.connect(path)) as source:
            source.backup(self._writer.connection)

    def tables(self) -> dict[str, list[str]]:
        """Return the columns of each table of rows."""
        names = [
            name for kind, name, *_ in schema_of(self._migrations) if kind == "table" and name != "thresher_schema"
        ]
        with self._writer.transaction("DEFERRED") as run:
            return {name: [row[1] for row in run.raw(f"PRAGMA table_info({name})")] for name in names}

    def rows_of_table(self, name: str, columns: Sequence[str]) -> Iterator[Row]:
        """Yield all rows of a table."""
        yield from self._writer.connection.execute(f"SELECT {', '.join(columns)} FROM {name}")  # noqa: S608

    def insert(self, tables: Iterable[tuple[str, Sequence[str], Iterable[Row]]]) -> None:
        """Write rows into tables, in one transaction."""
        with self._writer.transaction("IMMEDIATE"):
            for name, columns, rows in tables:
                places = ", ".join("?" * len(columns))
                statement = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608
                self._writer.connection.executemany(statement, rows)

    def close(self) -> None:
        """Close the file."""
        for connection in (self._writer, *self._idle):
            connection.close()

    def _migrate(self) -> None:
        connection = self._writer
        with connection.transaction("DEFERRED") as run:
            found = _version(run)
        if not check_version(str(self._path), found, self._migrations):
            return
        backup: Path | None = None
        try:
            with connection.transaction("IMMEDIATE") as run:
                found = _version(run)
                if check_version(str(self._path), found, self._migrations):  # or another process was faster
                    backup = self._back_up(found) if found else None
                    apply_migrations(run.raw, "sqlite", found, self._migrations)
        except BaseException:
            if backup is not None:
                backup.unlink()  # the file itself is still what it was
            raise

    def _back_up(self, version: int) -> Path:
        """Copy the file under the write lock; a file that has the name of a backup is complete."""
        stem = f"{self._path.name}.version-{version}"
        part, whole = (self._path.with_name(f"{stem}.{end}") for end in ("part", f"{self._now()}.backup"))
        try:
            with _explained(part):
                part.unlink(missing_ok=True)  # of one who was killed
                make_private_file(part)
                with closing(sqlite3.connect(self._path)) as source, closing(sqlite3.connect(part)) as copy:
                    source.backup(copy)
                return part.rename(whole)
        finally:
            part.unlink(missing_ok=True)
            part.with_name(f"{part.name}-journal").unlink(missing_ok=True)


def make_private_file(path: Path) -> None:
    """Make an empty file, its owner's alone from the first moment; SQLite gives its other files the same mode."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def schema_of(migrations: Sequence[Migration]) -> list[Row]:
    """Return the schema that these steps make, as SQLite tells it."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        apply_migrations(connection.execute, "sqlite", 0, migrations)
        return connection.execute(SCHEMA).fetchall()


def _version(run: _Run) -> Any:
    if run.raw(HAS_SCHEMA) == [(0,)]:
        return 0
    [(version,)] = run.raw("SELECT coalesce(max(version), 0) FROM thresher_schema")
    return version  # check_version judges it


class _Run:
    """The statements of one open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __call__(self, name: str, /, **parameters: Any) -> list[Row]:
        return self._execute(name, parameters).fetchall()

    def _execute(self, name: str, parameters: Parameters) -> sqlite3.Cursor:
        return self._connection.execute(STATEMENTS[name], parameters)

    def read(self, queries: Mapping[str, Parameters]) -> dict[str, list[Row]]:
        return {name: self._execute(name, parameters).fetchall() for name, parameters in queries.items()}

    def cursor(self, name: str, /, **parameters: Any) -> Generator[Row, None, None]:
        yield from self._execute(name, parameters)

    def raw(self, sql: str) -> list[Row]:
        return self._connection.execute(sql).fetchall()

    def write(self, campaign: int, rows: Mapping[str, Sequence[Any]], *, commit: bool = False) -> None:
        for name, some in rows.items():
            sql, parameters = POSITIONAL[name]
            self._connection.executemany(sql, values_of(parameters, campaign, some))
        if commit:
            self._connection.execute("COMMIT")


class _Connection:
    """One connection, used by one thread at a time."""

    def __init__(self, path: Path, timeout: float, now: Callable[[], int]) -> None:
        self.path = path
        self.lock = threading.RLock()
        with _explained(path):
            self.connection = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
            # Not `__del__`: of a cycle, the garbage collector might call that of SQLite's object first, which warns.
            weakref.finalize(self, self.connection.close).atexit = False
            if self.connection.execute(IS_FOREIGN).fetchone()[0]:
                self.connection.close()
                raise StorageError(f"{path} is a database of another program", instead="give another file")
            self.connection.create_function("thresher_clock", 0, now)
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=FULL")

    @contextmanager
    def transaction(self, kind: str) -> Iterator[_Run]:
        """Hold a transaction open: committed at the end, rolled back on any error; one in another is part of it."""
        with self.lock, _explained(self.path):
            is_inner = self.connection.in_transaction
            if is_inner:
                yield _Run(self.connection)
                return
            self.connection.execute(f"BEGIN {kind}")
            try:
                yield _Run(self.connection)
                if self.connection.in_transaction:
                    self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def copy_to(self, other: _Connection) -> None:
        with self.lock:
            self.connection.backup(other.connection)

    def close(self) -> None:
        with self.lock:
            self.connection.close()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Convert errors of SQLite and of the file system, once."""
    try:
        yield
    except (sqlite3.IntegrityError, OverflowError) as error:  # a damaged number may be too large to add to
        raise StorageError(f"{path} refused a change: {error}", instead="run thresher verify") from error
    except sqlite3.OperationalError as error:
        raise StorageUnavailableError(f"cannot use {path}: {error}", instead=_remedy(str(error))) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # what is damaged may not even be text
        raise StorageError(f"cannot read {path}: {error}", instead="name an SQLite file of thresher") from error
    except OSError as error:
        raise StorageUnavailableError(f"cannot make {path}: {error.strerror}", instead="name another place") from error


def _remedy(message: str) -> str:
    for sign, remedy in (
        ("locked", "another process is writing for long: try again"),
        ("full", "make room on the disk: nothing of this call was stored"),
        ("readonly", "make the file and its folder writable"),
        ("unable to open", "check that the folder exists and can be written"),
    ):
        if sign in message:
            return remedy
    return "try again: nothing of this call was stored"
