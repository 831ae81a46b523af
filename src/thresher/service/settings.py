"""What a server is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass

API = "/api/v1"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a server is told when it starts.

    Parameters
    ----------
    hosts : tuple of str
        Names in the ``Host`` header to which it answers, without ports: nobody can point a name of their own at it.
    secure : bool
        Whether browsers reach it over TLS; its cookie then never travels in clear.
    body_limit : int
        Bytes of the largest body that is read.
    pause : float
        Seconds between two looks at a campaign that somebody watches.
    logins_per_minute : int
        From one address.
    """

    hosts: tuple[str, ...] = LOOPBACK
    secure: bool = False
    body_limit: int = 1_000_000
    pause: float = 0.25
    logins_per_minute: int = 10
