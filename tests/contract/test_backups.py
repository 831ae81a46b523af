"""A backup is a whole database of one moment: taken while others write, verified, and restored on either store."""

import contextlib
import io
import json
import shutil
import sqlite3
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import PostgresPlace, SqlitePlace
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.campaign.storage.tokens import token_table
from thresher.campaign.storage.write_ahead_log import dropped_transactions
from thresher.cli.main import main
from thresher.errors import CorruptionError
from thresher.service.tokens import Keyring

pytestmark = pytest.mark.xdist_group("postgres")


def thresher(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as left:
        main([*words])
    return int(left.value.code or 0), out.getvalue(), err.getvalue()


def history(address: str, name: str) -> list[dict[str, Any]]:
    with contextlib.closing(open_storage(address)) as storage:
        return [entry.to_dict() for entry in Campaign.open(storage, name).history()]


@pytest.mark.nightly("sqlite")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_taken_while_others_write_is_restored_on_the_other_store(
    kind: str, sqlite_place: SqlitePlace, postgres_place: PostgresPlace, tmp_path: Path
) -> None:
    file, saved = f"sqlite:///{sqlite_place.path}", tmp_path / "saved.backup"
    here, there = (file, postgres_place.address) if kind == "sqlite" else (postgres_place.address, file)
    busy = Campaign.create(here, "busy", arms=["a", "b", "c"], threshold=0.5, budget=100_000)
    items = Campaign.create(here, "items ü", arms=["control", "x"], control="control", items=5, budget=6)
    for ticket in items.ask(4):
        items.tell(ticket, 1)
    with contextlib.closing(open_storage(here)) as storage:
        token = Keyring(token_table(storage)).new_token("read")
    stopping, told = threading.Event(), list[str]()

    def work() -> None:
        while not stopping.is_set() and (ticket := busy.ask()) is not None:
            busy.tell(ticket, 1)
            told.append(ticket.id)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        while len(told) < 5:
            assert worker.is_alive()
        before = len(told)
        code, out, err = thresher("backup", "--db", here, "--out", str(saved), "--json")
        assert (code, json.loads(out)) == (0, {"campaigns": ["busy", "items ü"], "place": str(saved)}), err
        during = len(told)
    finally:
        stopping.set()
        worker.join()
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["saved.backup"]
    assert thresher("restore", str(saved), "--db", there)[:2] == (
        0, f"2 campaigns restored and verified: {there}\n"
    )  # fmt: skip
    for name in ("busy", "items ü"):
        kept, whole = history(there, name), history(here, name)
        assert kept == whole[: len(kept)]
    restored = Campaign.open(there, "busy")
    assert before <= restored.standing.told <= during + 1
    assert restored.ask() is not None
    restored.verify()
    restored.disconnect()
    with contextlib.closing(open_storage(there)) as storage:
        assert Keyring(token_table(storage)).check(token, kind="token") is not None
    for words, rule in [
        (("restore", str(saved), "--db", there), "must have no campaigns; it has 'busy'"),
        (("restore", str(saved), "--db", there), f"database is '{there[:12]}"),
        (("backup", "--db", here, "--out", str(saved)), "must not exist; add --force"),
        (("restore", str(tmp_path / "none"), "--db", there), "must be a file that thresher backup wrote"),
    ]:
        code, _, err = thresher(*words)
        assert (code, rule in err) == (3, True), err
    for campaign in (busy, items):
        campaign.disconnect()


def test_no_backup_is_made_of_damaged_data_and_none_is_restored(sqlite_place: SqlitePlace, tmp_path: Path) -> None:
    address, saved = f"sqlite:///{sqlite_place.path}", tmp_path / "saved.backup"
    Campaign.create(address, "c", arms=["a", "b"], threshold=0.5, budget=9).disconnect()
    assert thresher("backup", "--db", address, "--out", str(saved))[0] == 0
    before = saved.read_bytes()
    for path in (sqlite_place.path, tmp_path / "bad.backup"):
        path.write_bytes(path.read_bytes() if path.exists() else before)
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE arm SET threshold = 0.6")
    code, _, err = thresher("backup", "--db", address, "--out", str(saved), "--force")
    assert (code, "threshold" in err) == (3, True), err
    code, _, err = thresher("restore", str(tmp_path / "bad.backup"), "--db", f"sqlite:///{tmp_path}/new.db")
    assert (code, "threshold" in err) == (3, True), err
    assert saved.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"saved.backup", "bad.backup"}


def test_verify_reports_transactions_that_follow_a_damaged_frame(tmp_path: Path) -> None:
    storage = SqliteStorage(tmp_path / "c.db", create=True)
    campaign = Campaign.create(storage, "c", arms=["a", "b"], threshold=0.5, budget=90)
    for _ in range(10):
        campaign.tell(campaign.ask() or "", 1)
    campaign.verify()
    assert dropped_transactions(tmp_path / "c.db") == 0
    for part in ("c.db", "c.db-wal"):  # as after a crash: nothing was closed
        shutil.copy(tmp_path / part, tmp_path / f"copy-{part}")
    crashed = SqliteStorage(tmp_path / "copy-c.db")
    Campaign.open(crashed, "c").verify()
    log = tmp_path / "copy-c.db-wal"
    content = bytearray(log.read_bytes())
    content[len(content) * 2 // 3] ^= 1
    shutil.copy(tmp_path / "c.db", tmp_path / "bad.db")
    (tmp_path / "bad.db-wal").write_bytes(content)
    damaged = SqliteStorage(tmp_path / "bad.db")
    shorter = Campaign.open(damaged, "c")
    assert 0 < shorter.standing.told < 10  # SQLite has dropped the others without an error
    with pytest.raises(CorruptionError, match=r"transactions of the write-ahead log follow a damaged frame"):
        shorter.verify()
    for each in (storage, crashed, damaged):
        each.close()


def test_a_copy_goes_to_the_other_store_and_back(
    sqlite_place: SqlitePlace, postgres_place: PostgresPlace, tmp_path: Path
) -> None:
    file, again = f"sqlite:///{sqlite_place.path}", f"sqlite:///{tmp_path}/again.db"
    made = Campaign.create(file, "c", arms=["a", "b"], threshold=0.5, budget=10)
    for ticket in made.ask(4):
        made.tell(ticket, 1)
    made.disconnect()
    for source, target in ((file, postgres_place.address), (postgres_place.address, again)):
        code, out, err = thresher("copy", "--from", source, "--to", target)
        assert (code, out.split(":")[0]) == (0, "1 campaign copied and verified"), err
    assert history(again, "c") == history(file, "c")
    code, _, err = thresher("copy", "--from", file, "--to", again)
    assert code == 3
    assert "must have no campaigns" in err
