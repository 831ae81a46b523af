"""Requests of several threads, answered together: for a program whose start takes longer than one answer."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

LINGER = 0.2  # seconds without another request after which a batch starts

Request = TypeVar("Request")
Answer = TypeVar("Answer")


class Batches(Generic[Request, Answer]):
    """Collects what threads ask for at about the same time, and answers one batch after the other.

    Parameters
    ----------
    answer : callable
        From a batch of requests to their answers in the same order; an exception among them is raised where the
        request was made. If it raises, every request of the batch raises that.
    most : int
        Largest number of requests in a batch. It starts when it has this many, or when no other comes for a moment.
    """

    def __init__(self, answer: Callable[[list[Request]], Sequence[Answer | Exception]], *, most: int) -> None:
        self._answer, self._most = answer, most
        self._asked: queue.Queue[tuple[Request, Future[Answer]] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._starting = threading.Lock()

    def ask(self, request: Request) -> Answer:
        """Return the answer to a request, once its batch has been answered."""
        with self._starting:
            if self._thread.ident is None:
                self._thread.start()
        future: Future[Answer] = Future()
        self._asked.put((request, future))
        return future.result()

    def stop(self) -> None:
        """End the thread after the requests that were made before."""
        self._asked.put(None)

    def _serve(self) -> None:
        while (first := self._asked.get()) is not None:
            batch, is_last = [first], False
            while len(batch) < self._most and not is_last:
                try:
                    following = self._asked.get(timeout=LINGER)
                except queue.Empty:
                    break
                if following is None:
                    is_last = True
                else:
                    batch.append(following)
            self._settle(batch)
            if is_last:
                return

    def _settle(self, batch: list[tuple[Request, Future[Answer]]]) -> None:
        try:
            answers = self._answer([request for request, _ in batch])
        except Exception as error:
            answers = [error] * len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
