"""The HTTP client: retries while the service is unavailable, and turns problem documents back into errors."""

from __future__ import annotations

import json
import os
import ssl
import time
from collections.abc import Iterator
from functools import cache, partial
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

import httpx2

from thresher.campaign.backoff import JITTER, with_retries
from thresher.campaign.storage import hide_password
from thresher.campaign.wire import error_of
from thresher.errors import InvalidInputError, StorageUnavailableError

API = "/api/v1"
PATIENCE = 60.0  # seconds of retries while the service is unavailable
FIRST_CONTACT = 3.0  # seconds of retries before the first response: most likely the address is wrong
ROWS_IN_A_CALL = 10_000
LONGEST_POLL = 5.0  # seconds that a long poll waits
KEPT = " !#$&'()*+,-./:;<=>?@[]^_`{|}~"  # characters of a key that are not percent-encoded in a header
MAY_PASS = (429, 502, 503, 504)


class _UnavailableError(Exception):
    """The service did not respond, or responded that it is unavailable."""

    def __init__(
        self, what: str, *, after: float | None = None, is_harmless: bool = False, is_unreached: bool = False
    ) -> None:
        super().__init__(what)
        self.after, self.is_harmless, self.is_unreached = after, is_harmless or is_unreached, is_unreached


class ServiceClient:
    """A client of a service, with its token; thread-safe.

    Parameters
    ----------
    address : str
        ``https://host``, or ``http://127.0.0.1:8000``.
    token : str, optional
        The default is the environment variable ``THRESHER_TOKEN``.
    patience : float
        Seconds of retries while the service is unavailable; three seconds if it has never responded.

    Raises
    ------
    InvalidInputError
        If the address is not an HTTP address.
    """

    def __init__(self, address: str, token: str | None = None, *, patience: float = PATIENCE) -> None:
        parts = _parts(address)
        self._address = address.rstrip("/")
        self._base = self._address + API
        self._is_near = parts.hostname in ("127.0.0.1", "::1", "localhost")
        self._token = (token or os.environ.get("THRESHER_TOKEN", "")).strip()  # a file has a line break at its end
        self._patience = patience
        self._has_answered = False
        self._connect()

    def _connect(self) -> None:
        self._process = os.getpid()
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        self._http = httpx2.Client(
            headers=headers,
            timeout=httpx2.Timeout(30.0, connect=5.0),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
            verify=_certificates(),
            trust_env=not self._is_near,  # no proxy for this machine
        )

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        key: str | None = None,
        wait: float = 0.0,
        is_repeatable: bool = True,
        **query: Any,
    ) -> Any:
        """Return the response to one call; repeat the call while the service is unavailable.

        Parameters
        ----------
        method, path : str
            The path follows ``/api/v1``.
        body : optional
            Sent as JSON.
        key : str, optional
            Idempotency key.
        wait : float
            Seconds of a long poll.
        is_repeatable : bool
            Whether a call may be sent again if its response was lost. A call that did not reach the service is always
            sent again.
        **query
            The query string.

        Raises
        ------
        ThresherError
            The error that the service returned.
        StorageUnavailableError
            If it stays unavailable.
        """
        started = time.monotonic()

        def should_retry(error: Exception) -> bool | float:
            if not isinstance(error, _UnavailableError) or not (is_repeatable or error.is_harmless):
                return False
            if error.is_unreached and not self._has_answered and time.monotonic() - started > FIRST_CONTACT:
                return False
            return True if error.after is None else error.after + JITTER.uniform(0.0, 0.2)  # not all at once

        try:
            send = partial(self._send, method, path, body, key, wait, query)
            return with_retries(
                send, should_retry, attempts=None, timeout=self._patience, first=0.05, longest=2.0, jitter=0.2
            )
        except _UnavailableError as error:
            if error.is_unreached and not self._has_answered:
                what = f"no response from {self._address}: {error}"
                raise StorageUnavailableError(what, instead="check the address, and start the service") from error
            instead = "check that the service runs, then try again"
            raise StorageUnavailableError(f"{self._base}: {error}", instead=instead) from error

    def _send(self, method: str, path: str, body: Any, key: str | None, wait: float, query: dict[str, Any]) -> Any:
        if self._process != os.getpid():
            self._connect()  # connections must not be shared across a fork
        given = {name: value for name, value in query.items() if value is not None} | ({"wait": wait} if wait else {})
        headers = {} if body is None else {"Content-Type": "application/json"}
        headers |= {} if key is None else {"Idempotency-Key": quote(key, safe=KEPT)}
        try:
            answer = self._http.request(
                method,
                self._base + path,
                content=None if body is None else _encode(body),
                params=given,
                headers=headers,
                timeout=httpx2.Timeout(30.0 + wait, connect=5.0),
            )
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise _UnavailableError(str(error) or "no connection", is_unreached=True) from error
        except httpx2.TransportError as error:
            raise _UnavailableError(str(error) or type(error).__name__) from error
        self._has_answered = True
        return _read(answer)

    def pages(
        self,
        path: str,
        rows: str,
        *,
        after: int | None = 0,
        most: int | None = None,
        size: int | None = None,
        **query: Any,
    ) -> Iterator[Any]:
        """Yield the pages of a list after a row, up to the last page or `most` rows."""
        size = size or ROWS_IN_A_CALL
        while after is not None and most != 0:
            page = self.call("GET", path, after=after, limit=min(size, most or size), **query)
            yield page
            after, most = page["next"], None if most is None else most - len(page[rows])

    def close(self) -> None:
        """Close all connections."""
        self._http.close()


def _parts(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        is_one = parts.scheme in ("http", "https") and parts.hostname and not parts.username and not parts.query
    except ValueError:  # half an IPv6 address
        is_one = False
    if not is_one or not address.isprintable():
        raise InvalidInputError("address", hide_password(address), rule="must be an address such as https://host")
    return parts


@cache
def _certificates() -> ssl.SSLContext:
    """Return the TLS context; reading the certificates takes 0.2 s."""
    return httpx2.create_ssl_context()


def _encode(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode("ascii")
    except (TypeError, ValueError) as error:
        raise InvalidInputError("request", body, rule="must contain only finite numbers and valid text") from error


def _read(answer: httpx2.Response) -> Any:
    if answer.status_code in MAY_PASS:
        after = answer.headers.get("retry-after", "")
        seconds = float(after) if after.isdigit() else None
        raise _UnavailableError(f"status {answer.status_code}", after=seconds, is_harmless=answer.status_code == 429)
    try:
        document = answer.json()
    except ValueError:
        document = {}
    if answer.is_success and isinstance(document, dict) and document:
        return document
    raise error_of(answer.status_code, document if isinstance(document, dict) else {})


def path_of(campaign: str, *rest: str) -> str:
    """Return the path of a campaign, or of a resource below it."""
    return "/".join(["/campaigns", quote(campaign, safe=""), *rest])
