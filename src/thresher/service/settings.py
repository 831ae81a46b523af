"""Settings of a server."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.errors import InvalidInputError

API = "/api/v1"
LONGEST_REQUEST = 3600  # seconds
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
    request_timeout : float
        Seconds in which a client must send a complete request, from its start or from the end of the last response.
    max_connections : int
        Concurrent connections; at most half of the file descriptors that the process may open.

    Raises
    ------
    InvalidInputError
        If `request_timeout` or `max_connections` is out of range.
    """

    hosts: tuple[str, ...] = LOOPBACK
    secure: bool = False
    body_limit: int = 1_000_000
    pause: float = 0.25
    logins_per_minute: int = 10
    request_timeout: float = 10.0
    max_connections: int = 512

    def __post_init__(self) -> None:
        if not 0 < self.request_timeout <= LONGEST_REQUEST:
            rule = f"must be above 0 and at most {LONGEST_REQUEST} seconds"
            raise InvalidInputError("request_timeout", self.request_timeout, rule=rule)
        if self.max_connections < 1:
            raise InvalidInputError("max_connections", self.max_connections, rule="must be at least 1")
