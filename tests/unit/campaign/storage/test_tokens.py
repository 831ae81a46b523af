"""Tables of tokens: the same in memory and in a database, which keeps them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thresher.campaign.storage import MemoryStorage
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.campaign.storage.tokens import TokenRow, TokenTable, token_table

ROW = TokenRow("a", "digest", "token", "read", None, "mine", "")


class Clock:
    """A clock that a test moves."""

    now = 1_000

    def __call__(self) -> int:
        return self.now


def in_memory(_: Path, clock: Clock) -> TokenTable:
    return token_table(MemoryStorage(now=clock))


def in_sqlite(folder: Path, clock: Clock) -> TokenTable:
    return token_table(SqliteStorage(folder / "t.db", create=True, now=clock))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=[in_memory, in_sqlite])
def table(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> TokenTable:
    make: Callable[[Path, Clock], TokenTable] = request.param
    return make(tmp_path, clock)


def test_a_row_comes_back_as_it_went_in(table: TokenTable, clock: Clock) -> None:
    worker = TokenRow("b", "other", "session", "work", "a'b\u202e", "", "a")
    table.add(ROW, lasts=10)
    clock.now += 1
    table.add(worker, lasts=10)
    rows = [ROW._replace(made=1000, expires=1010), worker._replace(made=1001, expires=1011)]
    assert table.rows() == rows
    assert (table.find("a"), table.find("b"), table.find("c")) == (*rows, None)


def test_a_token_goes_with_the_sessions_that_it_opened(table: TokenTable) -> None:
    for name, parent in (("a", ""), ("b", "a"), ("c", "a"), ("d", "")):
        table.add(ROW._replace(id=name, parent=parent), lasts=10)
    assert table.delete("a")
    assert [row.id for row in table.rows()] == ["d"]
    assert not table.delete("a")


def test_a_token_whose_time_has_come_is_none(table: TokenTable, clock: Clock) -> None:
    table.add(ROW, lasts=10)
    clock.now += 9
    assert table.find("a")
    clock.now += 1
    assert table.find("a") is None
    assert table.rows() == []
    table.add(ROW, lasts=10)  # its id is free again
    assert table.find("a")


def test_all_connections_of_a_database_share_one_table(tmp_path: Path) -> None:
    one = SqliteStorage(tmp_path / "t.db", create=True)
    token_table(one).add(ROW, lasts=10**9)
    one.close()
    other = SqliteStorage(tmp_path / "t.db")
    assert [row.id for row in token_table(other).rows()] == ["a"]
    other.close()


def test_with_a_storage_without_a_database_tokens_are_in_memory() -> None:
    class OtherStorage:
        """A storage of another author."""

    other: Any = OtherStorage()
    token_table(other).add(ROW, lasts=10**9)
    assert [row.id for row in token_table(other).rows()] == ["a"]
