"""Limits on requests: how many run at a time, and in a second; concurrent calls with the same key share one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import limits
import limits.storage
import limits.strategies
from starlette.requests import Request

from thresher.service.problem_details import BusyError, RateLimitError, TokenLimitError

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


class RateLimit:
    """A number of events in a moving window of a second or a minute, by key; 0 for no limit.

    Each server counts for itself, in memory.
    """

    def __init__(self, most: int, *, per: str = "second") -> None:
        self.most, self.per = most, per
        self._item = limits.parse(f"{max(most, 1)}/{per}")
        self._limiter = limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())

    def hit(self, key: str) -> bool:
        """Count one event; return whether it is allowed. One that is not does not count."""
        return not self.most or self._limiter.hit(self._item, key)

    def allows(self, key: str) -> bool:
        """Return whether another event would be allowed, without counting it."""
        return not self.most or self._limiter.test(self._item, key)


@dataclass(frozen=True)
class RequestRates:
    """The limits on requests: by token, and by address for requests without a valid token."""

    tokens: RateLimit
    addresses: RateLimit

    def count_token(self, token: str) -> None:
        """Count a request of a token; raise RateLimitError if it is one too many."""
        if not self.tokens.hit(token):
            raise RateLimitError(self.tokens.most, "of this token")

    def count_open(self, request: Request) -> None:
        """Count a request that needs no token, by its path, so that probes are not refused because of other paths."""
        if not self.addresses.hit(f"{address_of(request)} {request.scope['path']}"):
            raise RateLimitError(self.addresses.most, "without a token from this address")

    def count_refused(self, request: Request) -> None:
        """Count a request without a valid token."""
        self.addresses.hit(address_of(request))

    def check_address(self, request: Request) -> None:
        """Raise RateLimitError if too many requests without a valid token came from an address."""
        if not self.addresses.allows(address_of(request)):
            raise RateLimitError(self.addresses.most, "without a valid token from this address")


def address_of(request: Request) -> str:
    """Return the address that a request comes from: behind a proxy that of the proxy."""
    return request.client.host if request.client else ""
