"""What was seen is there the next night."""

import os
import sqlite3
from pathlib import Path

import pytest

from thresher.pytest_plugin.history import History, HistoryError, Past


def test_nights_add_up_and_a_new_source_begins_anew(tmp_path: Path) -> None:
    history = History(tmp_path / "h.db")
    assert history.load() == {}
    history.keep([("a", Past("s", 3, 1), False), ("b", Past("s", 1, 0), False)])
    history.keep([("a", Past("s", 2, 1), True), ("b", Past("t", 5, 5), False)])
    assert History(tmp_path / "h.db").load() == {"a": Past("s", 5, 2), "b": Past("t", 5, 5)}


def test_a_streak_goes_on_until_a_failure_and_the_last_failure_is_kept(tmp_path: Path) -> None:
    history = History(tmp_path / "h.db")
    history.keep([("a", Past("s", 4, 1, 2, 0.5, "Traceback", "2026-11-15"), False)])
    history.keep([("a", Past("s", 3, 0, 3, 0.25), True)])
    assert history.load() == {"a": Past("s", 7, 1, 5, 0.25, "Traceback", "2026-11-15")}
    history.keep([("a", Past("s", 3, 2, 1, 1.0, "Other", "2026-11-17"), True)])
    assert history.load() == {"a": Past("s", 10, 3, 1, 1.0, "Other", "2026-11-17")}


def test_a_file_of_version_1_is_read_and_goes_on(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "h.db")
    database.execute("CREATE TABLE seen (test TEXT PRIMARY KEY, source TEXT, runs INTEGER, failures INTEGER)")
    database.execute("INSERT INTO seen VALUES ('a', 's', 12, 3)")
    database.execute("PRAGMA user_version = 1")
    database.commit()
    database.close()
    history = History(tmp_path / "h.db")
    assert history.load() == {"a": Past("s", 12, 3)}
    history.keep([("a", Past("s", 2, 1, 1, 0.5, "Traceback", "2026-11-17"), True)])
    assert History(tmp_path / "h.db").load() == {"a": Past("s", 14, 4, 1, 0.5, "Traceback", "2026-11-17")}


def test_a_file_that_is_no_database_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "h.db").write_text("this is not a database, whatever its name says" * 99)
    with pytest.raises(HistoryError, match="name another file by --thresher-db"):
        History(tmp_path / "h.db").load()


def test_a_file_of_another_version_is_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "h.db")
    database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(HistoryError, match="another version"):
        History(tmp_path / "h.db").load()


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="cannot use"):
        History(tmp_path / "no" / "h.db").keep([("a", Past("s", 1, 0), False)])


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        History(tmp_path / "h.db").keep([("a", Past("s", 1, 0), False)])
    finally:
        os.umask(before)
    assert (tmp_path / "h.db").stat().st_mode & 0o777 == 0o600


def test_the_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "h.db")
    database.execute("CREATE TABLE theirs (x)")
    database.close()
    before = (tmp_path / "h.db").read_bytes()
    with pytest.raises(HistoryError, match="another program"):
        History(tmp_path / "h.db").load()
    assert (tmp_path / "h.db").read_bytes() == before
