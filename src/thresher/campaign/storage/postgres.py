"""Campaigns in PostgreSQL: many machines, many campaigns at once."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from random import SystemRandom
from typing import Any, TypeAlias

import psycopg
import psycopg_pool.base
from psycopg import adapt
from psycopg.abc import PQGen, Transformer
from psycopg.generators import fetch_many, send
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg_pool import ConnectionPool

from thresher.campaign.storage.database import LONG_READS, Run, SqlStorage
from thresher.campaign.storage.migrations import (
    Migration,
    apply_migrations,
    check_steps,
    check_version,
    load_migrations,
)
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.campaign.storage.statements import Parameters, Row, load_statements, numbered, parameters_of, values_of
from thresher.errors import StorageError, StorageUnavailableError

STATEMENTS = load_statements("postgresql")
PARAMETERS = {name: parameters_of(sql) for name, sql in STATEMENTS.items()}
SCHEMA = "thresher"  # of the tables, so that other tables can be in the same database
MIGRATION_LOCK = 0x7468726573686572
# Every statement has its index. A plan is made once, and one made while a table is small must not read all of it later.
PLANS = "; ".join(
    [
        "SET plan_cache_mode TO force_generic_plan",
        "SET random_page_cost TO 0.1",
        *(f"SET enable_{way} TO off" for way in ("seqscan", "hashjoin", "mergejoin")),
    ]
)
SNAPSHOT = (b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",)
WRITE = (b"BEGIN ISOLATION LEVEL READ COMMITTED",)  # after waiting for a lock, read what the other one has written
# Those who write to one campaign queue here. A row that they lock would wake all of them whenever one has changed it.
TURN = f"SELECT pg_advisory_xact_lock({0x74687265}, %d)"
# Campaigns are created one at a time: the next id is the largest plus one.
CREATE = (*WRITE, b"LOCK TABLE campaign IN SHARE ROW EXCLUSIVE MODE")
AWAY = (psycopg.OperationalError, psycopg.InterfaceError)  # errors that mean that the server cannot be reached
RECONNECT = 2.0  # seconds after which the pool stops retrying, because its pauses double; the next call tries again
WAIT_WHILE_AWAY = 0.5  # seconds that a call waits for a database that was just unavailable

# The pool draws the lifetimes of connections and its pauses from Python's global generator, whose state belongs to the
# program that uses a campaign.
psycopg_pool.base.random = SystemRandom().random  # type: ignore[attr-defined]

_Connection: TypeAlias = psycopg.Connection[Row]
_Call: TypeAlias = tuple[str, Sequence[Any]]  # a named statement and its values


class PostgresStorage(SqlStorage):
    """Campaigns in a PostgreSQL database, in a schema of their own.

    A connection prepares all statements. A transaction takes two trips to the database: the first begins it, waits
    for its turn and reads, the second writes and commits. Values are bound; only the number of a campaign is in a text.

    Parameters
    ----------
    address : str
        ``postgresql://user@host/database``, or any other connection string of libpq.
    connections : int
        How many at most; long reads take at most half of them.
    timeout : float
        Seconds to wait for a connection.
    migrations : sequence of Migration, optional
        Other steps than those of this version.

    Raises
    ------
    StorageUnavailableError
        If the database cannot be reached.
    SchemaVersionError
        If a newer thresher made its schema.
    """

    def __init__(
        self,
        address: str,
        *,
        connections: int = 16,
        timeout: float = 10.0,
        migrations: Sequence[Migration] | None = None,
    ) -> None:
        self._migrations = load_migrations() if migrations is None else migrations
        super().__init__(timeout=timeout, long_reads=min(LONG_READS, max(connections // 2, 1)))
        self._address, self._connections = address, connections
        try:
            _migrate(address, self._migrations)
        except psycopg.Error as error:
            raise _explanation(error, "check the address, and that the server runs") from error
        self.connect_here()

    def connect(self) -> None:
        """Open the pool of connections."""
        self._locks: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()
        self._is_away = False
        self._pool: ConnectionPool[_Connection] = ConnectionPool(
            self._address,
            min_size=1,
            max_size=self._connections,
            timeout=self._timeout,
            reconnect_timeout=RECONNECT,
            kwargs={"autocommit": True, "prepare_threshold": None},  # the driver prepares nothing by itself
            configure=_configure,
            open=True,
        )
        try:
            self._pool.wait(self._timeout)  # otherwise the first caller opens a second one
        except psycopg.Error as error:
            raise _explanation(error) from error

    def reading(self) -> AbstractContextManager[Run]:
        """Hold a snapshot."""
        return self._transaction(SNAPSHOT)

    def writing(self) -> AbstractContextManager[Run]:
        """Hold a transaction that creates a campaign, one at a time."""
        return self._transaction(CREATE)

    @contextmanager
    def _transaction(self, begin: tuple[bytes, ...]) -> Iterator[_Run]:
        try:
            self.connect_here()
            connection = self._take()
            try:
                run = _Run(connection, begin)
                try:
                    yield run
                    run.end("COMMIT")
                finally:
                    run.end("ROLLBACK")
            finally:
                self._pool.putconn(connection)
            self._is_away = False
        except psycopg.Error as error:
            if isinstance(error, AWAY):
                self._is_away = True
                self._pool.check()  # connections to a server that is gone are thrown away now, not one by one
            raise _explanation(error) from error

    def _take(self) -> _Connection:
        """Return a connection that the server has not closed; a restart closes all idle ones."""
        wait = min(self._timeout, WAIT_WHILE_AWAY) if self._is_away else self._timeout
        while not _is_alive(connection := self._pool.getconn(wait)):
            self._pool.putconn(connection)  # which discards it and opens another one
            wait = min(wait, RECONNECT)
        return connection

    @contextmanager
    def deciding(self, campaign: int) -> Iterator[Run]:
        """Hold a transaction for one decision; the threads of this process wait here and not at the database."""
        self.connect_here()
        with self._lock:
            lock = self._locks.setdefault(campaign, threading.Lock())
        with lock, self._transaction((*WRITE, (TURN % campaign).encode())) as run:
            yield run

    def damage(self, run: Run) -> list[str]:
        """Return the differences of the version table from what was written; PostgreSQL checks its pages itself."""
        return check_steps("the database", run("list_steps"), self._migrations)

    def copy_to(self, path: Path) -> None:
        """Copy all rows of one snapshot."""
        with closing(SqliteStorage(path, migrations=self._migrations)) as copy, self._transaction(SNAPSHOT) as run:
            copy.insert((name, columns, run.table(name, columns)) for name, columns in copy.tables().items())

    def fill_from(self, path: Path) -> None:
        """Copy all rows of a file in one transaction."""
        with closing(SqliteStorage(path, migrations=self._migrations)) as source, self._transaction(CREATE) as run:
            for name, columns in source.tables().items():
                run.fill(name, columns, source.rows_of_table(name, columns))

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Run:
    """The statements of one transaction, which begins with the first of them."""

    def __init__(self, connection: _Connection, begin: tuple[bytes, ...]) -> None:
        self._connection, self._begin = connection, begin

    def _send(self, calls: Sequence[_Call], *end: bytes) -> list[list[Row]]:
        """Run named statements in one trip, with what begins and ends the transaction; return the rows of each."""
        begin, self._begin = self._begin, ()
        try:
            results = self._connection.wait(_trip(self._connection.pgconn, begin, calls, end))
        except BaseException:
            self._connection.close()  # unread responses may still arrive
            raise
        if (wrong := next((result for result in results if result.status == ExecStatus.FATAL_ERROR), None)) is not None:
            raise psycopg.errors.error_from_result(wrong)
        loader = adapt.Transformer(self._connection)
        return [_rows(loader, result) for result in results[len(begin) : len(begin) + len(calls)]]

    def __call__(self, name: str, /, **parameters: Any) -> list[Row]:
        return self.read({name: parameters})[name]

    def read(self, queries: Mapping[str, Parameters]) -> dict[str, list[Row]]:
        calls = [(name, [given[key] for key in PARAMETERS[name]]) for name, given in queries.items()]
        return dict(zip(queries, self._send(calls), strict=True))

    def cursor(self, name: str, /, **parameters: Any) -> Generator[Row, None, None]:
        if self._begin:
            self._send([])
        with self._connection.cursor(name) as cursor:
            yield from cursor.execute(re.sub(r":(\w+)", r"%(\1)s", STATEMENTS[name]), parameters)

    def write(self, campaign: int, rows: Mapping[str, Sequence[Any]], *, commit: bool = False) -> None:
        """Send the statements that write rows, one for each."""
        calls = [(name, one) for name, some in rows.items() for one in values_of(PARAMETERS[name], campaign, some)]
        self._send(calls, *([b"COMMIT"] if commit else []))

    def table(self, name: str, columns: Sequence[str]) -> Generator[Row, None, None]:
        """Return all rows of a table one by one."""
        if self._begin:
            self._send([])
        with self._connection.cursor("rows_of_table") as cursor:
            yield from cursor.execute(f"SELECT {', '.join(columns)} FROM {name}".encode())  # noqa: S608

    def fill(self, name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Write the rows of a table; those of tokens replace what is there."""
        if self._begin:
            self._send([])
        if name == "token":
            self._connection.execute("DELETE FROM token")
        copying = f"COPY {name} ({', '.join(columns)}) FROM STDIN".encode()
        with self._connection.cursor() as cursor, cursor.copy(copying) as copy:
            for row in rows:
                copy.write_row(row)

    def end(self, how: str) -> None:
        """Commit or roll back the transaction, if it is still open."""
        if self._connection.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            self._connection.execute(how)


def _trip(
    pgconn: PGconn, begin: tuple[bytes, ...], calls: Sequence[_Call], end: tuple[bytes, ...]
) -> PQGen[list[PGresult]]:
    """Send statements in one packet and wait for their results; the driver's own pipeline takes twice the time."""
    pgconn.enter_pipeline_mode()
    for text in begin:
        pgconn.send_query_params(text, None)
    for name, values in calls:
        pgconn.send_query_prepared(name.encode(), [*map(_bound, values)], result_format=Format.BINARY)
    for text in end:
        pgconn.send_query_params(text, None)
    pgconn.pipeline_sync()
    yield from send(pgconn)
    results = []
    for _ in range(len(begin) + len(calls) + len(end)):
        results += yield from fetch_many(pgconn)
    yield from fetch_many(pgconn)  # the end of the trip
    pgconn.exit_pipeline_mode()
    return results


def _bound(value: Any) -> bytes | None:
    """Return a value as PostgreSQL reads it."""
    if not isinstance(value, str):
        return None if value is None else repr(value).encode()
    if "\0" in value:  # libpq would cut the text there
        raise psycopg.DataError("a text has a NUL character")
    return value.encode()


def _rows(loader: Transformer, result: PGresult) -> list[Row]:
    """Return the rows of a result, none if its statement returns no rows."""
    if not result.ntuples:
        return []
    loader.set_pgresult(result)
    return loader.load_rows(0, result.ntuples, tuple)


def _is_alive(connection: _Connection) -> bool:
    """Return whether a connection is open, as far as this is known without a trip to the database."""
    try:
        for _ in range(2):  # the first may read a last message, and only the second the end
            connection.pgconn.consume_input()
    except psycopg.Error:
        return False
    return connection.pgconn.transaction_status == TransactionStatus.IDLE


def _configure(connection: _Connection) -> None:
    connection.execute("; ".join([f"SET search_path TO {SCHEMA}", PLANS, *map(prepare, STATEMENTS)]))


def prepare(name: str) -> str:
    """Return the text that prepares a statement under its name."""
    return f"PREPARE {name} AS {numbered(STATEMENTS[name], '$')}"


def _migrate(address: str, migrations: Sequence[Migration]) -> None:
    with psycopg.connect(address, autocommit=True, connect_timeout=10) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}")
        if not check_version("the database", _version(connection), migrations):
            return
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
            found = _version(connection)  # another process may have been faster
            if found == 0:
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            apply_migrations(connection.execute, "postgresql", found, migrations)


def _version(connection: psycopg.Connection[Row]) -> int:
    [(table,)] = connection.execute("SELECT to_regclass('thresher_schema')").fetchall()
    if table is None:
        return 0
    [(version,)] = connection.execute("SELECT coalesce(max(version), 0) FROM thresher_schema").fetchall()
    return int(version)


def _explanation(error: psycopg.Error, instead: str = "try again; what was acknowledged is safe") -> StorageError:
    """Return thresher's error for one of the driver, with the fix if the database is unavailable."""
    if isinstance(error, AWAY):
        what = f"cannot use the database: {' '.join(str(error).split()) or type(error).__name__}"
        return StorageUnavailableError(what, instead=instead)
    if isinstance(error, psycopg.errors.UniqueViolation) and error.diag.constraint_name == "event_pkey":
        what = "another process wrote to this campaign at the same time, without waiting; this call stored nothing"
        return StorageUnavailableError(what, instead="try again, and update processes of thresher 0.2")
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        instead = f"use another role; the owner of the schema {SCHEMA} brings it up to date by opening it once"
        return StorageError(f"the database refused: {error}", instead=instead)
    return StorageError(f"the database refused: {error}", instead="run thresher verify")
