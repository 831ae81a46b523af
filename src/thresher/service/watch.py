"""Waiting for an event of a campaign: one poll of the database for all waiting requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from starlette.concurrency import run_in_threadpool

from thresher.errors import ThresherError
from thresher.live import Ticket
from thresher.live.backoff import JITTER
from thresher.service.authentication import UnauthenticatedError
from thresher.service.campaign_registry import CampaignRegistry, Glimpse, ServedCampaign
from thresher.service.request_log import Metrics
from thresher.service.single_flight import SingleFlight

KEEP_ALIVE = 15.0  # seconds after which a silent stream sends a comment

# Checks the caller's token again; raises UnauthenticatedError once it is revoked or has expired.
Admit: TypeAlias = Callable[[], Awaitable[object]]


def is_worth_an_ask(glimpse: Glimpse) -> bool:
    """Return whether an ask would return a ticket, or no ask ever will."""
    return glimpse.is_ready or not glimpse.standing.is_open


class Watch:
    """Polls campaigns a few times a second while requests wait; `pause` is the time between two polls, in seconds."""

    def __init__(self, registry: CampaignRegistry, numbers: Metrics, *, pause: float) -> None:
        self._registry, self._numbers, self._pause = registry, numbers, pause
        self._looks: SingleFlight[Glimpse] = SingleFlight()
        self.is_stopping = False

    async def until(
        self, campaign: str, is_wanted: Callable[[Glimpse], bool], *, seconds: float, admit: Admit
    ) -> Glimpse:
        """Return the first glimpse that is wanted, or the last one when the time is up or the server stops.

        Raises
        ------
        UnauthenticatedError
            If `admit` raises it.
        ThresherError
            If there is no such campaign, or the database is unavailable.
        """
        end = time.monotonic() + seconds
        glimpse = await self._look(campaign, at_once=True)
        with self._counted():
            while not is_wanted(glimpse) and time.monotonic() < end and not self.is_stopping:
                glimpse = await self._look(campaign)
                await admit()
        return glimpse

    async def ask(
        self, served: ServedCampaign, n: int, *, key: str | None, seconds: float, admit: Admit
    ) -> tuple[list[Ticket], bool]:
        """Return up to `n` tickets, after waiting for the first one, and whether there may be more later.

        Raises
        ------
        UnauthenticatedError
            If `admit` raises it.
        """
        end = time.monotonic() + seconds
        while True:
            tickets, are_new = await run_in_threadpool(served.backend.take, n, key=key)
            if tickets:
                self._numbers.tickets.inc(len(tickets) if are_new else 0)
                return tickets, True
            glimpse = await self.until(
                served.backend.name, is_worth_an_ask, seconds=end - time.monotonic(), admit=admit
            )
            if self.is_stopping or time.monotonic() >= end or not glimpse.standing.is_open:
                return [], glimpse.standing.is_open
            await asyncio.sleep(JITTER.uniform(0.0, self._pause))  # spreads the asks of waiting workers
            await admit()

    async def changes(self, campaign: str, *, admit: Admit) -> AsyncIterator[Glimpse | None]:
        """Yield a glimpse now and after each event; None from time to time as a keep-alive.

        It ends when the server stops, the database becomes unavailable or `admit` raises UnauthenticatedError. A
        client that reconnects gets the reason.
        """
        seen, said = -1, time.monotonic()
        with self._counted():
            while not self.is_stopping:
                try:
                    glimpse = await self._look(campaign, at_once=seen < 0)
                    await admit()
                except (ThresherError, UnauthenticatedError):
                    return
                if glimpse.standing.events != seen:
                    seen, said = glimpse.standing.events, time.monotonic()
                    yield glimpse
                elif time.monotonic() - said > KEEP_ALIVE:
                    said = time.monotonic()
                    yield None

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._numbers.watchers.inc()
        try:
            yield
        finally:
            self._numbers.watchers.dec()

    async def _look(self, campaign: str, *, at_once: bool = False) -> Glimpse:
        """Return a new glimpse, shared by all requests that wait for this campaign."""
        if at_once:
            return await run_in_threadpool(lambda: self._registry.open(campaign).glimpse())
        return await self._looks.run(campaign, lambda: self._look_soon(campaign))

    async def _look_soon(self, campaign: str) -> Glimpse:
        await asyncio.sleep(self._pause)
        return await run_in_threadpool(lambda: self._registry.open(campaign).glimpse())

    def stop(self) -> None:
        """End every stream and every wait; called from a signal handler."""
        self.is_stopping = True
