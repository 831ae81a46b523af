"""Storages whose clock a test can move, as places for the contracts."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from thresher.campaign import Campaign, Standing
from thresher.campaign.local import LocalBackend
from thresher.campaign.storage import MemoryStorage, Storage
from thresher.campaign.storage.sqlite import SqliteStorage


class StoragePlace(ABC):
    """Campaigns in a storage; every opening is a storage object of its own, as in another process."""

    def __init__(self) -> None:
        self.shift = 0
        self._storages: list[Storage] = []

    def now(self) -> int:
        """Return the shifted time."""
        return time.time_ns() // 1000 + self.shift

    def advance(self, seconds: float) -> None:
        """Let time pass on the database's clock."""
        self.shift += round(seconds * 1e6)

    @abstractmethod
    def connect(self) -> Storage:
        """Return a new storage object on the same data."""

    def storage(self) -> Storage:
        """Return a new storage object that goes when the place goes."""
        self._storages.append(self.connect())
        return self._storages[-1]

    def create(self, name: str = "c", **given: Any) -> Campaign:
        """Return a new campaign."""
        storage = self.storage()
        Campaign.create(storage, name, **given)
        return _owner(storage, name)

    def open(self, name: str = "c") -> Campaign:
        """Return a campaign as another process would open it."""
        return _owner(self.storage(), name)

    def standings(self, *, archived: bool = False) -> list[Standing]:
        """Return how all campaigns stand."""
        return Campaign.list(self.storage(), archived=archived)

    def leave(self) -> None:
        """Let go of everything."""
        for storage in self._storages:
            storage.close()
        self._storages.clear()


def _owner(storage: Storage, name: str) -> Campaign:
    """Return a campaign that closes its storage when it disconnects, as one opened by an address does."""
    name = Campaign.open(storage, name).name  # checked as it is for users
    return Campaign(LocalBackend(storage, storage.find(name), owns_storage=True))


class MemoryPlace(StoragePlace):
    """One memory for all that open it."""

    def __init__(self) -> None:
        super().__init__()
        self._memory = MemoryStorage(now=self.now)

    def connect(self) -> Storage:
        """Return the memory."""
        return self._memory


class SqlitePlace(StoragePlace):
    """One SQLite file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def connect(self) -> Storage:
        """Return new connections to the file."""
        return SqliteStorage(self.path, create=True, now=self.now)


class PostgresPlace(StoragePlace):
    """One PostgreSQL database, whose clock is replaced by one that can be moved."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.connect().close()
        self._execute("CREATE TABLE thresher.shift AS SELECT CAST(0 AS bigint) AS micros")
        self._execute(
            "CREATE OR REPLACE FUNCTION thresher.thresher_clock() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT "
            "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) + (SELECT micros FROM thresher.shift) $$"
        )

    def _execute(self, sql: str, *values: int) -> None:
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(sql, values or None)

    def connect(self) -> Storage:
        """Return new connections to the database."""
        from thresher.campaign.storage.postgres import PostgresStorage

        return PostgresStorage(self.address, connections=4)

    def advance(self, seconds: float) -> None:
        """Let time pass on the database's clock."""
        super().advance(seconds)
        self._execute("UPDATE thresher.shift SET micros = %s", self.shift)
