"""What an ask and a tell cost: compared with bare commits on the same stores, with Optuna, in batches, and at scale.

Everything is measured in one run and compared as a ratio. Single calls of what is compared alternate, and of each the
quickest fifth counts: what it costs on an idle machine. The file system decides what a commit costs:
the first lines say which one was used and how long it takes to bring 4 KB to the disk.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any

import psycopg

import thresher as th
from tests.support.postgres_server import PostgresServer
from thresher.campaign import Campaign

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OPTUNA = ["optuna>=5,<6", "psycopg[binary]>=3.2"]
BLOCKS, CALLS = 8, 50  # in which processor time is measured
INSERT = "INSERT INTO bare (value) VALUES (%s)"

Block = Callable[[], float]  # does something; returns how many seconds it took


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, in what unit, and the promise that it is held to."""

    what: str
    value: float
    unit: str
    promise: str = ""
    kept: bool | None = None

    def line(self) -> str:
        """Return the line."""
        mark = "" if self.kept is None else "   kept" if self.kept else "   MISSED"
        return f"  {self.what:64} {self.value:10.4g} {self.unit:6} {self.promise:12}{mark}".rstrip()


def at_most(what: str, value: float, limit: float) -> Figure:
    """Return a ratio that must not be larger."""
    return Figure(what, value, "x", f"at most {limit:g}", value <= limit)


def at_least(what: str, value: float, limit: float) -> Figure:
    """Return a ratio that must not be smaller."""
    return Figure(what, value, "x", f"at least {limit:g}", value >= limit)


def settled(act: Callable[[int], object], *, times: int) -> Block:
    """Return the block of an act once its log is as long as it gets: a file that still grows is slower to sync."""
    for i in range(times):
        act(i)
    return timed(act)


def quiet(blocks: dict[str, Block], *, rounds: int, parts: int = 5) -> dict[str, float]:
    """Return the seconds that each block takes in the quickest part of its rounds, which alternate."""
    times: dict[str, list[float]] = {name: [] for name in blocks}
    for _ in range(rounds):
        for name, block in blocks.items():
            times[name].append(block())
    return {name: quantiles(found, n=parts)[0] for name, found in times.items()}


def timed(act: Callable[[int], object]) -> Block:
    """Return the block that does this once, and then once more to be timed: what came before has left the caches."""
    numbers = count()

    def block() -> float:
        act(next(numbers))
        begun = time.perf_counter()
        act(next(numbers))
        return time.perf_counter() - begun

    return block


def sync_seconds(folder: Path) -> float:
    """Return the least time that 4 KB need to reach the disk under a folder."""
    times = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(200):
            begun = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - begun)
    return min(times)


def file_system(folder: Path) -> str:
    """Return the kind of file system under a folder."""
    try:
        words = ["stat", "-f", "-c", "%T", str(folder)]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def campaign(address: str, name: str, *, arms: int = 100, budget: float = 10_000_000) -> Campaign:
    """Return a new campaign of coins."""
    return Campaign.create(address, name, arms=[f"arm {k}" for k in range(arms)], threshold=0.5, budget=budget)


def pair(held: Campaign) -> Callable[[int], object]:
    """Return the act of asking and telling once."""

    def act(i: int) -> None:
        ticket = held.ask()
        assert ticket is not None
        held.tell(ticket, i % 2)

    return act


def batch(held: Campaign, size: int) -> Callable[[int], object]:
    """Return a function that asks for this many tickets at once and tells their outcomes."""

    def act(i: int) -> None:
        held.tell_many([(ticket, i % 2) for ticket in held.ask(size)])

    return act


def bare_sqlite(path: Path) -> Callable[[int], object]:
    """Return the act of committing one row, every commit on disk before it returns."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, value REAL)")

    def act(i: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO bare (value) VALUES (?)", (float(i),))
        connection.execute("COMMIT")

    return act


def bare_postgres(address: str) -> Callable[[int], object]:
    """Return the act of committing one row: one statement, one trip."""
    connection = psycopg.connect(address, autocommit=True)
    connection.execute("CREATE TABLE IF NOT EXISTS bare (id BIGSERIAL PRIMARY KEY, value DOUBLE PRECISION)")
    return lambda i: connection.execute(INSERT, (float(i),), prepare=True)


def optuna_python() -> Path | None:
    """Return the Python of an environment with Optuna, which is made if it is not there; None if it cannot be."""
    folder = ROOT / ".env-optuna"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    words = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--retries", "1", *OPTUNA]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return python if done.returncode == 0 else None


@contextmanager
def optuna(python: Path, address: str) -> Iterator[Block]:
    """Hold an Optuna at an address."""
    words = [str(python), "-W", "ignore", str(HERE / "optuna_worker.py"), address]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        said = worker.stdout.readline()
        assert said == "ready\n", f"Optuna did not start at {address}"

        asks, answers = worker.stdin, worker.stdout

        def block() -> float:
            print(file=asks, flush=True)
            return float(answers.readline())

        yield block
        worker.stdin.close()


def processor_seconds(server: PostgresServer, acts: dict[str, Callable[[int], object]]) -> dict[str, float]:
    """Return the processor time of this process and of the server for one of each act: a busy machine adds little."""
    spent = dict.fromkeys(acts, 0.0)
    for _ in range(BLOCKS):
        for name, act in acts.items():
            before = time.process_time() + server_seconds(server)
            for i in range(CALLS):
                act(i)
            spent[name] += time.process_time() + server_seconds(server) - before
    return {name: total / (BLOCKS * CALLS) for name, total in spent.items()}


def pairs(folder: Path, server: PostgresServer, *, rounds: int, parts: int) -> list[Figure]:
    """Return an ask+tell pair compared with two bare commits and with Optuna's pair."""
    homes = {"SQLite": f"sqlite:///{folder}/pairs.db", "PostgreSQL": server.address}
    blocks = {
        "SQLite commit": settled(bare_sqlite(folder / "bare.db"), times=1100),
        "PostgreSQL commit": settled(bare_postgres(server.address), times=100),
    }
    for store, address in homes.items():
        blocks[f"{store} pair"] = settled(pair(campaign(address, "pairs")), times=150)
    acts = {"commit": bare_postgres(server.address), "pair": pair(campaign(server.address, "processor"))}
    processor = processor_seconds(server, acts)
    python = optuna_python()
    with ExitStack() as stack:
        if python is None:
            print("Optuna is left out: it cannot be installed, the package index is out of reach", file=sys.stderr)
        else:
            server.execute("CREATE DATABASE optuna")
            theirs = {
                "SQLite": f"sqlite:///{folder}/optuna.db",
                "PostgreSQL": server.address.replace("postgresql:", "postgresql+psycopg:").replace(
                    "/postgres?", "/optuna?"
                ),
                "journal": f"journal:{folder}/optuna.journal",
            }
            for store, address in theirs.items():
                blocks[f"Optuna {store}"] = stack.enter_context(optuna(python, address))
        found = quiet(blocks, rounds=rounds, parts=parts)
    figures = [Figure(name, 1e6 * took, "µs") for name, took in found.items()]
    for store in homes:
        mine = found[f"{store} pair"]
        figures.append(at_most(f"{store}: pair / two bare commits", mine / (2 * found[f"{store} commit"]), 4))
        if python is not None:
            figures.append(at_least(f"{store}: Optuna's pair / pair", found[f"Optuna {store}"] / mine, 10))
            figures.append(
                at_least(f"{store}: pair of Optuna's journal file / pair", found["Optuna journal"] / mine, 1)
            )
    ratio = processor["pair"] / (2 * processor["commit"])
    figures.append(Figure("PostgreSQL: pair / two bare commits, processor time of both ends", ratio, "x"))
    return figures


def batches(folder: Path, server: PostgresServer, *, rounds: int) -> list[Figure]:
    """Return what batches give on one campaign, in outcomes of single asks."""
    figures = []
    for store, address in (("SQLite", f"sqlite:///{folder}/batches.db"), ("PostgreSQL", server.address)):
        held = campaign(address, "batches", arms=1000)
        fill(held, 10_000)
        blocks = {"1": timed(pair(held)), **{str(size): timed(batch(held, size)) for size in (20, 100)}}
        found = quiet(blocks, rounds=rounds)
        for size, limit in ((20, 5), (100, 12)):
            ratio = found["1"] / (found[str(size)] / size)
            figures.append(at_least(f"{store}: outcomes of batches of {size} / of single asks", ratio, limit))
    return figures


def _work(kind: str, address: str, name: str, seconds: float, barrier: Any, counts: Any) -> None:
    act = bare_postgres(address) if kind == "commit" else pair(Campaign.open(address, name))
    for i in range(20):
        act(i)
    barrier.wait()
    until, done, busy = time.perf_counter() + seconds, 0, time.process_time()
    while time.perf_counter() < until:
        act(done)
        done += 1
    counts.put((done, time.process_time() - busy))
    barrier.wait()  # until the server's processes were looked at


def server_seconds(server: PostgresServer) -> float:
    """Return how long the processes that serve clients have kept a core busy; 0 where that cannot be known."""
    ticks = 0
    postmaster = (server.data / "postmaster.pid").read_text().split()[0]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        if fields[1] == postmaster:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def rate(kind: str, server: PostgresServer, names: Sequence[str], *, seconds: float) -> tuple[float, float]:
    """Return the pairs a second of several processes together, and the cores that they and the server use."""
    context = multiprocessing.get_context("spawn")
    barrier, counts = context.Barrier(len(names) + 1), context.Queue()
    workers = [
        context.Process(target=_work, args=(kind, server.address, name, seconds, barrier, counts), daemon=True)
        for name in names
    ]
    for worker in workers:
        worker.start()
    barrier.wait()
    before = server_seconds(server)
    results = [counts.get(timeout=300) for _ in workers]
    busy = server_seconds(server) - before + sum(spent for _, spent in results)
    barrier.wait()
    for worker in workers:
        worker.join()
    return sum(done for done, _ in results) / seconds, busy / seconds


def workers(server: PostgresServer, *, seconds: float) -> list[Figure]:
    """Return what eight workers give on eight campaigns, and eight who only commit rows, compared with one of each."""
    names = [f"worker {i}" for i in range(8)]
    for name in names:
        campaign(server.address, name).disconnect()
    figures, ratios = [], {}
    for kind in ("commit", "pair"):
        one = max(rate(kind, server, names[:1], seconds=seconds) for _ in range(2))
        eight = max(rate(kind, server, names, seconds=seconds) for _ in range(2))
        ratios[kind] = eight[0] / one[0]
        for who, (found, cores) in (("one worker", one), ("eight workers", eight)):
            figures.append(Figure(f"PostgreSQL: {kind}s a second, {who}", found, "/s"))
            figures.append(Figure(f"PostgreSQL: cores of {os.cpu_count()} kept busy by that", cores, ""))
    figures.append(Figure("PostgreSQL: eight who only commit / one", ratios["commit"], "x"))
    figures.append(at_least("PostgreSQL: eight workers on eight campaigns / one", ratios["pair"], 2))
    return figures


def crowd(server: PostgresServer, *, seconds: float) -> list[Figure]:
    """Return what several workers give on one campaign, whose log is one sequence, compared with one worker."""
    campaign(server.address, "crowd").disconnect()
    sizes = (1, 2, 4, 8)
    rounds = [{size: rate("pair", server, ["crowd"] * size, seconds=seconds)[0] for size in sizes} for _ in range(3)]
    best = {size: max(found[size] for found in rounds) for size in sizes}
    figures = [
        Figure(f"PostgreSQL: pairs a second on one campaign, workers: {size}", best[size], "/s") for size in sizes
    ]
    return [*figures, at_least("PostgreSQL: eight workers on one campaign / one", best[8] / best[1], 1)]


def fill(held: Campaign, outcomes: int) -> None:
    """Tell this many outcomes."""
    left = outcomes
    while left:
        left -= len(held.tell_many([(ticket, int(ticket.id[-1], 16) % 2) for ticket in held.ask(min(left, 10_000))]))


def memory() -> float:
    """Return the most memory that this process ever held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def ask(held: Campaign) -> Callable[[int], object]:
    """Return the act of asking once."""
    return lambda _: held.ask()


def scale(folder: Path, server: PostgresServer, *, largest: int, rounds: int) -> list[Figure]:
    """Return what an ask costs among many arms, and after many outcomes, compared with one among 100 arms."""
    figures = []
    for store, address in (("SQLite", f"sqlite:///{folder}/scale.db"), ("PostgreSQL", server.address)):
        held = {"100 arms": campaign(address, "few")}
        fill(held["100 arms"], 10_000)  # as in `settled`
        begun = time.perf_counter()
        held[f"{largest} arms"] = campaign(address, "arms", arms=largest)
        figures.append(Figure(f"{store}: create {largest} arms", time.perf_counter() - begun, "s"))
        figures.append(Figure(f"{store}: most memory of this process so far", memory(), "MB"))
        begun = time.perf_counter()
        held[f"{largest} outcomes"] = campaign(address, "outcomes")
        fill(held[f"{largest} outcomes"], largest)
        figures.append(Figure(f"{store}: {largest} outcomes in batches of 10,000", time.perf_counter() - begun, "s"))
        begun = time.perf_counter()
        held[f"{largest} outcomes"].verify()
        figures.append(Figure(f"{store}: verify {largest} outcomes", time.perf_counter() - begun, "s"))
        figures.append(Figure(f"{store}: most memory of this process so far", memory(), "MB"))
        found = quiet({size: timed(ask(one)) for size, one in held.items()}, rounds=rounds)
        base = found.pop("100 arms")
        figures.append(Figure(f"{store}: ask among 100 arms", 1e6 * base, "µs"))
        figures += [at_most(f"{store}: ask, {size} / 100 arms", took / base, 2) for size, took in found.items()]
    return figures


def control_then_ask(held: Campaign) -> Callable[[int], object]:
    """Return the act of telling the control, which moves the keys of all arms, and of asking by the new keys."""

    def act(i: int) -> None:
        held.tell_counts("arm 0", n=1, total=i % 2)
        held.ask()

    return act


def control(folder: Path, server: PostgresServer, *, rounds: int) -> list[Figure]:
    """Return how long it takes until the keys of 10,000 arms have moved with the control: a tell and the next ask."""
    figures = []
    for store, address in (("SQLite", f"sqlite:///{folder}/control.db"), ("PostgreSQL", server.address)):
        names = [f"arm {k}" for k in range(10_000)]
        held = Campaign.create(address, "control", arms=names, control="arm 0", budget=10_000_000)
        fill(held, 20_000)
        [took] = quiet({"control": timed(control_then_ask(held))}, rounds=rounds).values()
        what = f"{store}: tell of the control and next ask, 10,000 arms"
        figures.append(Figure(what, 1e3 * took, "ms", "at most 50", took <= 0.05))
    return figures


def slow_down(server: PostgresServer, delay: int) -> None:
    """Delay every commit by this many µs before it is flushed."""
    server.execute(f"ALTER SYSTEM SET commit_delay TO {delay}")
    server.execute("ALTER SYSTEM SET commit_siblings TO 0")  # whether others are about to commit or not
    server.execute("SELECT pg_reload_conf()")


def where(folder: Path) -> dict[str, str]:
    """Return what was measured on."""
    temporary = Path(tempfile.gettempdir())
    return {
        "python": f"{platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores",
        "versions": f"thresher {th.__version__}, psycopg {version('psycopg')}, SQLite {sqlite3.sqlite_version}",
        "SQLite on": f"{file_system(folder)}, 4 KB to the disk in {1e6 * sync_seconds(folder):.0f} µs",
        "PostgreSQL on": f"{file_system(temporary)}, 4 KB to the disk in {1e6 * sync_seconds(temporary):.0f} µs",
        "load": f"{os.getloadavg()[0]:.1f} processes at the start",
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", choices=["pairs", "batches", "workers", "crowd", "scale", "control"], help="one part alone"
    )
    parser.add_argument("--largest", type=int, default=100_000, help="arms and outcomes of the part on scale")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument(
        "--parts", type=int, default=5, help="split the rounds into this many equal parts; the fastest part counts"
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement with several workers")
    parser.add_argument(
        "--commit-delay",
        type=int,
        default=0,
        help="µs by which a commit of PostgreSQL takes longer, as on a slower disk",
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    home = ROOT / "out"
    home.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=home, prefix="bench-"))
    server = PostgresServer()
    slow_down(server, given.commit_delay)
    place, figures = where(folder) | {"commit delay": f"{given.commit_delay} µs"}, list[Figure]()
    if not given.json:
        print(*(f"{key}: {value}" for key, value in place.items()), sep="\n")
    try:
        measured: dict[str, Callable[[], list[Figure]]] = {
            "pairs": lambda: pairs(folder, server, rounds=given.rounds, parts=given.parts),
            "batches": lambda: batches(folder, server, rounds=given.rounds),
            "workers": lambda: workers(server, seconds=given.seconds),
            "crowd": lambda: crowd(server, seconds=given.seconds),
            "control": lambda: control(folder, server, rounds=given.rounds),
            "scale": lambda: scale(folder, server, largest=given.largest, rounds=given.rounds),
        }
        for name, part in measured.items():
            if given.only in (None, name):
                found = part()
                figures += found
                if not given.json:
                    print(*(figure.line() for figure in found), sep="\n", flush=True)
    finally:
        server.stop()
        shutil.rmtree(folder)
    if given.json:
        print(json.dumps({"where": place, "figures": [asdict(figure) for figure in figures]}, indent=2))


if __name__ == "__main__":
    main()
