"""How many reads run at a time, so that asks, tells and checks of tokens find a thread and a connection free."""

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
        So many run at a time.
    waiting : int
        So many more wait; one more is refused.
    """

    def __init__(self, *, running: int, waiting: int = 0) -> None:
        self._running, self._free = running, asyncio.Semaphore(running)
        self._places = running + waiting

    @asynccontextmanager
    async def read(self) -> AsyncIterator[None]:
        """Hold the turn of one read.

        Raises
        ------
        BusyError
            If too many run and wait already.
        """
        if not self._places:
            raise BusyError(self._running)
        self._places -= 1
        try:
            async with self._free:
                yield
        finally:
            self._places += 1
