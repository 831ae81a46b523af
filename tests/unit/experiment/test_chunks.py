from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thresher.experiment.pieces import Piece, cut, work
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
    pieces: list[Piece[Squares]] = cut(jobs, 10)
    assert [(piece.job.key, piece.first_run, piece.runs) for piece in pieces] == [
        *[("a", 0, 4), ("b", 0, 4)],
        *[("a", 4, 4), ("b", 4, 4)],
        *[("a", 8, 2), ("b", 8, 2)],
    ]


def test_every_piece_is_done_and_shown() -> None:
    pieces: list[Piece[Squares]] = cut([Job("a", 3)], 7)
    done: dict[Piece[Squares], Squares] = {}
    seen: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as pool:
        work(pool, pieces, done, None, lambda *at: seen.append(at))
    assert np.concatenate([done[piece].values for piece in pieces]).tolist() == [0, 1, 4, 9, 16, 25, 36]
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
