"""The server process: uvicorn with limits on connections, and a shutdown that ends long polls."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType

import uvicorn
from fastapi import FastAPI

from thresher.errors import StorageUnavailableError
from thresher.service.connections import Connection, Connections, accept, connection_limit
from thresher.service.settings import LONGEST_REQUEST, Settings

BACKLOG = 2048  # connections that the kernel keeps until they are accepted
SWITCH = 0.0005  # seconds a thread may compute before another one runs; with Python's 0.005 a verify slows down asks
GRACE = 10  # seconds for running requests to finish during a shutdown


class Server(uvicorn.Server):
    """A server for an application of :func:`thresher.service.create_app`.

    It listens on a host and a port, of which 0 is any free one, and calls `when_ready` with the port once it does.
    Raise StorageUnavailableError if it cannot.
    """

    def __init__(
        self, app: FastAPI, *, host: str, port: int, when_ready: Callable[[int], None] = lambda _: None
    ) -> None:
        self._app, self._when_ready = app, when_ready
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        self._accepting: asyncio.Task[None] | None = None
        # Without uvicorn's access log, which has addresses and queries; RequestLogMiddleware writes one without them.
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=LONGEST_REQUEST,  # Connection ends it sooner
        )
        super().__init__(config)

    def serve_until_stopped(self) -> None:
        """Serve until a signal arrives; finish running requests."""
        sys.setswitchinterval(SWITCH)
        self.run(sockets=[self._socket])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002
        """Start listening, and call `when_ready`."""
        await super().startup(sockets=[])  # not uvicorn's own listening: see accept()
        if self.started:
            self._socket.setblocking(False)
            self._socket.listen(BACKLOG)
            self._accepting = asyncio.create_task(self._accept())
            self._when_ready(self.port)

    async def _accept(self) -> None:
        state = self._app.state
        settings: Settings = state.settings
        state.requests.connections = state.streams.connections = limit = connection_limit(settings.max_connections)
        connections = Connections(limit=limit, timeout=settings.request_timeout)
        given = {"config": self.config, "server_state": self.server_state, "app_state": self.lifespan.state}
        await accept(self._socket, connections, partial(Connection, connections, **given))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections and finish running requests."""
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.wait([self._accepting])
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Finish running requests and stop; a second Ctrl-C stops at once.

        uvicorn's method raises the signal again at the end, but a shutdown on request is not a failure.
        """
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.stop()

    def stop(self) -> None:
        """Stop the server and end its streams and long polls, which would not end otherwise; thread-safe."""
        self._app.state.watch.stop()
        self.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # IPPROTO_TCP explicitly: otherwise asyncio does not set TCP_NODELAY, and each response waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise StorageUnavailableError(
            f"cannot listen on {host}, port {port}: {error.strerror}", instead="choose another with --port"
        ) from error
    return listener
