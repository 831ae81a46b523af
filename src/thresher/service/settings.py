"""Settings of a server."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.errors import InvalidInputError

API = "/api/v1"
LONGEST_REQUEST = 3600  # seconds
HIGHEST_RATE = 100_000  # requests per second
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a server.

    Parameters
    ----------
    hosts : tuple of str
        Allowed names in the ``Host`` header, without ports; this prevents DNS rebinding.
    secure : bool
        Whether browsers reach it over TLS; then its cookie is sent over TLS only.
    body_limit : int
        Largest body, in bytes.
    pause : float
        Seconds between two polls of a campaign that is watched.
    logins_per_minute : int
        From one address.
    token_rate : int
        Requests of one token in a second, with its sessions; 0 for no limit.
    address_rate : int
        Requests without a valid token from one address in a second; 0 for no limit.
    request_timeout : float
        Seconds in which a client must send a complete request, from its start or from the end of the last response.
    max_connections : int
        Concurrent connections; at most half of the file descriptors that the process may open.

    Raises
    ------
    InvalidInputError
        If a rate, `request_timeout` or `max_connections` is out of range.
    """

    hosts: tuple[str, ...] = LOOPBACK
    secure: bool = False
    body_limit: int = 1_000_000
    pause: float = 0.25
    logins_per_minute: int = 10
    token_rate: int = 500
    address_rate: int = 100
    request_timeout: float = 10.0
    max_connections: int = 512

    def __post_init__(self) -> None:
        if not 0 < self.request_timeout <= LONGEST_REQUEST:
            rule = f"must be above 0 and at most {LONGEST_REQUEST} seconds"
            raise InvalidInputError("request_timeout", self.request_timeout, rule=rule)
        for rate in ("token_rate", "address_rate"):
            if not 0 <= (given := getattr(self, rate)) <= HIGHEST_RATE:
                rule = f"must be a number of requests per second from 0 (no limit) to {HIGHEST_RATE}"
                raise InvalidInputError(rate, given, rule=rule)
        if self.max_connections < 1:
            raise InvalidInputError("max_connections", self.max_connections, rule="must be at least 1")
