"""Requests of several threads share one answer of a slow program."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from thresher.run.batches import Batches


def test_requests_at_the_same_time_are_answered_together() -> None:
    sizes, gate = list[int](), threading.Barrier(4)

    def answer(batch: list[int]) -> list[int | Exception]:
        sizes.append(len(batch))
        return [ValueError(one) if one == 2 else 10 * one for one in batch]

    batches = Batches(answer, most=4)

    def ask(number: int) -> int:
        gate.wait()
        return batches.ask(number)

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(ask, i) for i in range(4)]
    assert [future.result() for future in futures if futures.index(future) != 2] == [0, 10, 30]
    with pytest.raises(ValueError, match="2"):
        futures[2].result()
    assert sum(sizes) == 4
    assert max(sizes) > 1
    batches.stop()


def test_a_batch_has_at_most_this_many_requests() -> None:
    sizes = list[int]()

    def answer(batch: list[int]) -> list[int]:
        sizes.append(len(batch))
        return batch

    batches = Batches(answer, most=2)
    with ThreadPoolExecutor(5) as pool:
        assert sorted(pool.map(batches.ask, range(5))) == [0, 1, 2, 3, 4]
    assert max(sizes) <= 2
    batches.stop()


def test_an_error_of_the_program_reaches_every_request() -> None:
    def answer(batch: list[int]) -> list[int]:
        raise OSError("gone")

    batches = Batches(answer, most=2)
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(batches.ask, i) for i in range(2)]:
            with pytest.raises(OSError, match="gone"):
                future.result()
    batches.stop()
