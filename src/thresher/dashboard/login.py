"""Login for browsers: a one-time code or a token is exchanged for an HttpOnly cookie."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from thresher.dashboard.rendering import page
from thresher.service import (
    API,
    SESSION_LASTS,
    Keyring,
    RateLimit,
    Settings,
    address_of,
    caller_of,
    cookie_of,
    unauthorized_response,
)

router = APIRouter(include_in_schema=False)


def challenge(request: Request) -> Response:
    """Return the login page with status 401; programs get a problem document."""
    if request.scope["path"].startswith(API) or "text/html" not in request.headers.get("accept", ""):
        return unauthorized_response(request)
    return _form(request, wanted=request.scope["path"] if request.method == "GET" else "/")


def _form(request: Request, *, wanted: str = "/", complaint: str = "", code: str = "", status: int = 401) -> Response:
    answer = page(request, "login.html", status=status, wanted=wanted, complaint=complaint, code=code)
    answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


@router.get("/login")
def show_form(request: Request) -> Response:
    """Show the login page, filled in if the URL has a code. Only submitting the form uses up the code."""
    return _form(request, code=request.query_params.get("code", "")[:200])


@router.post("/login")
async def log_in(request: Request) -> Response:
    """Exchange a code or a token for a cookie."""
    state = request.app.state
    attempts: RateLimit = state.login_attempts
    keyring: Keyring = state.keyring
    settings: Settings = state.settings
    if not attempts.hit(address_of(request)):
        answer = _form(request, complaint="Too many attempts. Wait a minute and try again.", status=429)
        answer.headers["Retry-After"] = "60"
        return answer
    form = await request.form(max_files=0, max_fields=5)
    wanted = _inside(str(form.get("wanted", "/")))
    session = await run_in_threadpool(keyring.open_session, str(form.get("code", ""))[:200])
    if session is None:
        complaint = "This code or token is unknown here, or the code has been used."
        return _form(request, wanted=wanted, complaint=complaint)
    answer = RedirectResponse(wanted, status_code=303)
    answer.set_cookie(
        cookie_of(request),
        session,
        max_age=SESSION_LASTS // 1_000_000,
        httponly=True,
        samesite="strict",
        secure=settings.secure,
    )
    return answer


def _inside(path: str) -> str:
    """Return a path on this server, to prevent open redirects."""
    is_inside = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isascii() and path.isprintable()
    return path if is_inside else "/"


@router.post("/logout")
async def log_out(request: Request) -> Response:
    """End the session."""
    await run_in_threadpool(request.app.state.keyring.end_session, caller_of(request))
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(cookie_of(request), httponly=True, samesite="strict", secure=request.app.state.settings.secure)
    return answer
