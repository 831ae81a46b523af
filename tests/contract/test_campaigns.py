"""The contract of campaigns, on every storage."""

import pytest

from tests.support.contracts.campaign_contract import CampaignContract, CoreContract, OtherContract
from tests.support.places import MemoryPlace, PostgresPlace, SqlitePlace


class TestMemory(CoreContract):
    @pytest.fixture
    def place(self, memory_place: MemoryPlace) -> MemoryPlace:
        return memory_place


@pytest.mark.nightly
class TestMemoryByNight(OtherContract):
    @pytest.fixture
    def place(self, memory_place: MemoryPlace) -> MemoryPlace:
        return memory_place


class TestSqlite(CampaignContract):
    @pytest.fixture
    def place(self, sqlite_place: SqlitePlace) -> SqlitePlace:
        return sqlite_place


@pytest.mark.xdist_group("postgres")
class TestPostgres(CampaignContract):
    @pytest.fixture
    def place(self, postgres_place: PostgresPlace) -> PostgresPlace:
        return postgres_place
