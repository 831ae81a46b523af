"""Tokens in every storage: revoking one touches that one and its sessions alone."""

import pytest

from tests.support.places import MemoryPlace, PostgresPlace, SqlitePlace, StoragePlace
from thresher.campaign.storage.tokens import token_table
from thresher.errors import InvalidInputError
from thresher.service import Keyring


class TokenContract:
    """What revoking does, wherever the tokens are."""

    def test_an_empty_id_revokes_nothing(self, place: StoragePlace) -> None:
        table = token_table(place.storage())
        keyring = Keyring(table)
        session = keyring.open_session(keyring.new_token("read"))
        keyring.new_token("admin")
        before = table.rows()
        assert not table.delete("")
        with pytest.raises(InvalidInputError, match="token id is ''"):
            keyring.revoke("")
        assert session
        assert table.rows() == before
        assert len(before) == 3

    def test_a_token_is_revoked_with_the_sessions_that_it_opened(self, place: StoragePlace) -> None:
        keyring = Keyring(token_table(place.storage()))
        token, other = keyring.new_token("read"), keyring.new_token("read")
        for opener in (token, token, other):
            assert keyring.open_session(opener)
        name = token.split("_")[1]
        doomed = keyring.family(name)
        assert [(row.kind, row.parent) for row in doomed] == [("token", ""), ("session", name), ("session", name)]
        left = [row for row in keyring.rows() if row not in doomed]
        keyring.revoke(name)
        assert keyring.rows() == left
        assert len(left) == 2


class TestInMemory(TokenContract):
    @pytest.fixture
    def place(self, memory_place: MemoryPlace) -> MemoryPlace:
        return memory_place


class TestInSqlite(TokenContract):
    @pytest.fixture
    def place(self, sqlite_place: SqlitePlace) -> SqlitePlace:
        return sqlite_place


@pytest.mark.xdist_group("postgres")
class TestInPostgres(TokenContract):
    @pytest.fixture
    def place(self, postgres_place: PostgresPlace) -> PostgresPlace:
        return postgres_place
