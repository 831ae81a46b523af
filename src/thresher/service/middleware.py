"""What happens to every request: checks of host name, origin (CSRF) and size, security headers; HEAD without a body.

A page of another site can make a browser send requests to this server, with its cookie or from inside its network. The
cross-origin rule prevents that such a request changes anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thresher.service.problem_details import problem_response
from thresher.service.request_log import log
from thresher.service.settings import Settings

SAFE_METHODS = ("GET", "HEAD")
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityMiddleware:
    """Rejects requests with a foreign host, from another origin or with a large body; adds the security headers."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Routes get the raw path and decode its parts one by one: a name may contain a slash.
        scope["path"] = scope["raw_path"].decode("ascii", "replace")
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["method"], headers)

        has_begun = False

        async def sealed(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                answer = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answer[name] = value
                answer.setdefault("Cache-Control", "no-store")
            await send(message)

        if refusal is not None:
            await problem_response(*refusal)(scope, receive, sealed)
            return
        try:
            await self._app(scope, receive, sealed)
        except Exception:
            log.exception("fault")
            if has_begun:
                raise  # a truncated response must not look complete
            await problem_response(500, "Internal error; the log of the server has the details.")(
                scope, receive, sealed
            )

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if host_of(host) not in self._settings.hosts:
            return 421, "The Host header is not a name of this server; set its name with --public-url."
        if method not in SAFE_METHODS and not is_same_origin(headers, host):
            return 403, "A request from another origin must not change anything."
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length[:20]) > self._settings.body_limit:
            return 413, f"The body is larger than {self._settings.body_limit} bytes; send it in parts."
        return None


def host_of(header: str) -> str:
    """Return the host name in a ``Host`` header, without the port."""
    name, colon, port = header.rpartition(":")
    return (name if colon and port.isdigit() else header).lower()


def is_same_origin(headers: Mapping[str, str], host: str) -> bool:
    """Return whether a request comes from a page of this server, or from a program other than a browser.

    Browsers send the origin of a request in ``Sec-Fetch-Site``, older ones in ``Origin``. A request with a cookie and
    neither header is rejected: browsers do not send it, and programs use a token.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    if origin is None:
        return "cookie" not in headers
    return bool(host) and urlsplit(origin).netloc.lower() == host.lower()


class HeadMiddleware:
    """Answers HEAD as the routes answer GET, with the same status and headers; a stream ends at once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        has_answered = False

        async def headers_only(message: Message) -> None:
            nonlocal has_answered
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                has_answered = True

        async def received() -> Message:
            return {"type": "http.disconnect"} if has_answered else await receive()

        scope["method"] = "GET"
        try:
            await self._app(scope, received, headers_only)
        finally:
            scope["method"] = "HEAD"  # in the log and the metrics
