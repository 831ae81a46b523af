"""Long reads during asks: no ask, token check or short read waits for a verify that is held open."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.places import PostgresPlace, SqlitePlace, StoragePlace
from thresher.campaign import Campaign
from thresher.campaign.storage import Contents, Storage
from thresher.campaign.storage.database import LONG_READS, SqlStorage
from thresher.campaign.storage.sqlite import READERS, SqliteStorage
from thresher.campaign.storage.tokens import TokenRow, token_table
from thresher.errors import StorageUnavailableError

POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))
PATIENCE = 60.0  # seconds after which something that does not wait is taken for waiting
TOLD = 50


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def place(request: pytest.FixtureRequest) -> StoragePlace:
    """A place of each kind."""
    found: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    return found


@pytest.fixture(params=["sqlite", POSTGRES])
def database(request: pytest.FixtureRequest) -> StoragePlace:
    """A place with a bounded number of connections."""
    found: StoragePlace = request.getfixturevalue(f"{request.param}_place")
    return found


def make(storage: Storage) -> Campaign:
    """Return a campaign with some outcomes."""
    campaign = Campaign.create(storage, "c", arms=["a", "b"], threshold=0.5, budget=10_000)
    campaign.tell_many([(ticket, 1) for ticket in campaign.ask(TOLD)])
    return campaign


@contextmanager
def verifying(storage: Storage, *, times: int = 1) -> Iterator[list[Any]]:
    """Hold verifies open after their first event; yield what they find once they are let go."""
    begun, go_on = threading.Semaphore(0), threading.Event()
    found: list[Any] = []

    def check(contents: Contents) -> list[str]:
        first = next(contents.log)
        begun.release()
        assert go_on.wait(PATIENCE)
        rest = [first.seq, *(entry.seq for entry in contents.log)]
        return [f"{rest[-1]} events, {sum(1 for _ in contents.pulls)} pulls"]

    campaign = storage.find("c").id
    threads = [threading.Thread(target=lambda: found.append(storage.verify(campaign, check))) for _ in range(times)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert begun.acquire(timeout=PATIENCE)
    try:
        yield found
    finally:
        go_on.set()
        for thread in threads:
            thread.join(PATIENCE)


def does_not_wait(act: Callable[[], object]) -> bool:
    """Return whether an act ends while what is held open stays open."""
    done = threading.Event()

    def run() -> None:
        act()
        done.set()

    threading.Thread(target=run, daemon=True).start()
    return done.wait(PATIENCE)


def test_asks_tokens_and_short_reads_go_on_while_verifies_are_held_open(place: StoragePlace) -> None:
    storage = place.storage()
    campaign, tokens = make(storage), token_table(storage)
    tokens.add(TokenRow("abc", "", "token", "read", None, "", ""), lasts=10**12)
    times = storage._long_reads if isinstance(storage, SqlStorage) else 1
    with verifying(storage, times=times) as found:
        assert does_not_wait(lambda: campaign.tell_many([(ticket, 0) for ticket in campaign.ask(3)]))
        assert does_not_wait(lambda: tokens.find("abc"))
        assert does_not_wait(lambda: tokens.add(TokenRow("def", "", "token", "read", None, "", ""), lasts=10**12))
        assert does_not_wait(lambda: campaign.standing)
        assert does_not_wait(lambda: campaign.history(after=1, limit=10))
        assert does_not_wait(storage.headings)
        assert found == []
    # Each saw the moment at which it began: the campaign, its arms, one ask and one tell.
    assert found == [[f"4 events, {TOLD} pulls"]] * times
    campaign.verify()


def test_one_long_read_too_many_is_told_to_try_again(sqlite_place: SqlitePlace) -> None:
    make(sqlite_place.storage())
    storage = SqliteStorage(sqlite_place.path, timeout=0.01)
    with verifying(storage, times=LONG_READS):
        for read in (storage.events, lambda campaign: storage.verify(campaign, lambda _: [])):
            with pytest.raises(StorageUnavailableError, match="4 long reads are under way"):
                read(1)
    assert len(storage.events(1)) == 4
    storage.close()


def test_sqlite_opens_no_more_connections_than_reads_at_a_time(sqlite_place: SqlitePlace) -> None:
    storage = sqlite_place.storage()
    assert isinstance(storage, SqliteStorage)
    make(storage)
    for _ in range(3 * READERS):
        storage.headings()
    assert len(storage._idle) == 1
    with verifying(storage, times=LONG_READS):
        storage.headings()
    assert len(storage._idle) == LONG_READS + 1


@pytest.mark.xdist_group("postgres")
def test_long_reads_take_at_most_half_of_the_connections_of_postgresql(postgres_place: PostgresPlace) -> None:
    storage = postgres_place.storage()
    assert isinstance(storage, SqlStorage)
    assert storage._long_reads == 2  # the place opens 4


def test_verify_reads_the_rows_while_it_compares_them(database: StoragePlace) -> None:
    storage = database.storage()
    make(storage)
    kinds: list[str] = []

    def check(contents: Contents) -> list[str]:
        kinds.extend(type(some).__name__ for some in contents[1:])
        return []  # what was not read is let go

    assert storage.verify(1, check) == []
    assert kinds == ["map"] * 6
    assert storage.find("c").id == 1


@pytest.mark.parametrize(("size", "limit", "seqs"), [(None, 3, [1, 2, 3]), (1, None, [1]), (10**9, None, [1, 2, 3, 4])])
def test_a_page_of_the_log_ends_with_the_event_that_makes_it_full(
    place: StoragePlace, size: int | None, limit: int | None, seqs: list[int]
) -> None:
    storage = place.storage()
    make(storage)
    entries = storage.events(1, size=size, limit=limit)
    assert [entry.seq for entry in entries] == seqs
    bodies = sum(len(entry.body) for entry in storage.events(1, limit=2))
    assert [entry.seq for entry in storage.events(1, size=bodies)] == [1, 2]
    assert [entry.seq for entry in storage.events(1, size=bodies + 1)] == [1, 2, 3]
