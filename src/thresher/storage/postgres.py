"""Campaigns in PostgreSQL: many machines, many campaigns at once."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper
from psycopg_pool import ConnectionPool

from thresher.errors import StorageError, StorageUnavailableError
from thresher.storage.database import LONG_READS, Parameters, Run, SqlStorage
from thresher.storage.migrations import STEPS, Migration, apply_migrations, check_steps, check_version, load_migrations
from thresher.storage.statements import Row, load_statements

# psycopg writes a parameter as %(name)s.
STATEMENTS = {name: re.sub(r":(\w+)", r"%(\1)s", sql) for name, sql in load_statements("postgresql.sql").items()}
ONE_ROW = ("update_ledger", "append_event")
SCHEMA = "thresher"  # of the tables, so that they can live beside others in one database
MIGRATION_LOCK = 0x7468726573686572
# Every statement has its index. A plan is made once, and one made while a table is small must not read all of it later.
PLANS = "; ".join(
    [
        "SET plan_cache_mode TO force_generic_plan",
        "SET random_page_cost TO 0.1",
        *(f"SET enable_{way} TO off" for way in ("seqscan", "hashjoin", "mergejoin")),
    ]
)
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"  # what is read after a lock was waited for is what the other one wrote
RECONNECT = 2.0  # seconds after which the pool tries no more by itself: its pauses double, and the next call tries anew
WAIT_WHILE_AWAY = 0.5  # seconds that a call waits for a database that was away a moment ago

_Connection: TypeAlias = psycopg.Connection[Row]


class PostgresStorage(SqlStorage):
    """Campaigns in a PostgreSQL database, in a schema of their own.

    A transaction goes to the database in two trips: one locks the ledger and reads, one writes and commits.

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
            raise _explanation(error) from error
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
            kwargs={"autocommit": True, "prepare_threshold": 0},
            configure=_configure,
            open=True,
        )
        try:
            self._pool.wait(self._timeout)  # or the first who comes has a second one opened
        except psycopg.Error as error:
            raise _explanation(error) from error

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """Hold a snapshot."""
        with self._transaction(SNAPSHOT) as run:
            yield run

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """Hold a transaction that creates a campaign, one at a time."""
        with self._transaction(WRITE) as run:
            run("lock_campaigns")
            yield run

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[_Run]:
        try:
            connection = self._take_connection()
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
            explained = _explanation(error)
            if isinstance(explained, StorageUnavailableError):
                self._is_away = True
                self._pool.check()  # connections to a server that is gone are thrown away now, not one by one
            raise explained from error

    def _take_connection(self) -> _Connection:
        self.connect_here()
        return self._pool.getconn(min(self._timeout, WAIT_WHILE_AWAY) if self._is_away else self._timeout)

    @contextmanager
    def deciding(self, campaign: int) -> Iterator[Run]:
        """Hold a transaction for one decision; the threads of this process wait here and not at the database."""
        self.connect_here()
        with self._lock:
            lock = self._locks.setdefault(campaign, threading.Lock())
        with lock, self._transaction(WRITE) as run:
            yield run

    def damage(self, run: Run) -> list[str]:
        """Return where the version table is not what was written; PostgreSQL checks its pages itself."""
        assert isinstance(run, _Run)
        return check_steps("the database", run.raw(STEPS), self._migrations)

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()


class _Run:
    """The statements of one transaction, which begins with the first of them."""

    def __init__(self, connection: _Connection, begin: str) -> None:
        self._connection, self._begin = connection, begin

    def _start(self) -> None:
        if self._begin:
            self._connection.execute(self._begin)
            self._begin = ""

    def __call__(self, name: str, /, **parameters: Any) -> list[Row]:
        return self.read({name: parameters})[name]

    def read(self, queries: Mapping[str, Parameters]) -> dict[str, list[Row]]:
        with self._connection.pipeline():
            self._start()
            cursors = {name: self._connection.execute(STATEMENTS[name], given) for name, given in queries.items()}
        return {name: _fetched(cursor) for name, cursor in cursors.items()}

    def raw(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        self._start()
        return _fetched(self._connection.execute(sql, values))

    def cursor(self, name: str, /, **parameters: Any) -> Generator[Row, None, None]:
        self._start()
        with self._connection.cursor(name) as cursor:
            yield from cursor.execute(STATEMENTS[name], parameters)

    def write(self, campaign: int, rows: Mapping[str, Sequence[Any]], *, then: str = "") -> None:
        with self._connection.pipeline(), self._connection.cursor() as cursor:
            for name, some in rows.items():
                given = some[0]._asdict() if name in ONE_ROW else {"rows": _json(some)}
                cursor.execute(STATEMENTS[name], {"campaign": campaign, **given})
            if then:
                cursor.execute(then)

    def commit(self, campaign: int, rows: Mapping[str, Sequence[Any]]) -> None:
        self.write(campaign, rows, then="COMMIT")

    def end(self, how: str) -> None:
        """Commit or roll back the transaction, if it is still open."""
        if self._connection.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            self._connection.execute(how)


def _fetched(cursor: psycopg.Cursor[Row]) -> list[Row]:
    """Return all rows of a cursor, none if its statement returns no rows."""
    return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []


def _json(rows: Sequence[Any]) -> str:
    """Return rows as JSON; its numbers cannot be infinite, so floats go as text."""
    fields = rows[0]._fields
    texts = [[str(value) if isinstance(value, float) else value for value in row] for row in rows]
    return json.dumps([dict(zip(fields, text, strict=True)) for text in texts])


def _configure(connection: _Connection) -> None:
    connection.execute(f"SET search_path TO {SCHEMA}; {PLANS}", prepare=False)
    # One type for all whole numbers, or every size of number would be a prepared statement of its own.
    connection.adapters.register_dumper(int, Int8Dumper)


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

            def run(sql: str, values: Sequence[Any]) -> list[Row]:
                return _fetched(connection.execute(sql, values or None))

            apply_migrations(run, "postgresql", found, migrations)


def _version(connection: psycopg.Connection[Row]) -> int:
    [(table,)] = connection.execute("SELECT to_regclass('thresher_schema')").fetchall()
    if table is None:
        return 0
    [(version,)] = connection.execute("SELECT coalesce(max(version), 0) FROM thresher_schema").fetchall()
    return int(version)


def _explanation(error: psycopg.Error) -> StorageError:
    """Return our error for one of the driver."""
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        what = f"cannot use the database: {str(error).strip() or type(error).__name__}"
        return StorageUnavailableError(what, instead="try again; what was acknowledged is safe")
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        instead = f"use another role; the owner of the schema {SCHEMA} brings it up to date by opening it once"
        return StorageError(f"the database refused: {error}", instead=instead)
    return StorageError(f"the database refused: {error}", instead="run thresher verify")
