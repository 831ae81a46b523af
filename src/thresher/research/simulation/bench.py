"""The simulator's own figures, measured on this machine in one run: the cost of a pull relative to one random draw."""

from __future__ import annotations

import itertools
import math
import os
import platform
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from thresher.jit import kernel, njit
from thresher.policy import find_policy
from thresher.problem import named
from thresher.research.engine import SimulationOptions
from thresher.research.simulation.job import Job
from thresher.research.simulation.simulation import about
from thresher.streams import Word, normal, word_at
from thresher.types import Floats

POLICIES = ("apt", "lsa", "fwt", "fwt-sqrt", "stopping")
ARMS = (50, 1_000, 100_000, 1_000_000)
PULLS_PER_ARM = 200
ROUNDS = 5  # everything is tried once in each, so that a busy minute of the machine spoils one try of everything
FEW_ROUNDS = 2  # for what takes seconds
PULLS = 4_000_000  # at least this many in a measurement: long compared with the call of a kernel
MANY_PULLS = 100_000_000  # a measurement of this many takes seconds
Progress = Callable[[int, int], None]


class Work(NamedTuple):
    """A function to time, and the number of pulls or draws it makes."""

    go: Callable[[], object]
    units: float


@njit(cache=True)
def _draw(generator: np.random.Generator, count: int) -> float:
    total = 0.0
    for _ in range(count):
        total += generator.standard_normal()
    return total


@kernel
def _own_draw(key: Word, count: int) -> float:
    total = 0.0
    for place in range(count):
        total += normal(word_at(key, place))
    return total


def least_ns(works: Mapping[str, Work], progress: Progress | None = None) -> dict[str, float]:
    """Return what a unit of each work takes, in nanoseconds of this thread: the least of several tries."""
    found = dict.fromkeys(works, math.inf)
    rounds = [
        [name for name, work in works.items() if turn < FEW_ROUNDS or work.units < MANY_PULLS] for turn in range(ROUNDS)
    ]
    whole = sum(len(names) for names in rounds)
    for done, name in enumerate(itertools.chain.from_iterable(rounds)):
        start = time.thread_time()  # without what other processes take of the core
        works[name].go()
        found[name] = min(found[name], 1e9 * (time.thread_time() - start) / works[name].units)
        if progress is not None:
            progress(done + 1, whole)
    return found


def draws() -> Work:
    """Return draws of NumPy's PCG64 in a compiled loop."""
    generator = np.random.Generator(np.random.PCG64(1))
    _draw(generator, 10)
    return Work(lambda: _draw(generator, PULLS), PULLS)


def own_draws() -> Work:
    """Return draws from thresher's streams in a compiled loop."""
    key = np.uint64(1)
    _own_draw(key, 10)
    return Work(lambda: _own_draw(key, PULLS), PULLS)


def pulls_of(policy: str, arms: int) -> Work:
    """Return pulls of ``linear:K`` at T = 200 K, everything included."""
    job, runs = _job(policy, arms)
    job.run(0, 1)
    return Work(lambda: job.run(0, runs), runs * PULLS_PER_ARM * arms)


def _job(policy: str, arms: int) -> tuple[Job, int]:
    job = Job(named(f"linear:K={arms}"), find_policy(policy), SimulationOptions((float(PULLS_PER_ARM * arms),)), seed=1)
    return job, max(1, PULLS // (PULLS_PER_ARM * arms))


def paper_experiment() -> Work:
    """Return the paper's own experiment on one core: K = 50, T = 10,000, 500 runs, three policies."""
    jobs = [
        Job(named("linear"), find_policy(name), SimulationOptions((10_000.0,)), seed=1)
        for name in ("apt", "lsa", "fwt-sqrt")
    ]
    return Work(lambda: [job.run(0, 500) for job in jobs], 1.0)


def argmin_loop(arms: int = 50, pulls: int = 20_000) -> Work:
    """Return pulls of LSA in a NumPy loop that recomputes every index."""
    means = named(f"linear:K={arms}").means

    def loop() -> Floats:
        random = np.random.default_rng(1)
        counts, totals = np.ones(arms), means + random.standard_normal(arms)
        for _ in range(pulls):
            k = int(np.argmin(totals**2 / (2.0 * counts) + np.log(counts)))
            totals[k] += means[k] + random.standard_normal()
            counts[k] += 1.0
        return totals

    return Work(loop, pulls)


def vectorised_loop(arms: int = 50, runs: int = 500, pulls: int = 2_000) -> Work:
    """Return pulls of LSA in NumPy over 500 runs at once, only changed indices computed again."""
    means = named(f"linear:K={arms}").means

    def loop() -> Floats:
        random, rows = np.random.default_rng(1), np.arange(runs)
        counts, totals = np.ones((runs, arms)), means + random.standard_normal((runs, arms))
        indices = totals**2 / 2.0
        for _ in range(pulls):
            k = indices.argmin(axis=1)
            total = totals[rows, k] + means[k] + random.standard_normal(runs)
            count = counts[rows, k] + 1.0
            totals[rows, k], counts[rows, k] = total, count
            indices[rows, k] = total * total / (2.0 * count) + np.log(count)
        return totals

    return Work(loop, pulls * runs)


def thread_speed_up(threads: int = 2, seconds: float = 5.0) -> float:
    """Return how many times as fast two threads are as one, on at least five seconds of work."""
    job, runs = _job("lsa", 1_000)
    job.run(0, 1)
    start = time.perf_counter()
    job.run(0, runs)
    chunks = max(2 * threads, int(seconds / (time.perf_counter() - start)) + 1)
    times = []
    for workers in (1, threads):
        with ThreadPoolExecutor(workers) as pool:
            start = time.perf_counter()
            list(pool.map(lambda chunk: job.run(chunk * runs, runs), range(chunks)))
            times.append(time.perf_counter() - start)
    return times[0] / times[1]


def bench(progress: Progress | None = None) -> dict[str, Any]:
    """Return the benchmark figures of the simulator; takes a minute or two.

    Absolute times depend on the machine; compare ratios within one document.
    """
    works = {"draw": draws(), "own draw": own_draws()}
    works |= {"argmin": argmin_loop(), "vectorised": vectorised_loop(), "paper": paper_experiment()}
    works |= {f"{policy} {arms}": pulls_of(policy, arms) for arms in ARMS for policy in POLICIES}
    found = least_ns(works, progress)
    pulls = {policy: {str(arms): found[f"{policy} {arms}"] for arms in ARMS} for policy in POLICIES}
    ratios = _ratios(found["draw"], found["own draw"], pulls, found["argmin"], found["vectorised"])
    return {
        "draw_ns": found["draw"],
        "own_draw_ns": found["own draw"],
        "pull_ns": pulls,
        "argmin_pull_ns": {"50": found["argmin"]},
        "vectorised_pull_ns": {"50": found["vectorised"]},
        "paper_experiment_s": 1e-9 * found["paper"],
        "ratios": ratios | {"two threads / one": thread_speed_up()},
        "about": about() | {"machine": platform.machine(), "cores": os.cpu_count()},
    }


def _ratios(
    draw: float, own_draw: float, pulls: dict[str, dict[str, float]], argmin: float, vectorised: float
) -> dict[str, Any]:
    return {
        "pull / draw": {name: {arms: ns / draw for arms, ns in row.items()} for name, row in pulls.items()},
        "pull / own draw": {name: {arms: ns / own_draw for arms, ns in row.items()} for name, row in pulls.items()},
        "pull at 100,000 arms / at 50": {name: row["100000"] / row["50"] for name, row in pulls.items()},
        "argmin loop / lsa": argmin / pulls["lsa"]["50"],
        "vectorised numpy / lsa": vectorised / pulls["lsa"]["50"],
    }
