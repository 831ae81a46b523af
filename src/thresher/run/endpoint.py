"""A measurement by an HTTP endpoint on this machine."""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from thresher.errors import InvalidInputError
from thresher.run.measurement import LimitedMeasurement, Measured, MeasurementError
from thresher.run.reading import Reading

MOST_OUTPUT = 1_000_000  # bytes of a response that are read


@dataclass(eq=False)
class EndpointMeasurement(LimitedMeasurement):
    """Measures an arm by a POST of ``{"arm": …, "parameters": {…}}`` to an endpoint on this machine.

    Parameters
    ----------
    url : str
        Such as ``http://127.0.0.1:8000/measure``; must be on this machine.
    reading : Reading
        How to read the outcome from the response; a status other than 2xx has none.
    timeout, timeout_outcome, cost : optional
        As in :class:`~thresher.run.measurement.LimitedMeasurement`.

    Raises
    ------
    InvalidInputError
        If the address is not on this machine, or the outcome is the exit code.
    """

    url: str
    reading: Reading

    def __post_init__(self) -> None:
        super().__post_init__()
        self._host, self._port, self._path = _local(self.url)
        if self.reading.kind == "exit":
            raise InvalidInputError(
                "outcome of an HTTP endpoint", "exit", rule="must be json:FIELD, regex:PATTERN, last-line or duration"
            )

    def __str__(self) -> str:
        return self.url

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        """Return the outcome of one request.

        Raises
        ------
        MeasurementError
            If there is no response, it is late or not 2xx, or it contains no number.
        """
        given: dict[str, Any] = {"arm": arm, "parameters": dict(parameters)}
        given |= {key: value for key, value in (("item", item), ("repeat", repeat)) if value is not None}
        started = time.perf_counter()
        try:
            status, body = self._post(json.dumps(given, default=str))
        except TimeoutError:
            return self._timed_out(time.perf_counter() - started)
        except (OSError, http.client.HTTPException) as error:
            raise MeasurementError(f"cannot be reached: {error}", is_retryable=not self._stopped) from error
        seconds = time.perf_counter() - started
        if not 200 <= status < 300:
            raise MeasurementError(f"answered {status}: {body[:200]!r}")
        return self._measured(self.reading.of(body, seconds), seconds, body)

    def _post(self, body: str) -> tuple[int, str]:
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)
        connection.connect()
        line: socket.socket = connection.sock  # kept: http.client drops it when the server closes the connection
        with self._lock:
            self._running.add(line)
        try:
            self._raise_if_stopped()
            connection.request("POST", self._path, body.encode(), {"Content-Type": "application/json"})
            _set_timeout(line, deadline)
            with connection.getresponse() as answer:
                return answer.status, _read(answer, line, deadline)
        finally:
            with self._lock:
                self._running.discard(line)
            connection.close()

    def _end(self, running: socket.socket) -> None:
        with suppress(OSError):
            running.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a response


def _read(answer: http.client.HTTPResponse, line: socket.socket, deadline: float | None) -> str:
    parts: list[bytes] = []
    while sum(map(len, parts)) < MOST_OUTPUT and (part := answer.read1(65_536)):
        parts.append(part)
        _set_timeout(line, deadline)
    return b"".join(parts).decode(errors="replace")


def _set_timeout(line: socket.socket, deadline: float | None) -> None:
    """Set the timeout of the next read or write to the time left until the deadline."""
    if deadline is not None:
        left = deadline - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        line.settimeout(left)


def _local(url: str) -> tuple[str, int, str]:
    """Return host, port and path of an address, which must be on this machine."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
    except ValueError as error:
        raise InvalidInputError("url", url, rule=f"{error}", fix="write http://127.0.0.1:PORT/PATH") from error
    if parts.scheme != "http" or not _is_loopback(host):
        rule = "must be http://127.0.0.1:PORT/PATH, on this machine"
        raise InvalidInputError("url", url, rule=rule, fix="reach other machines by a command")
    return host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
