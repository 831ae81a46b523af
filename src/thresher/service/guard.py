"""What no request gets past, whatever route it wants: the name of the host, the cross-origin rule, the size of a body.

The cross-origin rule is written by hand because it is the core of the browser's safety: a page of another site may make
a browser send requests to us, with our cookie or from inside our network, and those must not change anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thresher.service.journal import log
from thresher.service.problems import problem
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


class Guard:
    """Lets through what may have been sent by our own pages or by a program, and seals every answer."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Routes see the path as it was sent and decode its parts one by one: a name may have a slash in it.
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
            await problem(*refusal)(scope, receive, sealed)
            return
        try:
            await self._app(scope, receive, sealed)
        except Exception:
            log.exception("fault")
            if has_begun:
                raise  # half an answer must not look like a whole one
            await problem(500, "Something went wrong on our side; the log of the server says what.")(
                scope, receive, sealed
            )

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if host_of(host) not in self._settings.hosts:
            return 421, "This server does not answer to that name; start it with --public-url if it should."
        if method not in SAFE_METHODS and not is_same_origin(headers, host):
            return 403, "A page of another site sent this request."
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length[:20]) > self._settings.body_limit:
            return 413, f"The body is larger than {self._settings.body_limit} bytes; send it in parts."
        return None


def host_of(header: str) -> str:
    """Return the name in a ``Host`` header, without the port."""
    name, colon, port = header.rpartition(":")
    return (name if colon and port.isdigit() else header).lower()


def is_same_origin(headers: Mapping[str, str], host: str) -> bool:
    """Return whether a request comes from our own pages, or from a program other than a browser.

    Browsers say where a request comes from in ``Sec-Fetch-Site``, older ones in ``Origin``. One with a cookie and
    neither of them is refused: no browser sends that, and a program has a token.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    if origin is None:
        return "cookie" not in headers
    return bool(host) and urlsplit(origin).netloc.lower() == host.lower()
