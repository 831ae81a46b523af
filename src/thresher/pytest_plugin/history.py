"""The outcomes of every test in earlier nights, in an SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

from thresher.storage.sqlite import make_private_file

SCHEMA = 2
CREATE = "CREATE TABLE IF NOT EXISTS seen (test TEXT PRIMARY KEY, source TEXT, runs INTEGER, failures INTEGER)"
# A file of version 1 has the columns above; these came with version 2.
ADDED = (
    "streak INTEGER NOT NULL DEFAULT 0",
    "seconds REAL",
    "failure TEXT NOT NULL DEFAULT ''",
    "failed_on TEXT NOT NULL DEFAULT ''",
)
READ = "SELECT test, source, runs, failures, streak, seconds, failure, failed_on FROM seen"
REPLACE = """
INSERT INTO seen (test, source, runs, failures, streak, seconds, failure, failed_on) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (test) DO UPDATE SET
    source = excluded.source, runs = excluded.runs, failures = excluded.failures, streak = excluded.streak,
    seconds = excluded.seconds, failure = excluded.failure, failed_on = excluded.failed_on
"""
# Added in SQL: sessions that end at the same time both count.
ADD = """
INSERT INTO seen (test, source, runs, failures, streak, seconds, failure, failed_on) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (test) DO UPDATE SET
    source = excluded.source, runs = runs + excluded.runs, failures = failures + excluded.failures,
    streak = CASE WHEN excluded.failures > 0 THEN excluded.streak ELSE streak + excluded.runs END,
    seconds = excluded.seconds,
    failure = CASE WHEN excluded.failures > 0 THEN excluded.failure ELSE failure END,
    failed_on = CASE WHEN excluded.failures > 0 THEN excluded.failed_on ELSE failed_on END
"""


@dataclass(frozen=True)
class Past:
    """The stored outcomes of one test.

    Parameters
    ----------
    source : str
        Hash of the source that it had.
    runs, failures : int
        Its runs, and those that failed.
    streak : int
        Passes since the last failure; 0 in a file of version 1, where it is not known.
    seconds : float, optional
        Mean duration of a run in the last night.
    failure, failed_on : str
        Text and date of the last failure; empty if there is none.
    """

    source: str
    runs: int
    failures: int
    streak: int = 0
    seconds: float | None = None
    failure: str = ""
    failed_on: str = ""


class HistoryError(Exception):
    """A history file that cannot be used; the message has the reason."""


class History:
    """The history of all tests.

    Parameters
    ----------
    path : Path
        Created when there is something to store.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> dict[str, Past]:
        """Return the past of each test, by name.

        Raises
        ------
        HistoryError
            If the file cannot be read, or a later version wrote it.
        """
        if not self.path.exists():
            return {}
        with _explained(self.path), closing(self._connect()) as database:
            rows = database.execute(READ).fetchall()
        return {test: Past(*rest) for test, *rest in rows}

    def keep(self, tonight: Iterable[tuple[str, Past, bool]]) -> None:
        """Store (test, outcomes of tonight, whether the stored past still counts) of each test, all or none.

        Raises
        ------
        HistoryError
            If the file cannot be written.
        """
        with _explained(self.path), closing(self._connect()) as database, database:
            for test, past, goes_on in tonight:
                database.execute(ADD if goes_on else REPLACE, (test, *astuple(past)))

    def _connect(self) -> sqlite3.Connection:
        if not self.path.exists():
            make_private_file(self.path)
        database = sqlite3.connect(self.path, timeout=30.0)
        try:
            if database.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
                with database:
                    self._migrate(database)
        except BaseException:
            database.close()
            raise
        return database

    def _migrate(self, database: sqlite3.Connection) -> None:
        """Create the table, or add the columns that an earlier version did not have."""
        database.execute("BEGIN IMMEDIATE")  # two sessions may start at the same time
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "seen" not in tables:
            raise HistoryError(f"{self.path} is a database of another program; name another file by --thresher-db")
        if version not in range(SCHEMA + 1):
            raise HistoryError(
                f"{self.path} was written by another version of thresher; name another file by --thresher-db"
            )
        if version == SCHEMA:
            return
        database.execute(CREATE)
        for column in ADDED:
            database.execute(f"ALTER TABLE seen ADD COLUMN {column}")
        database.execute(f"PRAGMA user_version = {SCHEMA}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system into HistoryError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise HistoryError(f"cannot use {path}: {error}; name another file by --thresher-db") from error
