"""What is known of requests afterwards: a line of the log for each, and numbers for Prometheus."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("thresher.service")
# A token, a session or a one-time code, wherever it was sent: in the place of a name, say.
SECRET = re.compile(r"thresher_[0-9a-f]{12}_[\w-]{43}|[0-9A-Za-z]{4}(?:-[0-9A-Za-z]{4}){3}(?![0-9A-Za-z-])")


class JsonLines(logging.Formatter):
    """One JSON object for each line, in ASCII and without secrets: no name can forge a line or steer a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return SECRET.sub("[secret]", json.dumps(line))


def log_to_stderr(level: str = "info") -> None:
    """Write the log of the service to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("thresher.service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level.upper())


class Numbers:
    """The numbers that Prometheus reads."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("thresher_requests", "Requests answered.", labels, registry=self.registry)
        self.seconds = Histogram(
            "thresher_request_seconds",
            "Time from request to answer, streams and long waits left out.",
            ("route",),
            registry=self.registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )
        self.tickets = Counter("thresher_tickets", "Tickets handed out.", registry=self.registry)
        self.outcomes = Counter("thresher_outcomes", "Outcomes taken, repeats left out.", registry=self.registry)
        self.watchers = Gauge("thresher_watchers", "Open streams and waiting workers.", registry=self.registry)


class Journal:
    """Writes down every request by the pattern of its route: no query, no header, no body."""

    def __init__(self, app: ASGIApp, numbers: Numbers) -> None:
        self._app, self._numbers = app, numbers

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
            seconds = time.perf_counter() - started  # of the last part of the answer: what comes after does not count

        try:
            await self._app(scope, receive, noted)
        finally:
            self._note(scope, status, seconds)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = getattr(scope.get("route"), "path_format", "none"), _known(scope["method"])
        self._numbers.requests.labels(method, route, status).inc()
        state = scope.get("state", {})
        if not state.get("waits"):
            self._numbers.seconds.labels(route).observe(seconds)
        caller = state.get("caller")
        facts = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 2)}
        facts |= {"campaign": scope.get("path_params", {}).get("campaign"), "token": caller and caller.token}
        level = logging.WARNING if status >= 500 else logging.INFO
        log.log(level, "request", extra={"facts": {key: value for key, value in facts.items() if value is not None}})


def _known(method: str) -> str:
    """Return a method, or OTHER for an unknown one: it must not become a label."""
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "OTHER"
