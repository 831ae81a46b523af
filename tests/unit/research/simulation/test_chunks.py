from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thresher.research.simulation.chunks import Chunk, run_chunks, split_into_chunks
from thresher.types import Ints


class Squares(NamedTuple):
    """What the jobs here give."""

    values: Ints


@dataclass(frozen=True)
class Job:
    """A job that squares."""

    key: str
    size: int

    def chunk_size(self) -> int:
        return self.size

    def run(self, first_run: int, runs: int) -> Squares:
        return Squares(np.arange(first_run, first_run + runs) ** 2)


def test_the_work_is_cut_by_runs_first_and_by_the_smallest_chunk() -> None:
    jobs = [Job("a", 4), Job("b", 9)]
    chunks: list[Chunk[Squares]] = split_into_chunks(jobs, 10)
    assert [(chunk.job.key, chunk.first_run, chunk.runs) for chunk in chunks] == [
        *[("a", 0, 4), ("b", 0, 4)],
        *[("a", 4, 4), ("b", 4, 4)],
        *[("a", 8, 2), ("b", 8, 2)],
    ]


def test_every_piece_is_done_and_shown() -> None:
    chunks: list[Chunk[Squares]] = split_into_chunks([Job("a", 3)], 7)
    done: dict[Chunk[Squares], Squares] = {}
    seen: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as pool:
        run_chunks(pool, chunks, done, None, lambda *at: seen.append(at))
    assert np.concatenate([done[chunk].values for chunk in chunks]).tolist() == [0, 1, 4, 9, 16, 25, 36]
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
