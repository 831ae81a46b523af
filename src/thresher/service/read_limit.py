"""A limit on concurrent reads, which keeps threads and connections free for asks, tells and token checks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from thresher.service.problem_details import BusyError


class ReadLimit:
    """A limit on reads.

    Parameters
    ----------
    running : int
        The number that run at a time.
    waiting : int
        The number that may wait; further ones are refused.
    """

    def __init__(self, *, running: int, waiting: int = 0) -> None:
        self._running, self._free = running, asyncio.Semaphore(running)
        self._places = running + waiting

    @asynccontextmanager
    async def read(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it during one read.

        Raises
        ------
        BusyError
            If too many are already running and waiting.
        """
        if not self._places:
            raise BusyError(self._running)
        self._places -= 1
        try:
            async with self._free:
                yield
        finally:
            self._places += 1
