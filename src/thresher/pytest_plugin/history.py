"""The runs of every test in earlier sessions: tables of this plugin in a campaign database (SQLite)."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from thresher.campaign.storage import MemoryStorage, SqliteStorage, replace_campaign
from thresher.pytest_plugin.old_history import is_old, old_records, set_old_aside
from thresher.pytest_plugin.stored_test import DAY, SessionRuns, StoredTest

CAMPAIGN = "pytest"
# Names that begin with pytest_ are not part of the schema of a campaign database, which `thresher verify` checks.
CREATE = (
    """
    CREATE TABLE IF NOT EXISTS pytest_run (
        session TEXT NOT NULL, test TEXT NOT NULL, source TEXT NOT NULL, at INTEGER NOT NULL, runs INTEGER NOT NULL,
        failures INTEGER NOT NULL, PRIMARY KEY (session, test)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS pytest_test (
        test TEXT NOT NULL PRIMARY KEY, bar REAL NOT NULL, cost REAL NOT NULL, since INTEGER NOT NULL, seconds REAL,
        failure TEXT NOT NULL, failed_on TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)
ADD_RUN = "INSERT OR IGNORE INTO pytest_run (session, test, source, at, runs, failures) VALUES (?, ?, ?, ?, ?, ?)"
SET_TEST = """
INSERT INTO pytest_test (test, bar, cost, since, seconds, failure, failed_on) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (test) DO UPDATE SET
    bar = excluded.bar, cost = excluded.cost, since = max(since, excluded.since), seconds = excluded.seconds,
    failure = CASE WHEN excluded.failed_on >= failed_on THEN excluded.failure ELSE failure END,
    failed_on = max(failed_on, excluded.failed_on)
"""
FORGET = (
    "DELETE FROM pytest_run WHERE at <= ?",
    "DELETE FROM pytest_test WHERE test NOT IN (SELECT test FROM pytest_run)",
)
RUNS = "SELECT test, session, at, source, runs, failures FROM pytest_run WHERE at > ? ORDER BY at, session"
TESTS = "SELECT test, bar, cost, since, seconds, failure, failed_on FROM pytest_test"
HAS_RUNS = "SELECT count(*) FROM sqlite_master WHERE name = 'pytest_run'"


class HistoryError(Exception):
    """A history file that cannot be used; the message has the reason."""


class History:
    """The history of all tests.

    Parameters
    ----------
    path : Path
        Created when there is something to store.
    days : float
        Runs count and are kept for this time.
    """

    def __init__(self, path: Path, *, days: float = 90.0) -> None:
        self.path, self.days = path, days

    @property
    def oldest(self) -> int:
        """Sessions up to this time are too old, µs since 1970."""
        return time.time_ns() // 1000 - round(self.days * DAY)

    def load(self) -> dict[str, StoredTest]:
        """Return the stored runs of each test, by name.

        Raises
        ------
        HistoryError
            If the file cannot be read, or belongs to another program.
        """
        if not self.path.exists() or not self.path.stat().st_size:
            return {}
        with _explained(self.path), closing(sqlite3.connect(self.path, timeout=30.0)) as database:
            if is_old(self.path, database):
                return old_records(self.path, database)
            if not database.execute(HAS_RUNS).fetchone()[0]:
                raise HistoryError(f"{self.path} holds no history of tests; name another file by --thresher-db")
            return _read(database, self.oldest)

    def keep(self, records: Mapping[str, StoredTest], campaign: MemoryStorage | None = None) -> None:
        """Store sessions of tests, each once, and the campaign that judged them; all or nothing.

        Raises
        ------
        HistoryError
            If the file cannot be written.
        """
        with _explained(self.path):
            before = set_old_aside(self.path) if self.path.exists() else {}
            storage = SqliteStorage(self.path, create=True)
            try:
                with storage.alone() as database:
                    for statement in CREATE:
                        database.execute(statement)
                    for known in (before, records):
                        _write(database, known)
                    for statement, given in zip(FORGET, ((self.oldest,), ()), strict=True):
                        database.execute(statement, given)
                    if campaign is not None:
                        replace_campaign(database, campaign, CAMPAIGN)
            finally:
                storage.close()

    def merge(self, others: Iterable[Path]) -> int:
        """Add the sessions in other files, each once; return how many runs of tests were new.

        Raises
        ------
        HistoryError
            If a file cannot be read, or this one not written.
        """
        known = {(each.session, name) for name, record in self.load().items() for each in record.runs}
        new = 0
        for other in others:
            if not other.exists():
                raise HistoryError(f"{other} does not exist; name a history file")
            found = History(other, days=self.days).load()
            added = {(each.session, name): each.runs for name, record in found.items() for each in record.runs}
            new += sum(runs for key, runs in added.items() if key not in known)
            known |= added.keys()
            self.keep(found)
        return new


def _read(database: sqlite3.Connection, oldest: int) -> dict[str, StoredTest]:
    runs: dict[str, list[SessionRuns]] = {}
    for test, *row in database.execute(RUNS, (oldest,)):
        runs.setdefault(test, []).append(SessionRuns(*row))
    return {test: StoredTest(tuple(runs[test]), *row) for test, *row in database.execute(TESTS) if test in runs}


def _write(database: sqlite3.Connection, records: Mapping[str, StoredTest]) -> None:
    for test, record in records.items():
        for each in record.runs:
            database.execute(ADD_RUN, (each.session, test, each.source, each.at, each.runs, each.failures))
        row = (record.bar, record.cost, record.since, record.seconds, record.failure, record.failed_on)
        database.execute(SET_TEST, (test, *row))


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn errors of the storage, of SQLite and of the file system into HistoryError."""
    from thresher.errors import StorageError

    try:
        yield
    except (sqlite3.Error, OSError, StorageError) as error:
        text = str(error).partition("; ")[0]
        raise HistoryError(f"cannot use {path}: {text}; name another file by --thresher-db") from error
