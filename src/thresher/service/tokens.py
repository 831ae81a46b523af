"""Tokens: the holder of one may use the service, within its scope."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from typing import NamedTuple

from thresher.campaign.storage import TokenRow, TokenTable
from thresher.errors import MISSING, InvalidInputError, ThresherError, UnknownNameError

SCOPES = ("read", "work", "admin")
PREFIX = "thresher"
REMEMBERED = 0.5  # seconds for which a token that was found is not looked up again; revoking takes effect within them
MOST_REMEMBERED = 10_000
LONGEST_LABEL = 100
DAY = 86_400 * 1_000_000
TOKEN_LASTS, SESSION_LASTS, CODE_LASTS = 3650 * DAY, DAY, DAY // 24
LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ0123456789"  # alphabet of codes, 5 bits each, without similar characters
NO_TOKEN = hashlib.sha256(b"").hexdigest()


class Caller(NamedTuple):
    """The caller of a request: its token, its scope, its campaign (None: all), and the token that opened a session."""

    token: str
    scope: str
    campaign: str | None
    parent: str = ""

    @property
    def owner(self) -> str:
        """The token to whose limits a request counts: all sessions of a token share them."""
        return self.parent or self.token

    def may(self, scope: str, campaign: str | None = None) -> bool:
        """Return whether the caller may make a request that needs `scope`, for a campaign or for none."""
        if self.scope == "work" and (campaign is None or campaign != self.campaign):
            return False
        return scope == "read" or self.scope == "admin" or self.scope == scope


class Keyring:
    """The tokens, codes and sessions of a service."""

    def __init__(self, table: TokenTable) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], tuple[Caller, float]] = {}

    def new_token(
        self, scope: str, *, campaign: str | None = None, label: str = "", days: float = TOKEN_LASTS / DAY
    ) -> str:
        """Create a token that is valid for that many days; return its text, which is not stored.

        Raises
        ------
        UnknownNameError
            If there is no such scope.
        InvalidInputError
            If a token of scope ``work`` has no campaign, or another one has, the label is too long, or the lifetime
            is not a number of days above 0, at most ten years.
        """
        if scope not in SCOPES:
            raise UnknownNameError("scope", scope, SCOPES)
        if (scope == "work") != (campaign is not None):
            rule = "a token of scope 'work' is for one campaign, any other token for all"
            raise InvalidInputError("campaign", MISSING if campaign is None else campaign, rule=rule)
        if len(label) > LONGEST_LABEL or not label.isprintable():
            rule = f"must have at most {LONGEST_LABEL} characters, all printable"
            raise InvalidInputError("label", label, rule=rule)
        if not 0 < days * DAY <= TOKEN_LASTS:
            raise InvalidInputError("days", days, rule=f"must be above 0 and at most {TOKEN_LASTS // DAY}")
        return self._add(TokenRow("", "", "token", scope, campaign, label, ""), max(round(days * DAY), 1))

    def new_code(self) -> str:
        """Create a one-time code for a browser, of scope ``admin``, short enough to type; return its text."""
        code = "".join(secrets.choice(LETTERS) for _ in range(16))
        row = TokenRow(_digest(code)[:12], _digest(code), "code", "admin", None, "one-time code", "")
        self._table.add(row, lasts=CODE_LASTS)
        return "-".join(code[i : i + 4] for i in range(0, 16, 4))

    def _add(self, row: TokenRow, lasts: int) -> str:
        name, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        self._table.add(row._replace(id=name, digest=_digest(secret)), lasts=lasts)
        return f"{PREFIX}_{name}_{secret}"

    def rows(self) -> list[TokenRow]:
        """Return all tokens, codes and sessions, oldest first."""
        return self._table.rows()

    def family(self, token: str) -> list[TokenRow]:
        """Return what :meth:`revoke` would delete, with the same errors: a token and the sessions that it opened."""
        rows = self._table.rows()
        if all(row.id != token for row in rows):
            raise _unknown(token, rows)
        return [row for row in rows if row.goes_with(token)]

    def revoke(self, token: str) -> None:
        """Revoke a token and the sessions that it opened.

        Raises
        ------
        InvalidInputError
            If the id is empty.
        UnknownNameError
            If there is no token of that id.
        """
        if not self._table.delete(token):
            raise _unknown(token, self._table.rows())
        self.forget()

    def recall(self, text: str, *, kind: str) -> Caller | None:
        """Return the caller with this token or session (`kind`) if it was checked a moment ago."""
        caller, until = self._known.get((kind, _digest(text)), (None, 0.0))
        return caller if time.monotonic() < until else None

    def is_familiar(self, text: str, *, kind: str) -> bool:
        """Return whether this token or session (`kind`) was valid when it was last checked."""
        return (kind, _digest(text)) in self._known

    def check(self, text: str, *, kind: str) -> Caller | None:
        """Return the caller with this token or session (`kind`), or None if it is unknown here."""
        row = self._find(text, kind)
        if row is None:
            with self._lock:
                self._known.pop((kind, _digest(text)), None)
            return None
        caller = Caller(row.id, row.scope, row.campaign, row.parent)
        with self._lock:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[kind, _digest(text)] = caller, time.monotonic() + REMEMBERED
        return caller

    def _find(self, text: str, kind: str) -> TokenRow | None:
        prefix, _, rest = text.partition("_")
        name, _, secret = rest.partition("_")
        is_one = prefix == PREFIX and name.isalnum() and name.isascii()
        return _matching(self._table.find(name) if is_one else None, _digest(secret), kind)

    def open_session(self, text: str) -> str | None:
        """Return the text of a new session for a token or an unused one-time code, None for anything else."""
        row = self._find(text.strip(), "token") or self._find_code(text)
        if row is None or (row.kind == "code" and not self._table.delete(row.id)):
            return None  # of two concurrent logins with the same code one succeeds
        session = TokenRow("", "", "session", row.scope, row.campaign, row.label, "")
        if row.kind == "token":  # its session ends with it
            session = session._replace(parent=row.id, expires=row.expires)
        return self._add(session, SESSION_LASTS)

    def _find_code(self, text: str) -> TokenRow | None:
        digest = _digest("".join(text.upper().replace("-", " ").split()))
        return _matching(self._table.find(digest[:12]), digest, "code")

    def end_session(self, caller: Caller) -> None:
        """End a session; a token stays valid."""
        row = self._table.find(caller.token)
        if row is not None and row.kind == "session":
            self._table.delete(row.id)
            self.forget()

    def forget(self) -> None:
        """Discard the cache of tokens."""
        with self._lock:
            self._known.clear()


def _matching(row: TokenRow | None, digest: str, kind: str) -> TokenRow | None:
    """Return a row if it has that secret and kind, compared in constant time even if there is none."""
    matches = hmac.compare_digest(digest, NO_TOKEN if row is None else row.digest)
    return row if row is not None and matches and row.kind == kind else None


def _unknown(token: str, rows: list[TokenRow]) -> ThresherError:
    if not token:
        return InvalidInputError("token id", token, rule="must be an id of 'thresher token list'")
    return UnknownNameError("token", token, (row.id for row in rows))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
