"""Limits on connections: their number, and the time to send a request."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from thresher.number_text import exact
from thresher.service.problem_details import problem_response
from thresher.service.request_log import log

CALM = 60.0  # seconds without a shortage after which the next one is logged again
PAUSE = 0.1  # seconds between a failed accept and the next one


class Shortage:
    """Logs a shortage of a resource, and what the server does about it, once while it lasts."""

    def __init__(self, message: str) -> None:
        self._message, self._until = message, 0.0

    def note(self, **facts: Any) -> None:
        """Log the shortage, unless it was noted within the last minute."""
        now = time.monotonic()
        if now > self._until:
            log.warning(self._message, extra={"facts": facts})
        self._until = now + CALM


class Connections:
    """The connections of a server, and which of them wait for their client.

    One above the `limit` closes the one that has waited longest, or itself if all others are being answered. A client
    has `timeout` seconds to send a complete request, or to read a response.
    """

    def __init__(self, *, limit: int, timeout: float) -> None:
        self.limit, self.timeout = limit, timeout
        self._waiting: dict[Connection, asyncio.TimerHandle] = {}  # longest first
        self._shortage = Shortage("connection limit reached: closing connections that wait for their client")

    def wait(self, connection: Connection) -> None:
        """Record that a connection waits for its client, and start its timeout."""
        self.leave(connection)
        self._waiting[connection] = connection.loop.call_later(self.timeout, connection.time_out)

    def leave(self, connection: Connection) -> None:
        """Record that a connection no longer waits, and cancel its timeout."""
        if (timer := self._waiting.pop(connection, None)) is not None:
            timer.cancel()

    def check_limit(self, count: int) -> None:
        """Close the connection that has waited longest if `count` exceeds the limit."""
        if count > self.limit:
            self._shortage.note(limit=self.limit)
            self._close_longest(1)

    def close_half(self) -> None:
        """Close half of the connections that wait, those that have waited longest."""
        self._close_longest((len(self._waiting) + 1) // 2)

    def _close_longest(self, count: int) -> None:
        for connection in list(islice(self._waiting, count)):
            connection.transport.abort()
            self.leave(connection)


class Connection(H11Protocol):
    """A connection with a timeout for its client to send a complete request, header and body, or to read.

    uvicorn ends a connection that is idle between two requests. It has no timeout for the first request, for the
    rest of one that has begun, or for a client that does not read.
    """

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all = connections

    @property
    def _is_clients_turn(self) -> bool:
        """Whether the server waits for the client to send a request or to read a response."""
        is_incomplete = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        return is_incomplete or self.flow.write_paused or self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._all.wait(self)
        self._all.check_limit(len(self.connections))

    def data_received(self, data: bytes) -> None:
        """Read data without restarting the timeout."""
        super().data_received(data)
        if not self._is_clients_turn:
            self._all.leave(self)

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the client to read the last response."""
        super().on_response_complete()
        if self._is_clients_turn:
            self._all.wait(self)

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._all.wait(self)

    def resume_writing(self) -> None:
        """Continue with the response."""
        super().resume_writing()
        if not self._is_clients_turn:
            self._all.leave(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        self._all.leave(self)
        super().connection_lost(exc)

    def time_out(self) -> None:
        """Close the connection, after a response to a request that has begun."""
        if self.transport.is_closing() or self.flow.write_paused:
            self.transport.abort()  # the client does not read
            return
        self._all.wait(self)  # again: the application has stopped reading, or the client has to read the response
        if not self.flow.read_paused:
            self._refuse_incomplete_request()
            self.transport.close()

    def _refuse_incomplete_request(self) -> None:
        has_begun = self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]
        if not has_begun or self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        answer = problem_response(
            408, f"The request was not complete after {exact(self._all.timeout)} seconds; send it faster."
        )
        headers = [*answer.raw_headers, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
            h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")


async def accept(listener: socket.socket, connections: Connections, protocol: Callable[[], Connection]) -> None:
    """Accept connections until cancelled; pause while there is no file descriptor for another one.

    asyncio's own server retries up to the length of the backlog, and logs every failure.
    """
    shortage = Shortage("cannot accept connections: closing some that wait for their client")
    loop = asyncio.get_running_loop()
    while True:
        try:
            accepted, _ = await loop.sock_accept(listener)
            await loop.connect_accepted_socket(protocol, accepted)
        except ConnectionAbortedError:
            continue  # the client disconnected before it was accepted
        except OSError as error:
            shortage.note(error=error.strerror)
            connections.close_half()
            await asyncio.sleep(PAUSE)


def connection_limit(wanted: int) -> int:
    """Return the limit of connections: `wanted`, or half of the file descriptors if that is fewer.

    The other half is for the database and its threads.
    """
    if sys.platform == "win32":
        return wanted
    import resource

    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = wanted if descriptors == resource.RLIM_INFINITY else min(wanted, max(descriptors // 2, 1))
    if limit < wanted:
        log.warning(
            "fewer connections than configured: the limit of open files is too low",
            extra={"facts": {"wanted": wanted, "limit": limit, "descriptors": descriptors}},
        )
    return limit
