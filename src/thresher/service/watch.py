"""Waiting for an event of a campaign: one poll of the database for all waiting requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

from starlette.concurrency import run_in_threadpool

from thresher.campaign import JITTER, Ticket
from thresher.errors import ThresherError
from thresher.service.authentication import UnauthenticatedError
from thresher.service.campaign_registry import Glimpse, ServedCampaign
from thresher.service.request_limits import SingleFlight
from thresher.service.request_log import Metrics

KEEP_ALIVE = 15.0  # seconds after which a silent stream sends a comment

# Checks the caller's token again; raises UnauthenticatedError once it is revoked or has expired.
Admit: TypeAlias = Callable[[], Awaitable[object]]


class Watch:
    """Polls campaigns a few times a second while requests wait; `pause` is the time between two polls, in seconds."""

    def __init__(self, numbers: Metrics, *, pause: float) -> None:
        self._numbers, self._pause = numbers, pause
        self._looks: SingleFlight[Glimpse] = SingleFlight()
        self.is_stopping = False

    async def until_ready(self, served: ServedCampaign, *, seconds: float, admit: Admit) -> Glimpse:
        """Return a glimpse once an ask would return a ticket, or no ask ever will, or the time is up.

        It ends when the server stops or `admit` raises UnauthenticatedError, too.
        """
        end = time.monotonic() + seconds
        glimpse = await run_in_threadpool(served.glimpse)
        with self._numbers.watchers.track_inprogress():
            while glimpse.standing.is_open and not glimpse.is_ready and time.monotonic() < end and not self.is_stopping:
                glimpse = await self._look_soon(served)
                await admit()
        return glimpse

    async def ask(
        self, served: ServedCampaign, n: int, *, key: str | None, seconds: float, admit: Admit
    ) -> tuple[list[Ticket], bool]:
        """Return up to `n` tickets, after waiting for the first one, and whether there may be more later."""
        end = time.monotonic() + seconds
        while True:
            tickets, are_new = await run_in_threadpool(served.backend.take, n, key=key)
            if tickets:
                self._numbers.tickets.inc(len(tickets) if are_new else 0)
                return tickets, True
            glimpse = await self.until_ready(served, seconds=end - time.monotonic(), admit=admit)
            if self.is_stopping or time.monotonic() >= end or not glimpse.standing.is_open:
                return [], glimpse.standing.is_open
            await asyncio.sleep(JITTER.uniform(0.0, self._pause))  # spreads the asks of waiting workers
            await admit()

    async def changes(self, served: ServedCampaign, *, admit: Admit) -> AsyncIterator[Glimpse | None]:
        """Yield a glimpse now and after each event; None from time to time as a keep-alive.

        It ends when the server stops, the database becomes unavailable or `admit` raises UnauthenticatedError. A
        client that reconnects gets the reason.
        """
        seen, said = -1, time.monotonic()
        with self._numbers.watchers.track_inprogress():
            while not self.is_stopping:
                try:
                    glimpse = await (run_in_threadpool(served.glimpse) if seen < 0 else self._look_soon(served))
                    await admit()
                except (ThresherError, UnauthenticatedError):
                    return
                if glimpse.standing.events != seen:
                    seen, said = glimpse.standing.events, time.monotonic()
                    yield glimpse
                elif time.monotonic() - said > KEEP_ALIVE:
                    said = time.monotonic()
                    yield None

    async def _look_soon(self, served: ServedCampaign) -> Glimpse:
        """Return a glimpse after a pause, shared by all requests that wait for this campaign."""

        async def look() -> Glimpse:
            await asyncio.sleep(self._pause)
            return await run_in_threadpool(served.glimpse)

        return await self._looks.run(served.backend.name, look)

    def stop(self) -> None:
        """End every stream and every wait; called from a signal handler."""
        self.is_stopping = True
