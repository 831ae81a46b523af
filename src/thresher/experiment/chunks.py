"""Work in pieces: a range of runs each, done by whoever works and kept as it comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from thresher.experiment.store import Record, Store

Progress = Callable[[int, int], None]
Outcome = TypeVar("Outcome", covariant=True)


class Runnable(Protocol[Outcome]):
    """One policy on one problem, of which any range of runs can be run."""

    @property
    def key(self) -> str:
        """Under what its results are kept."""

    def chunk_size(self) -> int:
        """Return how many runs make one piece of work; it does not depend on who works."""

    def run(self, first_run: int, runs: int) -> Outcome:
        """Return what came out of a range of runs."""


@dataclass(frozen=True)
class Piece(Generic[Record]):
    """A range of runs of one job."""

    job: Runnable[Record]
    first_run: int
    runs: int

    def run(self) -> Record:
        """Return what came out."""
        return self.job.run(self.first_run, self.runs)


def cut(jobs: Sequence[Runnable[Record]], runs: int) -> list[Piece[Record]]:
    """Cut the work by runs first, so that an interrupted grid has about as many runs of each policy."""
    size = min(job.chunk_size() for job in jobs)
    return [Piece(job, first, min(size, runs - first)) for first in range(0, runs, size) for job in jobs]


def work(
    pool: Executor,
    pieces: list[Piece[Record]],
    done: dict[Piece[Record], Record],
    store: Store[Record] | None,
    progress: Progress | None,
) -> None:
    """Do the pieces that are not in the store, and note each as soon as it is done."""
    if store is not None:
        for piece in pieces:
            if (kept := store.get(piece.job.key, piece.first_run, piece.runs)) is not None:
                done[piece] = kept
    futures: dict[Future[Record], Piece[Record]] = {
        pool.submit(piece.run): piece for piece in pieces if piece not in done
    }
    try:
        if progress is not None:
            progress(len(done), len(pieces))
        for future in as_completed(futures):
            piece = futures[future]
            done[piece] = future.result()
            if store is not None:
                store.put(piece.job.key, piece.first_run, piece.runs, done[piece])
            if progress is not None:
                progress(len(done), len(pieces))
    except BaseException:
        for future in futures:
            future.cancel()
        raise
