"""The service with its pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Lifespan

from thresher.campaign.storage import Storage
from thresher.dashboard import (
    actions,
    admin_pages,
    allocation_pages,
    campaign_list,
    import_pages,
    item_pages,
    login,
    other_bar,
    pages,
)
from thresher.dashboard.assets import PREFIX, static
from thresher.dashboard.board import Boards
from thresher.dashboard.login import challenge
from thresher.dashboard.rendering import page
from thresher.errors import ThresherError
from thresher.service import (
    API,
    TITLES,
    ExplainedError,
    RateLimit,
    Settings,
    answer_to_error,
    answer_to_invalid_input,
    answer_to_refusal,
    detail_of,
    status_of,
    wrong_fields,
)
from thresher.service import create_app as create_service


def create_app(address: str | Storage, settings: Settings | None = None) -> FastAPI:
    """Return the service over a database with its dashboard, as an ASGI application.

    Parameters
    ----------
    address : str or Storage
        As in :func:`thresher.service.create_app`.
    settings : Settings, optional
    """
    app = create_service(address, settings)
    app.state.boards = Boards(app.state.registry)
    app.state.login_attempts = RateLimit(app.state.settings.logins_per_minute, per="minute")
    app.state.access_rules.paths.add("/login")
    app.state.access_rules.folders += (PREFIX,)
    app.state.access_rules.challenge = challenge
    app.add_api_route(PREFIX + "{digest}/{name}", static, include_in_schema=False)
    shown = (campaign_list, pages, other_bar, item_pages, allocation_pages)
    for routes in (login, *shown, admin_pages, actions, import_pages):
        app.include_router(routes.router)
    app.router.lifespan_context = _stopping_first(app.state.boards, app.router.lifespan_context)
    app.add_exception_handler(ThresherError, _answer_to_error)
    app.add_exception_handler(RequestValidationError, _answer_to_invalid_input)
    app.add_exception_handler(HTTPException, _answer_to_refusal)
    return app


def _stopping_first(boards: Boards, lifespan: Lifespan[Any]) -> Lifespan[Any]:
    """Return a lifespan that stops the boards before the database is closed."""

    @asynccontextmanager
    async def stopping_first(app: Any) -> AsyncIterator[Any]:
        async with lifespan(app) as state:
            yield state
            await run_in_threadpool(boards.stop)

    return stopping_first


def _is_for_people(request: Request) -> bool:
    return not request.scope["path"].startswith((API, PREFIX))


def _answer_to_error(request: Request, error: Exception) -> Response:
    if not _is_for_people(request):
        return answer_to_error(request, error)
    assert isinstance(error, ThresherError)
    answer = page(
        request, "error.html", status=status_of(error), title=TITLES[status_of(error)], detail=detail_of(error, request)
    )
    if status_of(error) == 503:
        answer.headers["Retry-After"] = "2"
    return answer


def _answer_to_invalid_input(request: Request, error: Exception) -> Response:
    if not _is_for_people(request):
        return answer_to_invalid_input(request, error)
    return page(request, "error.html", status=422, title=TITLES[422], detail=wrong_fields(error)[0])


def _answer_to_refusal(request: Request, error: Exception) -> Response:
    if not _is_for_people(request):
        return answer_to_refusal(request, error)
    assert isinstance(error, HTTPException)
    title = TITLES.get(error.status_code, "Refused")
    detail = error.detail if isinstance(error, ExplainedError) else "There is nothing here."
    return page(request, "error.html", status=error.status_code, title=title, detail=detail)
