"""What SQLite alone has to keep: the file, its mode, its plans, its append-only log, versions and backups."""

import os
import re
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import databases_once
from tests.support.contracts.campaign_contract import make, take
from tests.support.places import SqlitePlace
from thresher.campaign import Campaign
from thresher.campaign.ledger import Arm, Ledger, Machine, decisions
from thresher.campaign.ledger import events as e
from thresher.campaign.storage import RowsToRead, open_storage
from thresher.campaign.storage.migrations import Migration, load_migrations
from thresher.campaign.storage.sqlite import STATEMENTS, SqliteStorage, schema_of
from thresher.errors import (
    CorruptionError,
    InvalidInputError,
    SchemaVersionError,
    StorageError,
    StorageUnavailableError,
    ThresherError,
)

MORE = Migration(9000, "more", "CREATE TABLE more (x BIGINT NOT NULL);")


@pytest.fixture
def place(tmp_path: Path) -> SqlitePlace:
    return SqlitePlace(tmp_path / "c.db")


@pytest.fixture
def _made_by_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a new file be made as users make it, not as a copy of another one."""
    monkeypatch.setattr(databases_once, "ARE_COPIED", False)


def backups(place: SqlitePlace) -> list[Path]:
    """Return the backups next to a file, whole or not."""
    return [path for path in place.path.parent.iterdir() if ".version-" in path.name]


@pytest.mark.usefixtures("_made_by_steps")
def test_the_file_is_for_its_owner_alone(place: SqlitePlace) -> None:
    old = os.umask(0)
    try:
        campaign = make(place)
    finally:
        os.umask(old)
    campaign.tell(take(campaign), 1)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in place.path.parent.iterdir()}
    assert modes["c.db"] == modes["c.db-wal"] == modes["c.db-shm"] == 0o600


@pytest.mark.usefixtures("_made_by_steps")
def test_every_commit_waits_for_the_disk(place: SqlitePlace) -> None:
    make(place)
    storage = SqliteStorage(place.path)
    connection = storage._writer.connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        ("least_arms", "SEARCH arm USING INDEX arm_by_urgency (campaign=?)"),
        ("expired_pulls", "SEARCH pull USING INDEX pull_by_expiry (campaign=? AND expires<?)"),
        ("pulls_numbered", "SEARCH pull USING PRIMARY KEY (campaign=? AND number=?)"),
        ("arms_of_pulls", "SEARCH arm USING PRIMARY KEY (campaign=? AND position=?)"),
        ("arms_named", "SEARCH arm USING INDEX arm_by_name (campaign=? AND name=?)"),
        ("read_ledger", "SEARCH ledger USING PRIMARY KEY (campaign=?)"),
        ("update_arms", "SEARCH arm USING PRIMARY KEY (campaign=? AND position=?)"),
        ("update_pulls", "SEARCH pull USING PRIMARY KEY (campaign=? AND number=?)"),
        ("pulls_of_arm", "SEARCH pull USING INDEX pull_by_arm (campaign=? AND arm=? AND number>?)"),
        ("events_after", "SEARCH event USING INDEX sqlite_autoindex_event_1 (campaign=? AND seq>?)"),
    ],
)
def test_every_hot_statement_goes_by_an_index(place: SqlitePlace, statement: str, index: str) -> None:
    make(place)
    connection = sqlite3.connect(place.path)
    connection.create_function("thresher_clock", 0, lambda: 0)
    given = dict.fromkeys(re.findall(r":(\w+)", STATEMENTS[statement]), 0)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {STATEMENTS[statement]}", given).fetchall()
    connection.close()
    lines = [row[3] for row in plan]
    assert index in lines
    scans = [line for line in lines if line.startswith("SCAN") and not re.search("CONSTANT|VIRTUAL", line)]
    assert not [*scans, *(line for line in lines if "B-TREE" in line)]


def test_the_log_can_only_be_added_to(place: SqlitePlace) -> None:
    make(place)
    connection = sqlite3.connect(place.path)
    for change in ("UPDATE event SET at = 0", "DELETE FROM event"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            connection.execute(change)
    connection.close()


def test_the_database_itself_refuses_to_overspend(place: SqlitePlace) -> None:
    make(place)
    connection = sqlite3.connect(place.path)
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        connection.execute("UPDATE ledger SET reserved = budget + 1")
    connection.close()


@pytest.mark.parametrize(
    "address",
    ["", "thresher.db", "sqlite:", "sqlite://", "sqlite:///", "sqlite://host/x.db", "sqlite:///x.db?mode=ro",
     "sqlite:///x.db?timeout=soon", "mysql://host/db", "sqlite:///a\0b"],
)  # fmt: skip
def test_an_address_that_cannot_be_read_is_refused(address: str) -> None:
    with pytest.raises(InvalidInputError, match=r"sqlite:///|seconds"):
        open_storage(address)


def test_opening_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(StorageUnavailableError, match="does not exist"):
        Campaign.open(f"sqlite:///{tmp_path}/none.db", "c")
    assert not list(tmp_path.iterdir())


def test_a_wrong_beginning_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError):
        Campaign.create(f"sqlite:///{tmp_path}/none.db", "c", arms=["a", "a"], threshold=0.5, budget=9)
    assert not list(tmp_path.iterdir())


def test_a_directory_in_place_of_a_file_is_a_clear_error(tmp_path: Path) -> None:
    for create in (True, False):
        with pytest.raises(StorageUnavailableError, match="directory"):
            open_storage(f"sqlite:///{tmp_path}", create=create)
    with pytest.raises(StorageUnavailableError, match="cannot make"):
        open_storage(f"sqlite:///{tmp_path}/none/x.db", create=True)


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary, " * 100)
    with pytest.raises(StorageError, match="not a database"):
        open_storage(f"sqlite:///{path}")
    assert path.read_text().startswith("dear diary")


def test_a_locked_file_raises_a_clear_error_and_nothing_is_stored(place: SqlitePlace) -> None:
    make(place)
    campaign = Campaign.open(f"sqlite:///{place.path}?timeout=0.2", "c")
    holder = sqlite3.connect(place.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageUnavailableError, match="locked"):
        campaign.ask()
    assert campaign.outstanding == 0  # reading is not held up
    holder.close()
    assert take(campaign).arm == "a"


def test_who_knew_another_history_reads_again_once_a_backup_was_put_back(place: SqlitePlace) -> None:
    campaign = make(place)
    ticket = take(campaign)
    live, backup = sqlite3.connect(place.path), sqlite3.connect(":memory:")
    live.backup(backup)
    campaign.tell(ticket, 1)
    backup.backup(live)
    live.close()
    backup.close()
    Campaign.open(f"sqlite:///{place.path}", "c").tell(ticket, 0)  # the same number of events, but others
    assert take(campaign).arm == "b"
    assert campaign.verdicts()[0].mean == 0
    campaign.verify()


def test_a_reader_does_not_hold_up_a_writer(place: SqlitePlace) -> None:
    campaign = make(place)
    with SqliteStorage(place.path).reading() as run:
        run("list_campaigns")
        assert take(campaign).arm == "a"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_forks_goes_on_with_a_connection_of_its_own(place: SqlitePlace) -> None:
    campaign = make(place)
    take(campaign)
    child = os.fork()
    if child == 0:
        ticket = campaign.ask()
        os._exit(0 if ticket and ticket.arm == "b" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert take(campaign).arm == "c"
    campaign.verify()


def test_a_newer_schema_is_refused_and_left_alone(place: SqlitePlace) -> None:
    make(place)
    SqliteStorage(place.path, migrations=[*load_migrations(), MORE]).close()
    before = place.path.read_bytes()
    with pytest.raises(SchemaVersionError, match="9000"):
        SqliteStorage(place.path)
    assert place.path.read_bytes() == before


def test_a_migration_makes_a_backup_first(place: SqlitePlace) -> None:
    campaign = make(place)
    campaign.tell(take(campaign), 1)
    SqliteStorage(place.path, migrations=[*load_migrations(), MORE]).close()
    [backup] = backups(place)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    old = Campaign.open(f"sqlite:///{backup}", "c")  # this version still reads it
    assert old.spent == 1
    old.verify()


@pytest.mark.usefixtures("_made_by_steps")
def test_a_migrated_schema_is_that_of_a_new_file(place: SqlitePlace) -> None:
    make(place)
    steps = [*load_migrations(), MORE]
    SqliteStorage(place.path, migrations=steps).close()
    connection = sqlite3.connect(place.path)
    migrated = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()
    connection.close()
    assert migrated == schema_of(steps)


def test_a_log_in_one_tree_becomes_one_with_an_index(place: SqlitePlace) -> None:
    new = make(SqlitePlace(place.path.with_name("new.db")))
    new.tell(take(new), 1)
    before = new.history()
    new.disconnect()
    SqliteStorage(place.path, create=True, migrations=load_migrations()[:2]).close()
    with sqlite3.connect(place.path) as connection:
        connection.execute("ATTACH ? AS new", (str(place.path.with_name("new.db")),))
        for table in ("campaign", "ledger", "arm", "pull", "request", "event"):
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
    connection.close()
    campaign = Campaign.open(f"sqlite:///{place.path}", "c")
    assert campaign.history() == before
    campaign.tell(take(campaign), 0)
    campaign.verify()  # which compares the schema too


@pytest.mark.usefixtures("_made_by_steps")
def test_a_migration_that_fails_changes_nothing(place: SqlitePlace) -> None:
    make(place)
    broken = Migration(9000, "broken", "CREATE TABLE fine (x BIGINT);\nCREATE TABLE arm (x BIGINT);")
    with pytest.raises(StorageError):
        SqliteStorage(place.path, migrations=[*load_migrations(), broken])
    campaign = Campaign.open(f"sqlite:///{place.path}", "c")
    campaign.verify()  # which compares the schema too
    assert not backups(place)


@pytest.mark.usefixtures("_made_by_steps")
def test_the_first_migration_makes_one_complete_backup(place: SqlitePlace) -> None:
    make(place)
    before, barrier = len(Campaign.open(f"sqlite:///{place.path}", "c").history()), threading.Barrier(6)

    def migrate() -> None:
        barrier.wait()
        SqliteStorage(place.path, migrations=[*load_migrations(), MORE]).close()

    threads = [threading.Thread(target=migrate) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [backup] = backups(place)
    assert len(Campaign.open(f"sqlite:///{backup}", "c").history()) == before


def test_half_a_backup_of_one_who_was_killed_is_made_again(place: SqlitePlace) -> None:
    make(place)
    newest = load_migrations()[-1].version
    place.path.with_name(f"c.db.version-{newest}.part").write_text("half of it")
    SqliteStorage(place.path, migrations=[*load_migrations(), MORE]).close()
    [backup] = backups(place)
    Campaign.open(f"sqlite:///{backup}", "c").verify()


def test_who_knows_an_older_schema_goes_on_and_does_not_take_the_new_one_for_damage(place: SqlitePlace) -> None:
    campaign = make(place)
    SqliteStorage(place.path, migrations=[*load_migrations(), MORE]).close()
    campaign.tell(take(campaign), 1)
    with pytest.raises(SchemaVersionError, match="9000"):
        campaign.verify()


@pytest.mark.usefixtures("_made_by_steps")
def test_many_who_make_the_same_file_at_once_agree(tmp_path: Path) -> None:
    barrier, names = threading.Barrier(6), []

    def begin(i: int) -> None:
        barrier.wait()
        names.append(make(SqlitePlace(tmp_path / "c.db"), f"campaign {i}").name)

    threads = [threading.Thread(target=begin, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names) == [f"campaign {i}" for i in range(6)]
    assert len(Campaign.list(f"sqlite:///{tmp_path}/c.db")) == 6


def test_a_lost_worker_is_replaced_once_its_lease_has_expired(tmp_path: Path) -> None:
    campaign = Campaign.create(
        f"sqlite:///{tmp_path}/c.db", "c", arms=["a"], threshold=0.5, budget=1, lease=0.5, policy="lsa"
    )
    begun = time.monotonic()
    lost = take(campaign)
    assert next(campaign.tickets()).id != lost.id
    assert time.monotonic() - begun > 0.4  # `make chaos` measures how soon after the lease


def damage(path: Path, table: str, column: str, value: str) -> None:
    """Put a value where it was never written."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints=on")
        connection.execute("DROP TRIGGER event_stays")
        connection.execute(f"UPDATE {table} SET {column} = {value}")
    connection.close()


NUMBERS = [
    *(("ledger", name) for name, type_ in Ledger.__annotations__.items() if "int" in str(type_)),
    *(("arm", name) for name, type_ in Arm.__annotations__.items() if "str" not in str(type_) and name != "position"),
    *(("pull", name) for name in ("size", "value", "squares", "since", "told", "late", "expires")),
    *(("request", name) for name in ("seq", "first", "made")),
    ("event", "at"),
    ("event", "body"),
]


@pytest.mark.parametrize(("table", "column"), NUMBERS)
@pytest.mark.parametrize("value", ["'x'", "9223372036854775807"])
def test_a_number_that_was_never_written_is_named_and_verify_finds_it(
    place: SqlitePlace, table: str, column: str, value: str
) -> None:
    campaign = make(place, "my coins")
    told, out = campaign.ask(2, key="k")
    campaign.tell(told, 1)
    campaign.disconnect()
    damage(place.path, table, column, value)

    def errors_of(use: Callable[[Campaign], object]) -> str:
        campaign = place.open("my coins")
        try:
            use(campaign)
        except CorruptionError as error:
            return str(error)
        except ThresherError:
            return ""
        finally:
            campaign.disconnect()
        return ""

    found = [
        errors_of(use)
        for use in (
            lambda campaign: campaign.standing,
            lambda campaign: campaign.verdicts(),
            lambda campaign: campaign.history(),
            lambda campaign: campaign.ask(key="k"),
            lambda campaign: campaign.ask(),
            lambda campaign: campaign.tell(out, 1),
            lambda campaign: campaign.void(told),
        )
    ]
    if value == "'x'":
        assert any("'my coins'" in text and "run thresher verify 'my coins'" in text for text in found)
    assert errors_of(lambda campaign: campaign.verify())


@pytest.mark.parametrize("value", ["'x'", "x'ff00'", "''"])
def test_a_version_that_was_never_written_is_a_clear_error(place: SqlitePlace, value: str) -> None:
    make(place).disconnect()
    with sqlite3.connect(place.path) as connection:
        connection.execute(f"UPDATE thresher_schema SET version = {value} WHERE version = 2")
    connection.close()
    with pytest.raises(StorageError, match="version table"):
        place.open()


def test_a_reason_that_an_earlier_version_took_is_shown_without_what_cannot_be_sent(place: SqlitePlace) -> None:
    campaign = make(place)
    ticket = take(campaign)
    campaign.tell(ticket, 1)
    storage = place.storage()
    heading = storage.find("c")
    number = decisions.number_in("c", ticket.id)
    storage.transact(
        heading.id,
        Machine(campaign.terms),
        RowsToRead(pulls=(number,), arm_pulls=True),
        lambda _: e.Voided(number, "caf\udce9"),
    )
    assert campaign.history()[-1].details["reason"] == "caf?"
    campaign.verify()


def test_keys_that_an_older_version_stored_with_a_control_are_ignored(sqlite_place: SqlitePlace) -> None:
    asked = []
    for name, is_old in (("old", True), ("new", False)):
        campaign = sqlite_place.create(name, arms=[*"abcdef"], control="b", budget=60)
        campaign.tell_many([(ticket, ticket.arm in "bce") for ticket in campaign.ask(30)])
        if is_old:
            with closing(sqlite3.connect(sqlite_place.path)) as connection, connection:
                connection.execute("UPDATE arm SET urgency = 7 - position")
        again = sqlite_place.open(name)
        asked.append([ticket.arm for ticket in again.ask(10)])
        again.verify()
    assert asked[0] == asked[1]


def test_no_event_releases_a_lease_before_it_ends(tmp_path: Path) -> None:
    times = iter([0] * 1000)
    storage = SqliteStorage(tmp_path / "c.db", create=True, now=lambda: next(times))
    campaign = Campaign.create(storage, "c", arms=["a"], threshold=0.5, budget=1, lease=1)
    assert campaign.ask() is not None
    times = iter(range(999_999, 2_000_000))  # the lease ends between the first and the second look at the clock
    assert campaign.ask() or campaign.ask()
    [entry] = [entry for entry in campaign.history() if entry.details.get("lapsed")]
    assert entry.at.timestamp() >= 1.0
