"""HEAD: the response to GET without its body."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send


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
