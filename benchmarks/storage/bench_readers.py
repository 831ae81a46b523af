"""What an ask waits for during a verify: median and 99th percentile, alone and during it, in one run.

Both run in one process over one storage object, as in a service. An ask here is what a worker's request needs of the
database: the check of its token, and the ask itself. Rounds alone and rounds during a verify alternate.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import quantiles

from benchmarks.storage.bench_ask_tell import ROOT, Figure, campaign, where
from tests.support.postgres_server import PostgresServer
from thresher.campaign import Campaign
from thresher.campaign.storage import Storage, open_storage
from thresher.campaign.storage.tokens import token_table
from thresher.service.server import SWITCH


def fill(held: Campaign, outcomes: int, *, batch: int = 100) -> None:
    """Tell this many outcomes in batches of two events each."""
    for _ in range(outcomes // batch):
        held.tell_many([(ticket, int(ticket.id[-1], 16) % 2) for ticket in held.ask(batch)])


def asks(storage: Storage, held: Campaign, *, while_: Callable[[], bool]) -> list[float]:
    """Return how many seconds each ask takes, as long as `while_` holds."""
    tokens, times = token_table(storage), []
    while while_():
        begun = time.perf_counter()
        tokens.find("a token")
        held.ask()
        times.append(time.perf_counter() - begun)
        time.sleep(0.002)  # workers measure in between
    return times


def round_alone(storage: Storage, held: Campaign, seconds: float) -> list[float]:
    """Return the times of asks without anything else running."""
    end = time.perf_counter() + seconds
    return asks(storage, held, while_=lambda: time.perf_counter() < end)


def round_during(storage: Storage, held: Campaign, large: Campaign) -> list[float]:
    """Return the times of asks while a large campaign is verified once."""
    verify = threading.Thread(target=large.verify)
    verify.start()
    return asks(storage, held, while_=verify.is_alive)


def readers(store: str, storage: Storage, *, outcomes: int, rounds: int, seconds: float) -> list[Figure]:
    """Return the latency of asks alone and during a verify."""
    large = campaign(storage, "large")  # type: ignore[arg-type]
    fill(large, outcomes)
    held = campaign(storage, "held")  # type: ignore[arg-type]
    alone, during = list[float](), list[float]()
    for _ in range(rounds):
        alone += round_alone(storage, held, seconds)
        during += round_during(storage, held, large)
    figures = []
    for part, one, other in zip(("median", "99th percentile"), spread(alone), spread(during), strict=True):
        figures.append(Figure(f"{store}: ask alone, {part} of {len(alone)}", 1e3 * one, "ms"))
        figures.append(Figure(f"{store}: ask during a verify, {part} of {len(during)}", 1e3 * other, "ms"))
        figures.append(Figure(f"{store}: during / alone, {part}", other / one, "x"))
    figures.append(Figure(f"{store}: longest ask during a verify", 1e3 * max(during), "ms"))
    return figures


def spread(times: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    cuts = quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[98]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outcomes", type=int, default=300_000, help="in the campaign that is verified")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each round alone")
    parser.add_argument("--only", choices=["SQLite", "PostgreSQL"], help="one store alone")
    given = parser.parse_args()
    sys.setswitchinterval(SWITCH)  # as `thresher serve` does
    (ROOT / "out").mkdir(exist_ok=True)
    folder, server = Path(tempfile.mkdtemp(dir=ROOT / "out", prefix="bench-")), PostgresServer()
    print(*(f"{key}: {value}" for key, value in where(folder).items()), sep="\n")
    try:
        for store, address in (("SQLite", f"sqlite:///{folder}/readers.db"), ("PostgreSQL", server.address)):
            if given.only in (None, store):
                storage = open_storage(address, create=True)
                found = readers(store, storage, outcomes=given.outcomes, rounds=given.rounds, seconds=given.seconds)
                print(*(figure.line() for figure in found), sep="\n", flush=True)
                storage.close()
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)
        server.stop()


if __name__ == "__main__":
    main()
