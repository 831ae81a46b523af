"""Authentication: every request needs a token or a session, except for health, static files and the login page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from thresher.errors import AccessDeniedError, StorageUnavailableError
from thresher.service.problem_details import (
    RateLimitError,
    TokenLimitError,
    answer_to_error,
    answer_to_refusal,
    problem_response,
)
from thresher.service.request_limits import RequestRates, SingleFlight, TokenLimit
from thresher.service.tokens import Caller, Keyring

COOKIE = "thresher_session"  # and the port: browsers send a cookie to all services on a host


def unauthorized_response(request: Request) -> Response:
    """Return the response 401 to a program without a valid token; it does not tell why the token is invalid."""
    text, kind = credential(request)
    if text:
        return problem_response(401, f"This {kind} is unknown, was revoked or has expired.")
    return problem_response(401, "A token is required; send the header 'Authorization: Bearer …'.")


@dataclass
class AccessRules:
    """The paths that need no token, and the response to other requests without one."""

    paths: set[str] = field(default_factory=set)
    folders: tuple[str, ...] = ()  # prefixes of such paths
    challenge: Callable[[Request], Response] = unauthorized_response

    def is_public(self, path: str) -> bool:
        """Return whether a path needs no token."""
        return path in self.paths or path.startswith(self.folders)


class UnauthenticatedError(HTTPException):
    """The token or session was revoked or has expired since the request began."""

    def __init__(self) -> None:
        super().__init__(401)


class Authenticator:
    """Finds the callers of requests; concurrent requests with the same token share one query of the database."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._checks: SingleFlight[Caller | None] = SingleFlight()

    def is_familiar(self, request: Request) -> bool:
        """Return whether the token or session of a request was valid when this server last saw it."""
        text, kind = credential(request)
        return self._keyring.is_familiar(text, kind=kind)

    async def caller(self, request: Request) -> Caller | None:
        """Return the caller of a request; None without a valid token or session."""
        text, kind = credential(request)
        if not text:
            return None
        return self._keyring.recall(text, kind=kind) or await self._checks.run(
            f"{kind} {text}", lambda: run_in_threadpool(self._keyring.check, text, kind=kind)
        )


class AuthenticationMiddleware:
    """Finds the caller of a request; rejects one without a valid token, and more than the limits allow."""

    def __init__(
        self, app: ASGIApp, authenticator: Authenticator, rules: AccessRules, limit: TokenLimit, rates: RequestRates
    ) -> None:
        self._app, self._authenticator, self._rules = app, authenticator, rules
        self._limit, self._rates = limit, rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"].startswith(self._rules.folders):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            if scope["path"] in self._rules.paths:
                self._rates.count_open(request)
                await self._app(scope, receive, send)
                return
            caller = await self._admitted(request)
            if caller is None:
                await self._rules.challenge(request)(scope, receive, send)
                return
            request.state.caller = caller
            with self._limit.hold(caller.owner):
                await self._app(scope, receive, send)
        except StorageUnavailableError as error:
            await answer_to_error(request, error)(scope, receive, send)
        except (TokenLimitError, RateLimitError) as error:
            await answer_to_refusal(request, error)(scope, receive, send)

    async def _admitted(self, request: Request) -> Caller | None:
        """Return the caller of a request, None without a valid token; raise RateLimitError if there are too many."""
        if not self._authenticator.is_familiar(request):
            self._rates.check_address(request)
        caller = await self._authenticator.caller(request)
        if caller is None:
            self._rates.count_refused(request)
        else:
            self._rates.count_token(caller.owner)
        return caller


def credential(request: Request) -> tuple[str, str]:
    """Return the token or session of a request, and which of the two it is; the header comes before the cookie."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme:
        return (token.strip() if scheme.lower() == "bearer" else ""), "token"
    return request.cookies.get(cookie_of(request), ""), "session"


def cookie_of(request: Request) -> str:
    """Return the name of the session's cookie, which has the port of this service in the browser's address."""
    _, _, port = request.headers.get("host", "").rpartition(":")
    is_secure = request.app.state.settings.secure
    return f"{COOKIE}_{port[:5] if port.isdigit() and port.isascii() else 443 if is_secure else 80}"


def caller_of(request: Request) -> Caller:
    """Return the caller that the middleware found."""
    caller: Caller = request.state.caller
    return caller


async def authenticate(request: Request) -> Caller:
    """Return the caller of a request, with a new check of the token unless the last one was a moment ago.

    The middleware checks before the body is received, and a request may wait for a minute after that. Raise
    UnauthenticatedError if the token or session was revoked or has expired since.
    """
    authenticator: Authenticator = request.app.state.authenticator
    caller = await authenticator.caller(request)
    if caller is None:
        raise UnauthenticatedError
    return caller


def require_scope(
    caller: Caller, scope: str, campaign: str | None = None, *, what: str = "this request", instead: str = ""
) -> None:
    """Raise AccessDeniedError if the scope of a caller's token is not sufficient for `what`."""
    if not caller.may(scope, campaign):
        held = f"{caller.scope!r} in one campaign" if caller.campaign is not None else repr(caller.scope)
        where = "in all campaigns" if campaign is None else "in this one"
        raise AccessDeniedError(
            f"this token has the scope {held}; {what} needs {scope!r} {where}",
            instead=instead or "use another token: thresher token new",
        )
