"""The contract of campaigns, behind a service."""

from collections.abc import Iterator

import pytest

from tests.support.contracts.campaign_contract import CampaignContract, CoreContract, OtherContract
from tests.support.places import MemoryPlace, SqlitePlace
from tests.support.service_place import ServicePlace, service_place


@pytest.mark.nightly  # as on SQLite
class TestServiceOnMemory(CampaignContract):
    @pytest.fixture
    def place(self, memory_place: MemoryPlace) -> Iterator[ServicePlace]:
        with service_place(memory_place) as place:
            yield place


class TestServiceOnSqlite(CoreContract):
    @pytest.fixture
    def place(self, sqlite_place: SqlitePlace) -> Iterator[ServicePlace]:
        with service_place(sqlite_place) as place:
            yield place


@pytest.mark.nightly
class TestServiceOnSqliteByNight(OtherContract):
    @pytest.fixture
    def place(self, sqlite_place: SqlitePlace) -> Iterator[ServicePlace]:
        with service_place(sqlite_place) as place:
            yield place
