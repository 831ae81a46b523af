"""Split a simulation into chunks of runs, run them on an executor, and store each as it finishes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from thresher.research.simulation.store import Record, Store

Progress = Callable[[int, int], None]
Outcome = TypeVar("Outcome", covariant=True)


class Runnable(Protocol[Outcome]):
    """One policy on one problem, of which any range of runs can be run."""

    @property
    def key(self) -> str:
        """The key of its results in a store."""

    def chunk_size(self) -> int:
        """Return how many runs make one chunk of work; it does not depend on the executor."""

    def run(self, first_run: int, runs: int) -> Outcome:
        """Return the counts of a range of runs."""


@dataclass(frozen=True)
class Chunk(Generic[Record]):
    """A range of runs of one job."""

    job: Runnable[Record]
    first_run: int
    runs: int

    def run(self) -> Record:
        """Return its counts."""
        return self.job.run(self.first_run, self.runs)


def split_into_chunks(jobs: Sequence[Runnable[Record]], runs: int) -> list[Chunk[Record]]:
    """Return chunks in the order of runs, so that an interrupted simulation has similar numbers of runs."""
    size = min(job.chunk_size() for job in jobs)
    return [Chunk(job, first, min(size, runs - first)) for first in range(0, runs, size) for job in jobs]


def run_chunks(
    pool: Executor,
    chunks: list[Chunk[Record]],
    done: dict[Chunk[Record], Record],
    store: Store[Record] | None,
    progress: Progress | None,
) -> None:
    """Run the chunks that are not in the store, and store each as soon as it is done."""
    if store is not None:
        for chunk in chunks:
            if (kept := store.get(chunk.job.key, chunk.first_run, chunk.runs)) is not None:
                done[chunk] = kept
    futures: dict[Future[Record], Chunk[Record]] = {
        pool.submit(chunk.run): chunk for chunk in chunks if chunk not in done
    }
    try:
        if progress is not None:
            progress(len(done), len(chunks))
        for future in as_completed(futures):
            chunk = futures[future]
            done[chunk] = future.result()
            if store is not None:
                store.put(chunk.job.key, chunk.first_run, chunk.runs, done[chunk])
            if progress is not None:
                progress(len(done), len(chunks))
    except BaseException:
        for future in futures:
            future.cancel()
        raise
