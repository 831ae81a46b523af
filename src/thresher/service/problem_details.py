"""Errors as problem details (RFC 9457), and the table from error to status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from thresher import errors
from thresher.campaign import FACTS, INPUT_FACTS, type_of
from thresher.service.request_log import log

RETRY_AFTER = 2  # seconds
LONGEST_DETAIL = 500
MOST_NAMES = 20

# The first class that an error is an instance of decides, so subclasses come first.
STATUS: tuple[tuple[type[errors.ThresherError], int], ...] = (
    (errors.UnknownCampaignError, 404),
    (errors.UnknownTicketError, 404),
    (errors.CampaignExistsError, 409),
    (errors.ConflictingOutcomeError, 409),
    (errors.ConflictingKeyError, 409),
    (errors.ImportConflictError, 409),
    (errors.LikelyCopyError, 409),
    (errors.ImportOvertakenError, 409),
    (errors.NoOutcomeError, 409),
    (errors.BudgetSpentError, 409),
    (errors.CampaignClosedError, 409),
    (errors.CampaignArchivedError, 409),
    (errors.PolicyUnavailableError, 409),
    (errors.AccessDeniedError, 403),
    (errors.StorageError, 503),
    (errors.MissingExtraError, 501),
    (errors.ThresherError, 422),
)
TITLES = {
    400: "Bad request",
    401: "Token required",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timeout",
    409: "Conflict with stored data",
    413: "Too large",
    415: "Unsupported media type",
    421: "Not a name of this server",
    422: "Invalid input",
    429: "Too many requests",
    500: "Internal error",
    501: "Not installed",
    503: "Database unavailable",
}
_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


class ExplainedError(HTTPException):
    """A refusal whose detail explains it."""


class MissingError(ExplainedError):
    """A resource was not found; the detail lists what exists."""

    def __init__(self, detail: str) -> None:
        super().__init__(404, detail)


class BusyError(ExplainedError):
    """Too many concurrent reads."""

    def __init__(self, running: int) -> None:
        detail = f"{running} such reads are running, the maximum; try again later."
        super().__init__(429, detail, headers={"Retry-After": str(RETRY_AFTER)})


class TokenLimitError(ExplainedError):
    """Too many concurrent requests of one token."""

    def __init__(self, most: int, what: str) -> None:
        detail = f"{most} {what} of this token are open, the maximum; close some, or try again later."
        super().__init__(429, detail, headers={"Retry-After": str(RETRY_AFTER)})


class RateLimitError(ExplainedError):
    """Too many requests in a second."""

    def __init__(self, most: int, whose: str) -> None:
        detail = f"More than {most} requests {whose} in a second, the maximum; try again later."
        super().__init__(429, detail, headers={"Retry-After": "1"})


class ProblemResponse(Response):
    """A response with a problem document; markup in quoted names is escaped."""

    media_type = "application/problem+json"

    def render(self, content: Any) -> bytes:
        """Return the document as ASCII JSON."""
        return json.dumps(content, allow_nan=False).translate(_MARKUP).encode("ascii")


def problem_response(
    status: int, detail: str, *, error: str = "", headers: Mapping[str, str] | None = None, **facts: Any
) -> ProblemResponse:
    """Return a response with a problem document."""
    content = {"type": type_of(error), "title": TITLES.get(status, "Error"), "status": status}
    content |= {"detail": _one_line(detail), **facts}
    extra = dict(headers or {})
    if status == 401:
        extra["WWW-Authenticate"] = "Bearer"
    if status == 503:
        extra.setdefault("Retry-After", str(RETRY_AFTER))
    return ProblemResponse(content, status_code=status, headers=extra)


def detail_of(error: errors.ThresherError, request: Request) -> str:
    """Return the detail of an error for a response; messages of a database driver are sent only with a token.

    A damaged campaign is looked up anew by the next request.
    """
    if isinstance(error, errors.StorageError):
        log.warning("storage", extra={"facts": {"error": str(error)}})
        if isinstance(error, errors.CorruptionError):
            request.app.state.registry.forget(error.campaign)  # the database may have lost or replaced it
        if not hasattr(request.state, "caller"):
            return "The database cannot be used; the log of the server has the details."
    return str(error)


def answer_to_error(request: Request, error: Exception) -> ProblemResponse:
    """Return the response to an error of this package, with its attributes as members of the document."""
    assert isinstance(error, errors.ThresherError)
    facts = {name: _fact(getattr(error, name)) for name in FACTS if hasattr(error, name)}
    if isinstance(error, errors.InvalidInputError):
        facts |= {member: _fact(getattr(error, name)) for name, member in INPUT_FACTS.items()}
    if isinstance(error, errors.UnknownNameError) and error.kind.isidentifier():
        facts |= {"field": error.kind, "rule": f"must be one of {', '.join(facts['known'])}"}
    return problem_response(status_of(error), detail_of(error, request), error=type(error).__name__, **facts)


def answer_to_refusal(_: Request, error: Exception) -> ProblemResponse:
    """Return the response to an HTTP error; only a detail of this service is sent."""
    assert isinstance(error, HTTPException)
    title = TITLES.get(error.status_code, "Refused")
    detail = error.detail if isinstance(error, ExplainedError) else f"{title}."
    return problem_response(error.status_code, detail, headers=error.headers)


def status_of(error: errors.ThresherError) -> int:
    """Return the status of an error."""
    return next(status for kind, status in STATUS if isinstance(error, kind))


def _fact(value: Any) -> Any:
    if isinstance(value, list):
        return [_one_line(name) for name in value[:MOST_NAMES]]
    return _one_line(value) if isinstance(value, str) else value


def _one_line(text: str) -> str:
    """Return a text of bounded length, with control characters and lone surrogates replaced."""
    shown = text if len(text) <= LONGEST_DETAIL else text[:LONGEST_DETAIL] + "…"
    return "".join(letter if letter.isprintable() or letter == " " else "�" for letter in shown)
