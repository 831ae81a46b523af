"""What an outcome takes: bytes in the database, time of a core; and what an open campaign takes in memory.

Bytes are what the database reports for its tables and indices, less those of a database without outcomes. Processor
time is that of this process and of the server's processes: a busy machine changes it less than the time on the clock.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sqlite3
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg

from benchmarks.storage.bench_ask_tell import ROOT, Figure, batch, campaign, pair, server_seconds, where
from tests.support.postgres_server import PostgresServer
from thresher.campaign.storage import open_storage
from thresher.service.campaign_registry import CampaignRegistry, ServedCampaign

SIZE = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'thresher' AND c.relkind = 'r'
"""


class Sqlite:
    """A new SQLite file."""

    name = "SQLite"

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        self._path = folder / f"{server.data.name}-{time.monotonic_ns()}.db"
        self.address = f"sqlite:///{self._path}"

    def size(self) -> int:
        """Return the bytes of the file, with everything from its write-ahead log in it."""
        connection = sqlite3.connect(self._path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return self._path.stat().st_size

    def log_bytes(self) -> int:
        """Return the bytes written to the write-ahead log so far: it is reused, so they are not known."""
        return 0

    def served(self) -> float:
        """Return the processor time of a server: there is none."""
        return 0.0


class Postgres:
    """A PostgreSQL without campaigns."""

    name = "PostgreSQL"

    def __init__(self, folder: Path, server: PostgresServer) -> None:  # noqa: ARG002
        self._server, self.address = server, server.address
        server.execute("DROP SCHEMA IF EXISTS thresher CASCADE")

    def _one(self, sql: str) -> int:
        with psycopg.connect(self.address, autocommit=True) as connection:
            row = connection.execute(sql.encode()).fetchone()
        assert row is not None
        return int(row[0])

    def size(self) -> int:
        """Return the bytes of tables and indices."""
        return self._one(SIZE)

    def log_bytes(self) -> int:
        """Return the bytes written to the write-ahead log so far."""
        return self._one("SELECT pg_current_wal_lsn() - '0/0'")

    def served(self) -> float:
        """Return the processor time of the server so far."""
        return server_seconds(self._server)


def outcomes(store: Sqlite | Postgres, *, size: int, calls: int) -> list[Figure]:
    """Return what each of `calls` batches of `size` outcomes takes, for one outcome."""
    held = campaign(store.address, "sized")
    act: Callable[[int], object] = pair(held) if size == 1 else batch(held, size)
    for i in range(20):
        act(i)
    before, log, served = store.size(), store.log_bytes(), store.served()
    own, begun = time.process_time(), time.perf_counter()
    for i in range(calls):
        act(i)
    took, own, served = time.perf_counter() - begun, time.process_time() - own, store.served() - served
    log, grown, n = store.log_bytes() - log, store.size() - before, calls * size
    held.disconnect()
    what = f"{store.name}, batches of {size}"
    return [
        Figure(f"{what}: bytes stored for an outcome", grown / n, "B"),
        *([Figure(f"{what}: bytes of write-ahead log", log / n, "B")] if log else []),
        Figure(f"{what}: processor time of thresher for an outcome", 1e6 * own / n, "µs"),
        Figure(f"{what}: processor time of the server", 1e6 * served / n, "µs"),
        Figure(f"{what}: outcomes a second of one core", n / (own + served), "/s"),
        Figure(f"{what}: outcomes a second of one campaign, by the clock", n / took, "/s"),
    ]


def open_campaigns(store: Sqlite | Postgres, *, campaigns: int) -> list[Figure]:
    """Return what a service keeps in memory for each open campaign, before and after its verdicts were read."""
    storage = open_storage(store.address, create=True)
    for i in range(campaigns):
        campaign(storage, f"open {i}", arms=100)  # type: ignore[arg-type]
    registry = CampaignRegistry(storage)
    registry.open("open 0").verdicts()
    figures = []
    tracemalloc.start()
    for what, read in (
        ("an open campaign of 100 arms", ServedCampaign.glimpse),
        ("the same with its verdicts", ServedCampaign.verdicts),
    ):
        for i in range(1, campaigns):
            read(registry.open(f"open {i}"))
        gc.collect()
        held = tracemalloc.get_traced_memory()[0] / (campaigns - 1)
        figures.append(Figure(f"{store.name}: memory of {what}", held / 1024, "KB"))
    tracemalloc.stop()
    storage.close()
    return figures


def verify(store: Sqlite | Postgres, *, n: int) -> Figure:
    """Return what a verify holds in memory at most, for each outcome."""
    held = campaign(store.address, "verified")
    act = batch(held, 100)
    for i in range(n // 100):
        act(i)
    gc.collect()
    tracemalloc.start()
    held.verify()
    peak = tracemalloc.get_traced_memory()[1] / n
    tracemalloc.stop()
    held.disconnect()
    return Figure(f"{store.name}: most memory of a verify, for an outcome", peak, "B")


def sizes(store: type[Sqlite] | type[Postgres], folder: Path, server: PostgresServer, n: int) -> Sequence[Figure]:
    """Return all figures of one store."""
    return [
        *outcomes(store(folder, server), size=1, calls=n // 20),
        *outcomes(store(folder, server), size=100, calls=n // 100),
        *open_campaigns(store(folder, server), campaigns=100),
        verify(store(folder, server), n=n),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outcomes", type=int, default=40_000, help="in batches of 100; one by one a twentieth")
    given = parser.parse_args()
    (ROOT / "out").mkdir(exist_ok=True)
    folder, server = Path(tempfile.mkdtemp(dir=ROOT / "out", prefix="bench-")), PostgresServer()
    print(*(f"{key}: {value}" for key, value in where(folder).items()), sep="\n")
    try:
        for store in (Sqlite, Postgres):
            print(*(figure.line() for figure in sizes(store, folder, server, given.outcomes)), sep="\n", flush=True)
        print(f"  load at the end: {os.getloadavg()[0]:.1f} processes")
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
