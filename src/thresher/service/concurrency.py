"""Concurrent calls: those with the same key share one, and the number of reads is limited."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Generic, TypeVar

from thresher.service.problem_details import BusyError, TokenLimitError

Value = TypeVar("Value")


class SingleFlight(Generic[Value]):
    """Runs one call for all concurrent callers with the same key."""

    def __init__(self) -> None:
        self._calls: dict[str, asyncio.Task[Value]] = {}

    async def run(self, key: str, call: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """Return what the call under way for `key` returns; start it if there is none."""
        task = self._calls.get(key)
        if task is None:
            task = self._calls[key] = asyncio.create_task(call())
            task.add_done_callback(lambda done: self._forget(key, done))
        # Shielded: cancelling one waiter must not cancel the call of the others.
        return await asyncio.shield(task)

    def _forget(self, key: str, done: asyncio.Task[Value]) -> None:
        self._calls.pop(key, None)
        if not done.cancelled():
            done.exception()  # retrieved: asyncio warns otherwise if every waiter was cancelled


class ReadLimit:
    """A limit on concurrent reads, which keeps threads and connections free for asks, tells and token checks.

    At most `running` run at a time, and `waiting` wait; further ones are refused.
    """

    def __init__(self, *, running: int, waiting: int = 0) -> None:
        self._running, self._free = running, asyncio.Semaphore(running)
        self._places = running + waiting

    @asynccontextmanager
    async def read(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it during one read; raise BusyError if too many are running and waiting."""
        if not self._places:
            raise BusyError(self._running)
        self._places -= 1
        try:
            async with self._free:
                yield
        finally:
            self._places += 1


class TokenLimit:
    """A limit on what one token has open at a time: no token takes all connections.

    Parameters
    ----------
    connections, parts : int
        Of all connections a token may have one of that many parts.
    what : str
        What it limits, for the message.
    """

    def __init__(self, connections: int, *, parts: int, what: str) -> None:
        self.connections, self._parts, self._what = connections, parts, what
        self._open: Counter[str] = Counter()

    @contextmanager
    def hold(self, token: str) -> Iterator[None]:
        """Count one more while the block runs; raise TokenLimitError if it is one too many."""
        most = max(self.connections // self._parts, 1)
        if self._open[token] >= most:
            raise TokenLimitError(most, self._what)
        self._open[token] += 1
        try:
            yield
        finally:
            self._open[token] -= 1
            if not self._open[token]:
                del self._open[token]
