"""What was seen is there in the next session."""

import os
import sqlite3
import time
from pathlib import Path

import pytest

from thresher.campaign import Campaign
from thresher.pytest_plugin.__main__ import main as merge
from thresher.pytest_plugin.history import CAMPAIGN, History, HistoryError
from thresher.pytest_plugin.session_campaign import SessionCampaign
from thresher.pytest_plugin.stored_test import DAY, LEAST_WINDOW, Past, SessionRuns, StoredTest, window
from thresher.pytest_plugin.tally import Tally, Test, TestRun

NOW = time.time_ns() // 1000


def of(session: str, runs: int, failures: int, *, at: int = NOW, source: str = "s", **given: object) -> StoredTest:
    """Return what is stored of a test after one session."""
    return StoredTest((SessionRuns(session, at, source, runs, failures),), 0.9, 1.0, **given)  # type: ignore[arg-type]


def test_sessions_add_up_and_each_counts_once(tmp_path: Path) -> None:
    history = History(tmp_path / "h.db")
    assert history.load() == {}
    history.keep({"a": of("one", 3, 1, failure="Traceback", failed_on="2026-11-15"), "b": of("one", 1, 0)})
    history.keep({"a": of("two", 2, 0, at=NOW + 1, seconds=0.5)})
    history.keep({"a": of("two", 2, 0, at=NOW + 1, seconds=0.5)})
    found = History(tmp_path / "h.db").load()
    assert found["a"].past("s", 0.9) == Past(5, 1, 2, NOW + 1, NOW)
    assert found["b"].past("s", 0.9) == Past(1, 0, 1, NOW, 0)
    assert (found["a"].failure, found["a"].failed_on, found["a"].seconds) == ("Traceback", "2026-11-15", 0.5)


def test_runs_count_while_the_source_is_the_same_and_while_they_are_recent(tmp_path: Path) -> None:
    history = History(tmp_path / "h.db", days=10.0)
    history.keep({"a": of("old", 9, 9, at=NOW - 11 * DAY), "gone": of("old", 9, 9, at=NOW - 11 * DAY)})
    history.keep({"a": of("one", 4, 1, source="other", at=NOW - DAY)})
    history.keep({"a": of("two", 3, 0)})
    [record] = history.load().values()  # runs of a removed test age out
    assert record.past("s", 0.9) == Past(3, 0, 3, NOW, 0)
    assert record.past("other", 0.9) == Past(4, 1, 0, NOW - DAY, NOW - DAY)
    assert record.past("new", 0.9) is None


def test_the_last_runs_count_in_which_a_test_at_its_bar_fails_ten_times() -> None:
    assert (window(0.98), window(0.999), window(0.5)) == (500, 10_000, LEAST_WINDOW)
    sessions = tuple(SessionRuns(str(i), i, "s", 50, int(i < 5)) for i in range(1, 21))
    past = StoredTest(sessions).past("s", 0.98)
    assert past == Past(500, 0, 500, 20, 0)  # the failures of the first sessions have faded


def test_runs_that_a_later_session_contradicts_do_not_come_back_by_a_merge(tmp_path: Path) -> None:
    history, other = History(tmp_path / "h.db"), History(tmp_path / "other.db")
    other.keep({"a": of("one", 9, 9, at=NOW - 2)})
    history.keep({"a": of("two", 9, 0, since=NOW - 2)})
    assert history.merge([other.path]) == 9
    past = history.load()["a"].past("s", 0.9)
    assert past is not None
    assert (past.runs, past.failures) == (9, 0)


def test_histories_of_shards_are_merged_and_counted_once(tmp_path: Path) -> None:
    shards = [History(tmp_path / f"{i}.db") for i in range(3)]
    for i, shard in enumerate(shards):
        shard.keep({"common": of("before", 5, 1)})
        shard.keep({f"t{i}": of(f"shard {i}", 2, 0)})
    merged = History(tmp_path / "merged.db")
    assert merged.merge([shard.path for shard in shards]) == 5 + 3 * 2
    assert merged.merge([shard.path for shard in shards]) == 0
    pasts = {name: record.past("s", 0.9) for name, record in merged.load().items()}
    assert {name: past.runs for name, past in pasts.items() if past} == {"common": 5, "t0": 2, "t1": 2, "t2": 2}


def test_the_command_that_merges_stores_a_campaign_of_all_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i, name in enumerate("ab"):
        History(tmp_path / f"{i}.db").keep({name: of(f"shard {i}", 5, i)})
    words = ["merge", *(str(tmp_path / name) for name in ("all.db", "0.db", "1.db"))]
    assert merge(words) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'all.db'}: 10 new runs from 2 files\n"
    campaign = Campaign.open(f"sqlite:///{tmp_path / 'all.db'}", CAMPAIGN)
    assert {row.arm: (row.pulls, row.mean) for row in campaign.verdicts()} == {"a": (5, 1.0), "b": (5, 0.8)}
    assert (campaign.standing.spent, campaign.standing.budget) == (10.0, 10.0)
    assert merge([*words[:2], str(tmp_path / "no.db")]) == 1
    assert "no.db does not exist; name a history file" in capsys.readouterr().err


@pytest.mark.parametrize("version", [1, 2])
def test_a_file_of_an_earlier_version_is_read_and_goes_on(tmp_path: Path, version: int) -> None:
    database = sqlite3.connect(tmp_path / "h.db")
    database.execute("CREATE TABLE seen (test TEXT PRIMARY KEY, source TEXT, runs INTEGER, failures INTEGER)")
    database.execute("INSERT INTO seen VALUES ('a', 's', 12, 3)")
    if version == 2:
        for column in ("streak INTEGER NOT NULL DEFAULT 0", "seconds REAL", "failure TEXT NOT NULL DEFAULT ''"):
            database.execute(f"ALTER TABLE seen ADD COLUMN {column}")
        database.execute("ALTER TABLE seen ADD COLUMN failed_on TEXT NOT NULL DEFAULT ''")
        database.execute("UPDATE seen SET streak = 4, seconds = 0.5, failure = 'Traceback', failed_on = '2026-11-17'")
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.close()
    before = (tmp_path / "h.db").read_bytes()
    history = History(tmp_path / "h.db")
    past = history.load()["a"].past("s", 0.9)
    assert past is not None
    assert (past.runs, past.failures, past.streak) == (12, 3, 4 if version == 2 else 0)
    assert (tmp_path / "h.db").read_bytes() == before
    history.keep({"a": of("now", 2, 0, at=NOW + DAY)})
    past = history.load()["a"].past("s", 0.9)
    assert past is not None
    assert (past.runs, past.failures, past.streak) == (14, 3, 6 if version == 2 else 2)
    assert (tmp_path / "h.db.backup").read_bytes() == before


def test_the_campaign_of_the_last_session_replaces_that_of_the_one_before(tmp_path: Path) -> None:
    history, address = History(tmp_path / "h.db"), f"sqlite:///{tmp_path / 'h.db'}"
    for names in ("abc", "bd"):
        session = SessionCampaign()
        tallies = [Tally(Test(name, 0.9, 1.0, "s"), None) for name in names]
        for tally in tallies:
            tally.add(TestRun(True))
        session.admit(tallies, [1.0] * len(tallies), reruns=0.0)
        shown = session.close()
        history.keep({name: of(names, 1, 0) for name in names}, session.storage)
        campaign = Campaign.open(address, CAMPAIGN)
        assert list(campaign.verdicts()) == list(shown)
        campaign.verify()
    other = Campaign.create(address, "other", arms=["x"], threshold=0.5, budget=1)
    history.keep({"b": of("again", 1, 0)}, session.storage)
    assert [each.name for each in Campaign.list(address)] == [CAMPAIGN, "other"]
    other.verify()


def test_a_file_that_cannot_be_used_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is not a database, whatever its name says" * 99)
    for name, statement in (("theirs.db", "CREATE TABLE theirs (x)"), ("later.db", "CREATE TABLE seen (x)")):
        database = sqlite3.connect(tmp_path / name)
        database.execute(statement)
        database.execute("PRAGMA user_version = 7")
        database.close()
    for name in ("text.db", "theirs.db", "later.db"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(HistoryError, match="name another file by --thresher-db"):
            History(tmp_path / name).load()
        with pytest.raises(HistoryError, match="name another file by --thresher-db"):
            History(tmp_path / name).keep({"a": of("now", 1, 0)})
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(HistoryError, match="cannot use"):
        History(tmp_path / "no" / "h.db").keep({"a": of("now", 1, 0)})
    with pytest.raises(HistoryError, match="does not exist"):
        History(tmp_path / "h.db").merge([tmp_path / "no.db"])


def test_a_campaign_database_without_tests_is_not_a_history(tmp_path: Path) -> None:
    Campaign.create(f"sqlite:///{tmp_path / 'h.db'}", "mine", arms=["x"], threshold=0.5, budget=1)
    with pytest.raises(HistoryError, match="holds no history of tests"):
        History(tmp_path / "h.db").load()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        History(tmp_path / "h.db").keep({"a": of("now", 1, 0)})
    finally:
        os.umask(before)
    assert (tmp_path / "h.db").stat().st_mode & 0o777 == 0o600
