"""Flipped bytes: verify finds every one that hits what is stored."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.support.chaos.pages import in_memory, stored_bytes
from tests.support.chaos.workers import begin, outcome_of
from tests.support.postgres_server import PostgresServer
from thresher.campaign import Campaign
from thresher.errors import StorageError, ThresherError

BYTES = 64


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a campaign in which everything has happened that can."""
    path = tmp_path_factory.mktemp("healthy") / "c.db"
    campaign = begin(f"sqlite:///{path}", arms=50, budget=400)
    live(campaign)
    campaign.verify()
    campaign.disconnect()
    return path.read_bytes()


def live(campaign: Campaign) -> None:
    """Let everything happen to a campaign."""
    for i in range(30):
        tickets = campaign.ask(8, key=uuid4().hex if i % 2 else None)
        campaign.tell_many([(ticket, outcome_of(ticket.id)) for ticket in tickets])
    first, second, third = campaign.ask(3)
    campaign.tell(first, 0.25)
    campaign.void(first, reason="spilt")
    campaign.amend(tickets[0], 0.5, reason="misread")
    campaign.fail(second, reason="gone")
    campaign.heartbeat(third)
    campaign.tell_counts("arm 3", n=4, total=1.0, squares=3.0)
    campaign.extend(10, key="more")
    campaign.retire("arm 7")
    campaign.add_arms(["late one"], threshold=0.3, sigma=1.0)
    campaign.pause()
    campaign.resume()


def scattered(places: list[int], rng: random.Random) -> list[int]:
    return rng.sample(places, BYTES)


def together(places: list[int], rng: random.Random) -> list[int]:
    first = rng.randrange(len(places) - BYTES)
    return places[first : first + BYTES]


def alone(places: list[int], rng: random.Random) -> list[int]:
    return [rng.choice(places)]


@pytest.mark.parametrize("choose", [scattered, together, alone])
def test_verify_finds_every_flipped_byte(
    choose: Callable[[list[int], random.Random], list[int]],
    healthy: bytes,
    tmp_path: Path,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    places, rounds, missed = stored_bytes(healthy), often(30, 200), list[list[int]]()
    found_by_sqlite, harmless = 0, 0
    for i in range(rounds):
        path = tmp_path / f"{i}.db"  # each its own: an opening that failed may let go of its file later
        damaged, chosen = bytearray(healthy), choose(places, rng)
        for place in chosen:
            damaged[place] ^= rng.randint(1, 255)
        path.write_bytes(damaged)
        is_broken = is_found_by_sqlite(path)  # such as an index that no longer agrees with its table
        found_by_sqlite += is_broken
        path.write_bytes(damaged)
        if is_found(f"sqlite:///{path}"):
            continue
        if not is_broken and rows_of(bytes(damaged)) == rows_of(healthy):
            harmless += 1  # such as another code of NULL, which SQLite reads but never writes
        else:
            missed.append(chosen)
    found = rounds - harmless - len(missed)
    what = f"{choose.__name__}: {rounds} times, {harmless} harmless"
    by_whom = f"verify found {found}, SQLite's check {found_by_sqlite}"
    figure("corruption", f"sqlite: {1 if choose is alone else BYTES} of {len(places)} bytes {what}, {by_whom}")
    assert missed == []


def test_no_flip_is_called_harmless_that_changes_a_value(healthy: bytes, tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    path.write_bytes(healthy)
    assert rows_of(healthy)["pull"]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE pull SET value = NULL WHERE number = 1")
    assert rows_of(path.read_bytes()) != rows_of(healthy)


def test_a_campaign_without_its_ledger_is_a_clear_error(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/c.db"
    begin(address).disconnect()
    with closing(sqlite3.connect(tmp_path / "c.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM ledger")
    campaign = Campaign.open(address, "c")
    for call in (campaign.ask, lambda: campaign.standing, campaign.verify):
        with pytest.raises(StorageError):
            call()
    campaign.disconnect()


def is_found(address: str) -> bool:
    """Return whether opening or verifying a campaign fails with an error of thresher."""
    try:
        campaign = Campaign.open(address, "c")
        try:
            campaign.verify()
        finally:
            campaign.disconnect()
    except ThresherError:
        return True
    return False


def rows_of(content: bytes) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables of a file, the schema among them; of one whose flipped byte no check has found."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(in_memory(content))
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = ["sqlite_master", *(name for (name,) in tables)]
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}


def is_found_by_sqlite(path: Path) -> bool:
    connection = sqlite3.connect(path)
    connection.text_factory = bytes  # its findings quote what is damaged
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() != [(b"ok",)]
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return True
    finally:
        connection.close()


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_verify_finds_flipped_bytes_of_postgresql(
    database: str,
    durable_postgres: PostgresServer,
    often: Callable[[int, int], int],
    figure: Callable[[str, str], None],
    rng: random.Random,
) -> None:
    campaign, rounds, found = begin(database, arms=50, budget=400), often(1, 20), 0
    live(campaign)
    campaign.verify()
    campaign.disconnect()
    durable_postgres.execute("CHECKPOINT")  # or the next start would write what is flipped anew
    files = [durable_postgres.data / name for name in tables_of(database)]
    healthy = {path: path.read_bytes() for path in files}
    places = [(path, place) for path, content in healthy.items() for place in range(len(content))]
    for _ in range(rounds):
        durable_postgres.halt()
        damaged = {path: bytearray(content) for path, content in healthy.items()}
        for path, place in rng.sample(places, BYTES):
            damaged[path][place] ^= rng.randint(1, 255)
        for path, content in damaged.items():
            path.write_bytes(content)
        durable_postgres.start()
        found += is_found(database)
    figure("corruption", f"postgresql: {BYTES} bytes of its tables {rounds} times, verify found {found}")
    assert found == rounds


def tables_of(database: str) -> list[str]:
    """Return the files of the tables of campaigns."""
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = 'thresher'::regnamespace AND relname IN ('ledger', 'arm', 'pull', 'request', 'event')"
        )
        return [row[0] for row in rows]
