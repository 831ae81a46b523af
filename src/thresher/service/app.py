"""The ASGI application: routes, middleware and exception handlers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

import thresher
from thresher.campaign.storage import Storage, open_storage, token_table
from thresher.errors import ThresherError
from thresher.service.authentication import AccessRules, AuthenticationMiddleware, Authenticator
from thresher.service.campaign_metrics import CampaignMetrics
from thresher.service.campaign_registry import CampaignRegistry
from thresher.service.middleware import HeadMiddleware, SecurityMiddleware
from thresher.service.problem_details import answer_to_error, answer_to_refusal
from thresher.service.request_limits import RateLimit, ReadLimit, RequestRates, TokenLimit
from thresher.service.request_log import Metrics, RequestLogMiddleware
from thresher.service.routes import campaigns, health, pulls, reads, tokens, verbs
from thresher.service.settings import API, Settings
from thresher.service.strict import answer_to_invalid_input
from thresher.service.tokens import Keyring
from thresher.service.watch import Watch


def create_app(address: str | Storage, settings: Settings | None = None) -> FastAPI:
    """Return the service over a database, as an ASGI application.

    Parameters
    ----------
    address : str or Storage
        ``sqlite:///file.db`` (created if it does not exist), ``postgresql://…`` or ``memory://``. A given storage stays
        open when the application ends.
    settings : Settings, optional

    Raises
    ------
    StorageError
        If the database cannot be used.
    """
    settings = settings or Settings()
    storage = open_storage(address, create=True)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.watch.stop()
        if isinstance(address, str):
            storage.close()

    app = FastAPI(
        title="thresher",
        version=thresher.__version__,
        summary="Campaigns of measurements: ask which arm to measure, tell the outcome, read the verdicts.",
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    state = app.state
    state.settings, state.registry, state.metrics = settings, CampaignRegistry(storage), Metrics()
    state.metrics.registry.register(CampaignMetrics(state.registry))
    state.reads, state.long_reads = ReadLimit(running=4, waiting=100), ReadLimit(running=2)
    state.requests = TokenLimit(settings.max_connections, parts=2, what="requests")
    state.streams = TokenLimit(settings.max_connections, parts=8, what="streams")
    state.watch = Watch(state.metrics, pause=settings.pause)
    state.keyring = Keyring(token_table(storage))
    state.authenticator = Authenticator(state.keyring)
    state.access_rules = AccessRules(paths={f"{API}/health", f"{API}/ready"})
    # Matched in this order: the routes of workers come first.
    for routes in (pulls, verbs, campaigns, reads, tokens, health):
        app.include_router(routes.router)
    # The last one added runs first.
    app.add_middleware(HeadMiddleware)
    app.add_middleware(
        AuthenticationMiddleware,
        authenticator=state.authenticator,
        rules=state.access_rules,
        limit=state.requests,
        rates=RequestRates(RateLimit(settings.token_rate), RateLimit(settings.address_rate)),
    )
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=settings.body_limit)
    app.add_middleware(SecurityMiddleware, settings=settings)
    app.add_middleware(RequestLogMiddleware, metrics=state.metrics)
    app.add_exception_handler(ThresherError, answer_to_error)
    app.add_exception_handler(RequestValidationError, answer_to_invalid_input)
    app.add_exception_handler(HTTPException, answer_to_refusal)
    app.add_exception_handler(401, lambda request, _: state.access_rules.challenge(request))
    return app
