"""What a server is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.errors import InvalidInputError

API = "/api/v1"
LONGEST_REQUEST = 3600  # seconds
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a server is told when it starts.

    Parameters
    ----------
    hosts : tuple of str
        Names in the ``Host`` header to which it answers, without ports; this stops DNS rebinding.
    secure : bool
        Whether browsers reach it over TLS; its cookie then never travels in clear.
    body_limit : int
        Bytes of the largest body that is read.
    pause : float
        Seconds between two looks at a campaign that is watched.
    logins_per_minute : int
        From one address.
    request_timeout : float
        Seconds in which a connection must send a complete request, from its start or from the end of the last answer.
    max_connections : int
        Connections at the same time; at most half of the file descriptors that the process may have.

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
