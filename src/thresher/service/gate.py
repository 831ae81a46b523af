"""The gate: who shows no token gets nothing but health, static files and the way to log in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from thresher.errors import AccessDeniedError, StorageUnavailableError
from thresher.service.problems import problem, problem_of
from thresher.service.single_flight import SingleFlight
from thresher.service.tokens import Caller, Keyring

COOKIE = "thresher_session"


def ask_for_a_token(request: Request) -> Response:
    """Return the answer to a program that shows no token, or none that opens; which of the latter, it does not say."""
    text, kind = credential(request)
    if text:
        return problem(401, f"This {kind} is not known here, or it was revoked or has ended.")
    return problem(401, "This needs a token; send the header 'Authorization: Bearer …'.")


@dataclass
class Door:
    """What needs no token, and the answer to a request without one.

    Parameters
    ----------
    paths : set of str
        Paths that need no token.
    folders : tuple of str
        Beginnings of such paths.
    challenge : callable
        From a request without a token to its answer, of status 401.
    """

    paths: set[str] = field(default_factory=set)
    folders: tuple[str, ...] = ()
    challenge: Callable[[Request], Response] = ask_for_a_token

    def is_open(self, path: str) -> bool:
        """Return whether a path needs no token."""
        return path in self.paths or path.startswith(self.folders)


class UnauthenticatedError(HTTPException):
    """A token or session that was revoked or has expired since the request began."""

    def __init__(self) -> None:
        super().__init__(401)


class Authenticator:
    """Finds the callers of requests; those with the same token share one look at the database."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._checks: SingleFlight[Caller | None] = SingleFlight()

    async def caller(self, request: Request) -> Caller | None:
        """Return the caller of a request, or None if it shows no token or session that is valid now.

        Raises
        ------
        StorageUnavailableError
            If the database is away.
        """
        text, kind = credential(request)
        if not text:
            return None
        return self._keyring.recall(text) or await self._checks.run(
            f"{kind} {text}", lambda: run_in_threadpool(self._keyring.check, text, kind=kind)
        )


class Gate:
    """Finds the caller of a request; refuses one without a valid token."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator, door: Door) -> None:
        self._app, self._authenticator, self._door = app, authenticator, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or self._door.is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            caller = await self._authenticator.caller(request)
        except StorageUnavailableError as error:
            await problem_of(error)(scope, receive, send)
            return
        if caller is None:
            await self._door.challenge(request)(scope, receive, send)
            return
        request.state.caller = caller
        await self._app(scope, receive, send)


def credential(request: Request) -> tuple[str, str]:
    """Return what a request shows, and which kind it claims to be; the header comes before the cookie."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme:
        return (token.strip() if scheme.lower() == "bearer" else ""), "token"
    return request.cookies.get(COOKIE, ""), "session"


def caller_of(request: Request) -> Caller:
    """Return who is calling; the gate has found it out."""
    caller: Caller = request.state.caller
    return caller


async def admit(request: Request) -> Caller:
    """Return the caller, whose token is looked up again unless it was a moment ago.

    The gate looks before the body has come, and a request may wait for a minute after that.

    Raises
    ------
    UnauthenticatedError
        If the token or session was revoked or has expired since.
    StorageUnavailableError
        If the database is away.
    """
    authenticator: Authenticator = request.app.state.authenticator
    caller = await authenticator.caller(request)
    if caller is None:
        raise UnauthenticatedError
    return caller


def demand(caller: Caller, scope: str, campaign: str | None = None) -> None:
    """Let through a caller who may do this.

    Raises
    ------
    AccessDeniedError
        If the token's scope does not reach.
    """
    if not caller.may(scope, campaign):
        held = f"{caller.scope!r} in one campaign" if caller.campaign is not None else repr(caller.scope)
        where = "in all campaigns" if campaign is None else "in this one"
        raise AccessDeniedError(
            f"this token has the scope {held} and this needs {scope!r} {where}",
            instead="use another token: thresher token new",
        )
