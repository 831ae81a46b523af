"""Dependencies of routes: the campaign in the path, opened and authorised; the wanted page; the idempotency key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sized
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Depends, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor

from thresher.service.authentication import authenticate, caller_of, require_scope
from thresher.service.campaign_registry import CampaignRegistry, ServedCampaign
from thresher.service.request_log import Metrics
from thresher.service.shapes import LARGEST_PAGE
from thresher.service.watch import Watch

LONGEST_WAIT = 60.0  # seconds per request: proxies close a silent connection after about that time
MOST = 2**53  # larger integers are not exact in every language


class NameConvertor(Convertor[str]):
    """A path segment with any name, slashes included, percent-encoded."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        """Return the name; invalid UTF-8 and NUL become the replacement character."""
        return unquote(value, errors="replace").replace("\0", "�")  # PostgreSQL has no text with a NUL

    def to_string(self, value: str) -> str:
        """Return the part of the path."""
        return quote(value, safe="")


register_url_convertor("name", NameConvertor())


def _state(name: str) -> Any:
    """Return the dependency of a route on an attribute of the application's state."""

    async def found(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(found)


def _opened(scope: str) -> Any:
    """Return the dependency of a route on the campaign in its path, for callers that have a scope."""

    async def opened(request: Request, campaign: str) -> ServedCampaign:
        require_scope(await authenticate(request), scope, campaign)
        registry: CampaignRegistry = request.app.state.registry
        served = registry.recall(campaign)  # no thread is needed if it is already open
        return await run_in_threadpool(registry.open, campaign) if served is None else served

    return Depends(opened)


def needs(scope: str) -> Any:
    """Return the dependency of a route without a campaign."""

    async def allowed(request: Request) -> None:
        require_scope(await authenticate(request), scope)

    return Depends(allowed)


def _turn(limit: str, **given: Any) -> Any:
    """Return the dependency of a route that waits for its turn under a limit on reads."""

    async def turn(request: Request) -> AsyncIterator[None]:
        async with getattr(request.app.state, limit).read():
            yield

    return Depends(turn, **given)


async def _stream(request: Request) -> AsyncIterator[None]:
    with request.app.state.streams.hold(caller_of(request).owner):
        yield


STREAM = Depends(_stream)  # ends with the response
READ = _turn("reads", scope="function")  # ends before the response is sent, so a slow client does not hold it
LONG_READ = _turn("long_reads")  # ends with the response

RegistryOf = Annotated[CampaignRegistry, _state("registry")]
WatchOf = Annotated[Watch, _state("watch")]
MetricsOf = Annotated[Metrics, _state("metrics")]
Readable = Annotated[ServedCampaign, _opened("read")]
Workable = Annotated[ServedCampaign, _opened("work")]
Governed = Annotated[ServedCampaign, _opened("admin")]

Key = Annotated[str | None, Header(alias="Idempotency-Key", max_length=200)]
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False)]
After = Annotated[int, Query(ge=0, le=MOST)]
Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE)]


def next_page(rows: Sized, limit: int, last: int) -> int | None:
    """Return where the next page begins if this one is full."""
    return last if len(rows) == limit else None
