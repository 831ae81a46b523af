"""Rate limits: how many requests a token, and an address without a token, may make in a second."""

from __future__ import annotations

from dataclasses import dataclass

import limits
import limits.storage
import limits.strategies
from starlette.requests import Request

from thresher.service.problem_details import RateLimitError


class RateLimit:
    """A number of events in a moving window of a second or a minute, by key; 0 for no limit.

    Each server counts for itself, in memory.
    """

    def __init__(self, most: int, *, per: str = "second") -> None:
        self.most, self.per = most, per
        self._item = limits.parse(f"{max(most, 1)}/{per}")
        self._limiter = limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())

    def hit(self, key: str) -> bool:
        """Count one event; return whether it is allowed. One that is not does not count."""
        return not self.most or self._limiter.hit(self._item, key)

    def allows(self, key: str) -> bool:
        """Return whether another event would be allowed, without counting it."""
        return not self.most or self._limiter.test(self._item, key)


@dataclass(frozen=True)
class RequestRates:
    """The limits on requests: by token, and by address for requests without a valid token."""

    tokens: RateLimit
    addresses: RateLimit

    def count_token(self, token: str) -> None:
        """Count a request of a token; raise RateLimitError if it is one too many."""
        if not self.tokens.hit(token):
            raise RateLimitError(self.tokens.most, "of this token")

    def count_open(self, request: Request) -> None:
        """Count a request that needs no token, by its path, so that probes are not refused because of other paths."""
        if not self.addresses.hit(f"{address_of(request)} {request.scope['path']}"):
            raise RateLimitError(self.addresses.most, "without a token from this address")

    def count_refused(self, request: Request) -> None:
        """Count a request without a valid token."""
        self.addresses.hit(address_of(request))

    def check_address(self, request: Request) -> None:
        """Raise RateLimitError if too many requests without a valid token came from an address."""
        if not self.addresses.allows(address_of(request)):
            raise RateLimitError(self.addresses.most, "without a valid token from this address")


def address_of(request: Request) -> str:
    """Return the address that a request comes from: behind a proxy that of the proxy."""
    return request.client.host if request.client else ""
