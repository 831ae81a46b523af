"""The log of requests, and metrics for Prometheus."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from datetime import UTC, datetime
from typing import Any

from fastapi.routing import iter_route_contexts
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("thresher.service")
# A token, a session or a one-time code; a client may send one by mistake, for example as a name.
SECRET = re.compile(r"thresher_[0-9a-f]{12}_[\w-]{43}|[0-9A-Za-z]{4}(?:-[0-9A-Za-z]{4}){3}(?![0-9A-Za-z-])")


class JsonLines(logging.Formatter):
    """Formats records as JSON lines, in ASCII and without secrets: no name can forge a line or control a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line of JSON."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return SECRET.sub("[secret]", json.dumps(line))


class PlainLines(logging.Formatter):
    """Formats records as readable lines: time, request, status and milliseconds; printable, no secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line, followed by its traceback if it has one."""
        facts: dict[str, Any] = dict(getattr(record, "facts", {}))
        words = [datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")]
        if record.levelno >= logging.WARNING:
            words.append(record.levelname.lower())
        if record.getMessage() == "request":
            words += [str(facts.pop("status")), f"{facts.pop('method'):<6}", str(facts.pop("route"))]
            words.append(f"{facts.pop('ms'):g} ms")
        else:
            words.append(record.getMessage())
        words += [f"{key}={value}" for key, value in facts.items()]
        line = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in "  ".join(words))
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return SECRET.sub("[secret]", line)


def log_to_stderr(level: str = "info") -> None:
    """Write the log of the service to standard error: readable lines on a terminal, JSON lines elsewhere."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines() if sys.stderr.isatty() else JsonLines())
    for name in ("thresher.service", "uvicorn.error", "psycopg"):  # the driver warns of an unavailable database
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        # Not the start-up messages of the server, nor a line for each connection that the driver's pool gives out.
        logger.setLevel(level.upper() if name == "thresher.service" else "WARNING")


class Metrics:
    """The metrics for Prometheus."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("thresher_requests", "Requests answered.", labels, registry=self.registry)
        self.seconds = Histogram(
            "thresher_request_seconds",
            "Time from request to response, without streams and long polls.",
            ("route",),
            registry=self.registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )
        self.tickets = Counter("thresher_tickets", "Tickets issued.", registry=self.registry)
        self.outcomes = Counter("thresher_outcomes", "Outcomes recorded, without repeats.", registry=self.registry)
        self.watchers = Gauge("thresher_watchers", "Open streams and waiting workers.", registry=self.registry)


class RequestLogMiddleware:
    """Logs every request with the pattern of its route, without query, headers and body."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, seconds = time.perf_counter(), 500, 0.0

        async def noted(message: Message) -> None:
            nonlocal status, seconds
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)
            seconds = time.perf_counter() - started  # up to the last part of the response

        try:
            await self._app(scope, receive, noted)
        finally:
            self._note(scope, status, seconds)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = _route_of(scope), _known(scope["method"])
        self._metrics.requests.labels(method, route, status).inc()
        state = scope.get("state", {})
        if not state.get("waits"):
            self._metrics.seconds.labels(route).observe(seconds)
        caller = state.get("caller")
        facts = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 2)}
        facts |= {"campaign": scope.get("path_params", {}).get("campaign"), "token": caller and caller.token}
        level = logging.WARNING if status >= 500 else logging.INFO
        log.log(level, "request", extra={"facts": {key: value for key, value in facts.items() if value is not None}})


def _route_of(scope: Scope) -> str:
    """Return the pattern of the route, also of a request that was refused before it got there."""
    if "route" in scope or "app" not in scope:
        return getattr(scope.get("route"), "path_format", "none")
    found = (each for each in iter_route_contexts(scope["app"].routes) if each.path_regex)
    return next((each.path_format for each in found if each.path_regex.match(scope["path"])), None) or "none"


def _known(method: str) -> str:
    """Return a method, or OTHER for an unknown one, which must not become a label of a metric."""
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "OTHER"
