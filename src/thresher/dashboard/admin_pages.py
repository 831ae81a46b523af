"""The pages of administrators: tokens, which they can create and revoke, and the settings of the server."""

from __future__ import annotations

import platform
from datetime import UTC, datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

import thresher
from thresher.dashboard.rendering import page
from thresher.dashboard.term_fields import Word
from thresher.errors import ThresherError
from thresher.number_text import exact
from thresher.service import SCOPES, Keyring, Settings, caller_of, needs

router = APIRouter(include_in_schema=False, dependencies=[needs("admin")])

SCOPE_WORDS = {
    "read": "read: look at all campaigns",
    "work": "work: measure for one campaign",
    "admin": "admin: everything",
}
KIND_WORDS = {"token": "token", "session": "browser session", "code": "one-time code"}
DATABASES = {"SqliteStorage": "SQLite", "PostgresStorage": "PostgreSQL", "MemoryStorage": "in memory"}
TOKEN_COLUMNS = {
    "Id": "Name of the token in the log of the server and in 'thresher token revoke'.",
    "Kind": "A token for a program, a browser that is logged in, or a one-time code that is not used yet.",
    "Scope": "What its owner may do.",
    "Campaign": "The one campaign of a token of scope work.",
    "Label": "What it is for.",
    "Created (UTC)": "When it was created.",
    "Expires (UTC)": "When it stops working.",
    "Revoke": "End it now; a token ends its browser sessions too.",
}


def _keyring(request: Request) -> Keyring:
    keyring: Keyring = request.app.state.keyring
    return keyring


@router.get("/tokens")
def tokens(request: Request) -> Response:
    """Show all tokens, browser sessions and unused codes."""
    return _tokens(request)


@router.post("/tokens")
def create_token(request: Request, scope: Word, campaign: Word = "", label: Word = "") -> Response:
    """Create a token and show its text once."""
    given = {"scope": scope, "campaign": campaign, "label": label}
    try:
        if campaign:
            request.app.state.registry.open(campaign)  # raises if the campaign does not exist
        made = _keyring(request).new_token(scope, campaign=campaign or None, label=label)
    except ThresherError as error:
        return _tokens(request, given, complaint=str(error), status=422)
    return _tokens(request, made=made)


@router.post("/tokens/{token}/revoke")
def revoke_token(request: Request, token: str) -> Response:
    """Revoke a token, and the browser sessions that it opened."""
    _keyring(request).revoke(token)
    return RedirectResponse("/tokens", status_code=303)


def _tokens(
    request: Request, given: dict[str, str] | None = None, *, made: str = "", complaint: str = "", status: int = 200
) -> Response:
    return page(
        request,
        "tokens.html",
        status=status,
        help=TOKEN_COLUMNS,
        rows=[(row, *map(_moment, (row.made, row.expires))) for row in reversed(_keyring(request).rows())],
        kinds=KIND_WORDS,
        scopes={scope: SCOPE_WORDS[scope] for scope in SCOPES},
        given=given or {"scope": "read", "campaign": "", "label": ""},  # a token for work names its campaign
        campaigns=request.app.state.registry.names(),
        own=caller_of(request).token,
        made=made,
        complaint=complaint,
    )


def _moment(micros: int) -> datetime:
    return datetime.fromtimestamp(micros / 1e6, UTC)


@router.get("/settings")
def settings(request: Request) -> Response:
    """Show how the server is configured."""
    state = request.app.state
    return page(request, "settings.html", groups=_settings(state.settings, type(state.registry.storage).__name__))


def _rate(most: int) -> str:
    return f"{most:,} per second" if most else "no limit"


def _settings(given: Settings, storage: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the settings in groups: the value of each, and the option of ``thresher serve`` that changes it."""
    return {
        "Server": {
            "Version": (f"thresher {thresher.__version__}, Python {platform.python_version()}", ""),
            "Database": (DATABASES.get(storage, storage), "--db"),
            "Host names": (", ".join(given.hosts), "--public-url"),
            "Cookie over TLS only": ("yes" if given.secure else "no", "--public-url https://…"),
        },
        "Limits": {
            "Concurrent connections": (f"{given.max_connections:,}", "--max-connections"),
            "Time to send a request": (f"{exact(given.request_timeout)} s", "--request-timeout"),
            "Requests of one token": (_rate(given.token_rate), "--token-rate"),
            "Requests without a token from one address": (_rate(given.address_rate), "--address-rate"),
            "Largest request": (f"{given.body_limit:,} bytes", ""),
            "Login attempts from one address": (f"{given.logins_per_minute:,} per minute", ""),
        },
    }
