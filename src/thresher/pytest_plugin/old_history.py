"""History files of earlier versions: one table, one row for each test."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from thresher.campaign.storage import make_private_file
from thresher.pytest_plugin.stored_test import SessionRuns, StoredTest

VERSIONS = {  # the columns of each version
    1: "test, source, runs, failures, 0, NULL, '', ''",
    2: "test, source, runs, failures, streak, seconds, failure, failed_on",
}
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"


def is_old(path: Path, database: sqlite3.Connection) -> bool:
    """Return whether a file is a history of an earlier version.

    Raises
    ------
    sqlite3.DatabaseError
        If another program, or an unknown version, wrote it.
    """
    tables = {name for (name,) in database.execute(TABLES)}
    if not tables or "thresher_schema" in tables:
        return False
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if tables == {"seen"} and version in VERSIONS:
        return True
    raise sqlite3.DatabaseError(f"{path.name} is a database of another program or of another version of thresher")


def old_records(path: Path, database: sqlite3.Connection) -> dict[str, StoredTest]:
    """Return the stored runs of each test, those after its last failure as a session of their own.

    The runs count as of the last change of the file.
    """
    version = database.execute("PRAGMA user_version").fetchone()[0]
    at = path.stat().st_mtime_ns // 1000
    records = {}
    for test, source, runs, failures, streak, seconds, failure, failed_on in database.execute(
        f"SELECT {VERSIONS[version]} FROM seen"  # noqa: S608
    ):
        parts = [("before", at - 1, runs - streak, failures), ("streak", at, streak, 0)]
        sessions = tuple(
            SessionRuns(f"{name} {at}", when, source, count, failed) for name, when, count, failed in parts if count
        )
        if sessions:
            records[test] = StoredTest(sessions, seconds=seconds, failure=failure, failed_on=failed_on)
    return records


def set_old_aside(path: Path) -> dict[str, StoredTest]:
    """Copy a file of an earlier version to a backup in the same folder and empty it; return its content.

    Another session may do the same at this moment: the first one does, the other finds an empty file.
    """
    with closing(sqlite3.connect(path, timeout=30.0, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        if not is_old(path, database):
            return {}
        records = old_records(path, database)
        backup = path.with_name(f"{path.name}.backup")
        make_private_file(backup)
        shutil.copyfile(path, backup)
        database.execute("DROP TABLE seen")
        database.execute("PRAGMA user_version = 0")
        database.execute("COMMIT")
        return records
