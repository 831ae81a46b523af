"""Campaigns in PostgreSQL: many machines, many campaigns at once."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import SystemRandom
from typing import Any, TypeAlias

import psycopg
import psycopg_pool.base
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool

from thresher.errors import StorageError, StorageUnavailableError
from thresher.storage.database import LONG_READS, Parameters, Run, SqlStorage
from thresher.storage.migrations import STEPS, Migration, apply_migrations, check_steps, check_version, load_migrations
from thresher.storage.statements import Row, load_statements

STATEMENTS = load_statements("postgresql.sql")
_PARAMETER = re.compile(r":(\w+)")
_PARAMETERS = {name: tuple(dict.fromkeys(_PARAMETER.findall(sql))) for name, sql in STATEMENTS.items()}
_EXECUTE = {
    name: f"EXECUTE {name} ({', '.join(['%s'] * len(given))})" if given else f"EXECUTE {name}"
    for name, given in _PARAMETERS.items()
}
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
SNAPSHOT = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",)
WRITE = ("BEGIN ISOLATION LEVEL READ COMMITTED",)  # what is read after waiting for a lock is what the other one wrote
# Campaigns are created one at a time: the next id is the largest plus one.
CREATE = (*WRITE, "LOCK TABLE campaign IN SHARE ROW EXCLUSIVE MODE")
RECONNECT = 2.0  # seconds after which the pool stops retrying, because its pauses double; the next call tries again
WAIT_WHILE_AWAY = 0.5  # seconds that a call waits for a database that was just unavailable

# The pool draws the lifetimes of connections and its pauses from Python's global generator, whose state belongs to the
# program that uses a campaign.
psycopg_pool.base.random = SystemRandom().random  # type: ignore[attr-defined]

_Connection: TypeAlias = psycopg.Connection[Row]


class PostgresStorage(SqlStorage):
    """Campaigns in a PostgreSQL database, in a schema of their own.

    A connection prepares all statements. A transaction goes to the database in two texts: ``BEGIN; EXECUTE …`` locks
    the ledger and reads, ``EXECUTE …; COMMIT`` writes. One text is one trip, and one message for the driver, whose work
    on each message costs more than a statement.

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
            # The driver puts values into the text, and prepares nothing by itself.
            kwargs={"autocommit": True, "cursor_factory": psycopg.ClientCursor, "prepare_threshold": None},
            configure=_configure,
            open=True,
        )
        try:
            self._pool.wait(self._timeout)  # otherwise the first caller opens a second one
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
        with self._transaction(CREATE) as run:
            yield run

    @contextmanager
    def _transaction(self, begin: tuple[str, ...]) -> Iterator[_Run]:
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
        """Close all connections."""
        self._pool.close()


class _Run:
    """The statements of one transaction, which begins with the first of them."""

    def __init__(self, connection: _Connection, begin: tuple[str, ...]) -> None:
        self._connection, self._begin = connection, begin
        self._cursor = connection.cursor()

    def _send(self, calls: Mapping[str, Parameters], *end: str) -> None:
        """Send named statements as one text, with what begins and ends the transaction; go to the first result."""
        values = [given[key] for name, given in calls.items() for key in _PARAMETERS[name]]
        begin, self._begin = self._begin, ()
        self._cursor.execute("; ".join([*begin, *[_EXECUTE[name] for name in calls], *end]), values)
        for _ in begin:
            self._cursor.nextset()

    def _start(self) -> None:
        if self._begin:
            self._send({})

    def __call__(self, name: str, /, **parameters: Any) -> list[Row]:
        self._send({name: parameters})
        return _fetched(self._cursor)

    def read(self, queries: Mapping[str, Parameters]) -> dict[str, list[Row]]:
        self._send(queries)
        found = {}
        for name in queries:
            found[name] = self._cursor.fetchall()
            self._cursor.nextset()
        return found

    def raw(self, sql: str) -> list[Row]:
        self._start()
        return _fetched(self._cursor.execute(sql))

    def cursor(self, name: str, /, **parameters: Any) -> Generator[Row, None, None]:
        self._start()
        with self._connection.cursor(name) as cursor:
            yield from cursor.execute(_PARAMETER.sub(r"%(\1)s", STATEMENTS[name]), parameters)

    def write(self, campaign: int, rows: Mapping[str, Sequence[Any]]) -> None:
        self._send(_calls(campaign, rows))

    def commit(self, campaign: int, rows: Mapping[str, Sequence[Any]]) -> None:
        self._send(_calls(campaign, rows), "COMMIT")

    def end(self, how: str) -> None:
        """Commit or roll back the transaction, if it is still open."""
        if self._connection.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            self._connection.execute(how)


def _fetched(cursor: psycopg.Cursor[Row]) -> list[Row]:
    """Return all rows of a cursor, none if its statement returns no rows."""
    return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []


def _calls(campaign: int, rows: Mapping[str, Sequence[Any]]) -> dict[str, Parameters]:
    """Return the parameters of the statements that write rows."""
    given = {name: some[0]._asdict() if name in ONE_ROW else {"rows": _json(some)} for name, some in rows.items()}
    return {name: {"campaign": campaign, **values} for name, values in given.items()}


def _json(rows: Sequence[Any]) -> str:
    """Return rows as JSON; its numbers cannot be infinite, so floats go as text."""
    fields = rows[0]._fields
    texts = [[str(value) if isinstance(value, float) else value for value in row] for row in rows]
    return json.dumps([dict(zip(fields, text, strict=True)) for text in texts])


def _configure(connection: _Connection) -> None:
    connection.execute("; ".join([f"SET search_path TO {SCHEMA}", PLANS, *map(prepare, STATEMENTS)]))


def prepare(name: str) -> str:
    """Return the text that prepares a statement under its name; it replaces the parameters by their numbers."""
    places = {key: f"${number}" for number, key in enumerate(_PARAMETERS[name], 1)}
    return f"PREPARE {name} AS {_PARAMETER.sub(lambda match: places[match[1]], STATEMENTS[name])}"


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
