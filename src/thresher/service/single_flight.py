"""Single flight: concurrent callers with the same key share one call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

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
