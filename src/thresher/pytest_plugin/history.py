"""What was seen of every test in earlier nights, in an SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from thresher.storage.sqlite import make_private_file

SCHEMA = 1
CREATE = "CREATE TABLE IF NOT EXISTS seen (test TEXT PRIMARY KEY, source TEXT, runs INTEGER, failures INTEGER)"
KEEP = "INSERT INTO seen VALUES (?, ?, ?, ?) ON CONFLICT (test) DO UPDATE SET (source, runs, failures) = "
ADD = KEEP + "(excluded.source, runs + excluded.runs, failures + excluded.failures)"
REPLACE = KEEP + "(excluded.source, excluded.runs, excluded.failures)"


@dataclass(frozen=True)
class Past:
    """What was seen of one test: the source that it had, its runs, those that failed."""

    source: str
    runs: int
    failures: int


class HistoryError(Exception):
    """A file that cannot be used as history; the message says why."""


class History:
    """The past of all tests.

    Parameters
    ----------
    path : Path
        Made when there is something to keep.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> dict[str, Past]:
        """Return what was seen, by test.

        Raises
        ------
        HistoryError
            If the file cannot be read, or another version made it.
        """
        if not self.path.exists():
            return {}
        with _explained(self.path), closing(self._connect()) as database:
            rows = database.execute("SELECT test, source, runs, failures FROM seen").fetchall()
        return {test: Past(*rest) for test, *rest in rows}

    def keep(self, tonight: Iterable[tuple[str, Past, bool]]) -> None:
        """Add (test, what was seen tonight, whether it goes on from before) to the file, all or nothing.

        Raises
        ------
        HistoryError
            If the file cannot be written.
        """
        with _explained(self.path), closing(self._connect()) as database, database:
            for test, past, goes_on in tonight:
                database.execute(ADD if goes_on else REPLACE, (test, past.source, past.runs, past.failures))

    def _connect(self) -> sqlite3.Connection:
        if not self.path.exists():
            make_private_file(self.path)
        database = sqlite3.connect(self.path, timeout=30.0)
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "seen" not in tables:
            database.close()
            raise HistoryError(f"{self.path} is a database of another program; name another file by --thresher-db")
        if version not in (0, SCHEMA):
            database.close()
            raise HistoryError(f"{self.path} was made by another version of thresher; name another file, or delete it")
        with database:
            database.execute(CREATE)
            database.execute(f"PRAGMA user_version = {SCHEMA}")
        return database


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite and of the file system into ours."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise HistoryError(f"cannot use {path}: {error}; name another file by --thresher-db") from error
