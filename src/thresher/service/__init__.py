"""The HTTP API: ask, tell, read and administer campaigns.

:func:`create_app` returns the ASGI application for a database and :class:`Settings`. ``thresher serve`` runs it with
uvicorn (``server``, ``connections``) and adds the dashboard. Routes read their input, make one call and return the
result; one table (``problem_details``) maps errors to status codes. Middleware checks every request: ``security``
(host, origin, size) and ``authentication`` (token).
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.service.app import create_app
    from thresher.service.authentication import caller_of, cookie_of, unauthorized_response
    from thresher.service.campaign_registry import CampaignRegistry, ServedCampaign
    from thresher.service.context import LONG_READ, MOST, Governed, Readable, RegistryOf, needs
    from thresher.service.problem_details import (
        TITLES,
        ExplainedError,
        MissingError,
        answer_to_error,
        answer_to_refusal,
        detail_of,
        problem_response,
        status_of,
    )
    from thresher.service.request_limits import RateLimit, address_of
    from thresher.service.request_log import log, log_to_stderr
    from thresher.service.server import Server
    from thresher.service.settings import API, Settings
    from thresher.service.strict import answer_to_invalid_input, wrong_fields
    from thresher.service.tokens import SCOPES, SESSION_LASTS, Caller, Keyring

import_lazily(__name__)

__all__ = [
    "API",
    "LONG_READ",
    "MOST",
    "SCOPES",
    "SESSION_LASTS",
    "TITLES",
    "Caller",
    "CampaignRegistry",
    "ExplainedError",
    "Governed",
    "Keyring",
    "MissingError",
    "RateLimit",
    "Readable",
    "RegistryOf",
    "ServedCampaign",
    "Server",
    "Settings",
    "address_of",
    "answer_to_error",
    "answer_to_invalid_input",
    "answer_to_refusal",
    "caller_of",
    "cookie_of",
    "create_app",
    "detail_of",
    "log",
    "log_to_stderr",
    "needs",
    "problem_response",
    "status_of",
    "unauthorized_response",
    "wrong_fields",
]
