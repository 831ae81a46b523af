"""Campaigns in PostgreSQL: many machines, many campaigns at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper
from psycopg_pool import ConnectionPool, PoolTimeout

from thresher.campaign import Happening, Machine
from thresher.errors import StorageError, StorageUnavailableError, ThresherError
from thresher.storage.ahead import Ahead, after_reading
from thresher.storage.database import Run, SqlStorage
from thresher.storage.migrations import Migration, apply_migrations, check_version, load_migrations
from thresher.storage.protocol import Done, Need, Plan
from thresher.storage.sql import NEVER, Query, Row, Write, queries_of, sealed, step_of, view_of, writes_of
from thresher.storage.statements import load_statements

STATEMENTS = load_statements("postgresql")
SCHEMA = "thresher"  # of the tables, so that they can live beside others in one database
MIGRATION_LOCK = 0x7468726573686572
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
RECONNECT = 2.0  # seconds after which the pool tries no more by itself: its pauses double, and the next call tries anew
WAIT_WHILE_AWAY = 0.5  # seconds that a call waits for a database that was away a moment ago

_Connection = psycopg.Connection[Row]
_Cursor = psycopg.Cursor[Row]


class PostgresStorage(SqlStorage):
    """Campaigns in a PostgreSQL database, in a schema of their own.

    A transaction goes to the database in two trips: one locks the ledger and reads, one writes and commits. A process
    that was the last to write a campaign knows the rows that its next ask or tell needs; it sends the writes at once,
    and the database refuses them if anybody else was faster: one trip.

    Parameters
    ----------
    address : str
        ``postgresql://user@host/database``, or any other connection string of libpq.
    connections : int
        How many at most.
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
        self._known: dict[int, Ahead] = {}
        self._turns: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()
        self._address, self._connections, self._timeout = address, connections, timeout
        self._is_away = False
        with _explained():
            _migrate(address, self._migrations)
            self._connect()

    def _connect(self) -> None:
        self._process = os.getpid()
        self._pool: ConnectionPool[_Connection] = ConnectionPool(
            self._address,
            min_size=1,
            max_size=self._connections,
            timeout=self._timeout,
            reconnect_timeout=RECONNECT,
            kwargs={"autocommit": True},
            configure=_configure,
            open=True,
        )

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """Hold a snapshot."""
        with self._transaction(SNAPSHOT) as run:
            yield run

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """Hold a transaction that creates a campaign, one at a time."""
        with self._transaction("BEGIN") as run:
            run.raw("LOCK TABLE campaign IN SHARE ROW EXCLUSIVE MODE")
            yield run

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[_Run]:
        with self._connection() as connection:
            run = _Run(connection, begin)
            try:
                yield run
                run.commit()
            finally:
                run.undo()

    @contextmanager
    def _connection(self) -> Iterator[_Connection]:
        if self._process != os.getpid():
            self._connect()  # a connection must not be carried across a fork
        wait = min(self._timeout, WAIT_WHILE_AWAY) if self._is_away else self._timeout
        try:
            with _explained(), self._pool.connection(wait) as connection:
                yield connection
            self._is_away = False
        except StorageUnavailableError:
            self._is_away = True
            self._known.clear()
            self._pool.check()  # connections to a server that is gone are thrown away now, not one by one
            raise

    def transact(self, campaign: int, machine: Machine, need: Need, plan: Plan) -> Done:
        """Read the rows that are needed, decide, and write what changes with its event."""
        # Threads of one process take turns here; otherwise they would only be refused by the database.
        with self._turn(campaign), self._connection() as connection:
            done = self._write_at_once(connection, campaign, machine, need, plan)
            return done or self._read_and_write(connection, campaign, machine, need, plan)

    def _turn(self, campaign: int) -> threading.Lock:
        with self._lock:
            return self._turns.setdefault(campaign, threading.Lock())

    def _write_at_once(
        self, connection: _Connection, campaign: int, machine: Machine, need: Need, plan: Plan
    ) -> Done | None:
        """Write by what is known; return None if that does not suffice, or proves to be out of date."""
        known = self._known.get(campaign)
        if known is None or not known.meets(need):
            return None
        try:
            happening = plan(known.view.state)
        except ThresherError:
            return None  # a refusal must rest on fresh rows
        if happening is None:
            return None
        known.wanted = need.least or known.wanted
        deadline = known.deadline if need.least else NEVER
        return self._write(_Run(connection, "BEGIN"), campaign, machine, known, happening, deadline=deadline)

    def _read_and_write(self, connection: _Connection, campaign: int, machine: Machine, need: Need, plan: Plan) -> Done:
        run = _Run(connection, "BEGIN")
        queries = [Query("lock_ledger", {"campaign": campaign}), *queries_of(campaign, need)]
        try:
            [[ledger], *rest] = run.read(queries)
            view = view_of(ledger, queries[1:], rest)
            happening = plan(view.state)
            if happening is None:
                return Done(view, None, view.state.ledger.at)
            known = self._known[campaign] = after_reading(view, self._known.get(campaign), need)
            done = self._write(run, campaign, machine, known, happening)
            assert done is not None, "the ledger is locked"
            return done
        finally:
            run.undo()

    def _write(
        self, run: _Run, campaign: int, machine: Machine, known: Ahead, happening: Happening, *, deadline: int = NEVER
    ) -> Done | None:
        """Write what happens, in one trip; return None if somebody else was faster."""
        state, lease = known.view.state, machine.terms.lease_micros
        change, event = sealed(machine, state, happening)
        step = step_of(campaign, change, deadline=deadline)
        rest = writes_of(campaign, state, change, event, lease=lease, at=None)
        [taken, *results] = run.finish([step, *rest], known.queries(campaign))
        if not taken:
            known.outrun()
            return None
        [(at,)] = taken
        change = change._replace(ledger=change.ledger._replace(at=at))
        known.take(change, results, at=at, lease=lease)
        return Done(known.view, change, at)

    def damage(self, run: Run) -> list[str]:
        """Return where the version table is not what was written; PostgreSQL checks its pages itself."""
        assert isinstance(run, _Run)
        steps = run.raw("SELECT version, name, digest FROM thresher_schema ORDER BY version")
        known = [(step.version, step.name, step.digest) for step in self._migrations]
        return [] if steps == known else ["the version table is not what was written"]

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

    def _send(self, name: str, parameters: Any) -> _Cursor:
        statement = STATEMENTS[name]
        return self._connection.execute(statement.text, statement.values(parameters), prepare=True)

    def __call__(self, name: str, parameters: Any = ()) -> list[Row]:
        [rows] = self.read([Query(name, parameters)])
        return rows

    def read(self, queries: Sequence[Query]) -> list[list[Row]]:
        with self._connection.pipeline():
            self._start()
            cursors = [self._send(*query) for query in queries]
        return [cursor.fetchall() for cursor in cursors]

    def raw(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        self._start()
        cursor = self._connection.execute(sql, values)
        return cursor.fetchall() if cursor.description else []

    def cursor(self, name: str, parameters: Any = ()) -> Generator[Row, None, None]:
        self._start()
        statement = STATEMENTS[name]
        with self._connection.cursor(name) as cursor:
            yield from cursor.execute(statement.text, statement.values(parameters))

    def write(self, writes: Sequence[Write]) -> list[Row]:
        with self._connection.pipeline():
            self._start()
            cursors = [self._queue(write) for write in writes]
        return cursors[0].fetchall() if cursors[0].description else []

    def _queue(self, write: Write) -> _Cursor:
        statement = STATEMENTS[write.name]
        values = write.values(statement)
        if len(values) == 1:
            return self._connection.execute(statement.text, values[0], prepare=True)
        cursor = self._connection.cursor()
        cursor.executemany(statement.text, values)
        return cursor

    def finish(self, writes: Sequence[Write], queries: Sequence[Query]) -> list[list[Row]]:
        """Write, read, commit, in one trip; return the rows of the first write, then those of the queries."""
        with self._connection.pipeline():
            self._start()
            cursors = [self._queue(write) for write in writes][:1]
            cursors += [self._send(*query) for query in queries]
            self._connection.execute("COMMIT")
        return [cursor.fetchall() for cursor in cursors]

    def commit(self) -> None:
        if not self._begin:
            self._connection.execute("COMMIT")

    def undo(self) -> None:
        """End the transaction without a trace, if it is still open."""
        if self._connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            self._connection.execute("ROLLBACK")


def _configure(connection: _Connection) -> None:
    connection.execute(f"SET search_path TO {SCHEMA}")
    # One type for all whole numbers, or every size of number would be a prepared statement of its own.
    connection.adapters.register_dumper(int, Int8Dumper)


def _migrate(address: str, migrations: Sequence[Migration]) -> None:
    with psycopg.connect(address, autocommit=True, connect_timeout=10) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}")
        if not check_version("the database", _version(connection), migrations):
            return
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")

            def run(sql: str, values: Sequence[Any]) -> list[Row]:
                cursor = connection.execute(sql, values or None)
                return cursor.fetchall() if cursor.description else []

            # Another process may have been faster.
            apply_migrations(run, "postgresql", _version(connection), migrations)


def _version(connection: _Connection) -> int:
    [(table,)] = connection.execute("SELECT to_regclass('thresher_schema')").fetchall()
    if table is None:
        return 0
    [(version,)] = connection.execute("SELECT coalesce(max(version), 0) FROM thresher_schema").fetchall()
    return int(version)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn the errors of the driver into ours, once."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
        what = f"cannot use the database: {str(error).strip() or type(error).__name__}"
        raise StorageUnavailableError(what, instead="try again; what was acknowledged is safe") from error
    except psycopg.Error as error:
        raise StorageError(f"the database refused: {error}", instead="run thresher verify") from error
