"""Dependencies of routes: the campaign in the path, opened and authorised; the wanted page; the idempotency key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Depends, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor

from thresher.service.authentication import authenticate, require_scope
from thresher.service.desk import Desk, File
from thresher.service.request_log import Metrics
from thresher.service.shapes import LARGEST_PAGE
from thresher.service.watch import Watch

LONGEST_WAIT = 60.0  # seconds in one request: proxies in between give up on a silent one after that
MOST = 2**53  # whole numbers beyond this are not the same in every language


class NameConvertor(Convertor[str]):
    """A part of a path that holds a name of any letters, slashes among them, percent-encoded."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        """Return the name; invalid UTF-8 and NUL become the replacement character."""
        return unquote(value, errors="replace").replace("\0", "�")  # PostgreSQL has no text with a NUL

    def to_string(self, value: str) -> str:
        """Return the part of the path."""
        return quote(value, safe="")


register_url_convertor("name", NameConvertor())


def _state(name: str) -> Any:
    """Return the dependency of a route on something that the application keeps."""

    async def found(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(found)


def _opened(scope: str) -> Callable[[Request, str], Awaitable[File]]:
    async def opened(request: Request, campaign: str) -> File:
        require_scope(await authenticate(request), scope, campaign)
        desk: Desk = request.app.state.desk
        file = desk.recall(campaign)  # not in a thread when there is nothing to wait for
        return await run_in_threadpool(desk.open, campaign) if file is None else file

    return opened


def needs(scope: str) -> Any:
    """Return the dependency of a route that is about no campaign in particular."""

    async def allowed(request: Request) -> None:
        require_scope(await authenticate(request), scope)

    return Depends(allowed)


def _turn(limit: str) -> Callable[[Request], AsyncIterator[None]]:
    async def turn(request: Request) -> AsyncIterator[None]:
        async with getattr(request.app.state, limit).read():
            yield

    return turn


READ = Depends(_turn("reads"), scope="function")  # ends before the answer is sent, so that no client can hold it
LONG_READ = Depends(_turn("long_reads"))  # ends with the answer

DeskOf = Annotated[Desk, _state("desk")]
WatchOf = Annotated[Watch, _state("watch")]
MetricsOf = Annotated[Metrics, _state("metrics")]
Readable = Annotated[File, Depends(_opened("read"))]
Workable = Annotated[File, Depends(_opened("work"))]
Governed = Annotated[File, Depends(_opened("admin"))]

Key = Annotated[str | None, Header(alias="Idempotency-Key", max_length=200)]
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False)]
After = Annotated[int, Query(ge=0, le=MOST)]
Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE)]
