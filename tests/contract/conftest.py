"""Places where campaigns live: memory, SQLite, PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.places import MemoryPlace, PostgresPlace, SqlitePlace
from tests.support.postgres_server import PostgresServer

RAM = Path("/dev/shm")


@pytest.fixture(scope="session")
def quick_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where there is one: contracts are about behaviour, other tests about disks."""
    folder = tmp_path_factory.mktemp("campaigns")
    if not RAM.is_dir():
        yield folder
        return
    quick = RAM / f"thresher-{uuid4().hex}"
    quick.mkdir(mode=0o700)
    yield quick
    for path in quick.iterdir():
        path.unlink()
    quick.rmdir()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL for the whole session."""
    server = PostgresServer(durable=False)
    yield server
    server.stop()


@pytest.fixture
def memory_place() -> MemoryPlace:
    return MemoryPlace()


@pytest.fixture
def sqlite_place(quick_folder: Path) -> Iterator[SqlitePlace]:
    place = SqlitePlace(quick_folder / f"{uuid4().hex}.db")
    yield place
    place.leave()


@pytest.fixture
def postgres_place(postgres: PostgresServer) -> Iterator[PostgresPlace]:
    postgres.execute("DROP SCHEMA IF EXISTS thresher CASCADE")
    place = PostgresPlace(postgres.address)
    yield place
    place.leave()
