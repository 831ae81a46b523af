"""A measurement with retries and a rate limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import limits
import limits.storage
import limits.strategies

from thresher.campaign import with_retries
from thresher.campaign.ledger import Terms, cost_of, outcome_of
from thresher.errors import InvalidInputError, InvalidOutcomeError
from thresher.run.measurement import Measured, Measurement, MeasurementError

FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0  # seconds between attempts, growing


class Attempts:
    """Measures with retries and a rate limit; used from several threads at once.

    An attempt without an outcome is not an observation and is not told; at most `retries` more follow the first one. An
    attempt whose outcome the `terms` do not allow has failed, too, and so has one with an invalid cost. The `rate` is
    such as ``30/minute`` and includes retries; if it is empty, the rate is not limited.
    """

    def __init__(self, measurement: Measurement, *, retries: int, rate: str = "", terms: Terms | None = None) -> None:
        self.measurement, self._retries, self._terms = measurement, retries, terms
        self._rate = rate_of(rate) if rate else None
        self._limiter = limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())
        self._stopped = threading.Event()

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        """Return the outcome of the first attempt that has one, or raise the MeasurementError of the last one."""
        once = partial(self._measure_once, arm, parameters, item, repeat)
        waits = {"first": FIRST_WAIT, "longest": LONGEST_WAIT, "jitter": FIRST_WAIT}
        return with_retries(once, self._should_retry, attempts=self._retries + 1, **waits)

    def _measure_once(self, arm: str, parameters: Mapping[str, Any], item: str | None, repeat: int | None) -> Measured:
        self._wait_for_rate_limit()
        # A measurement of a campaign without repeats need not take the last argument.
        measured = self.measurement.measure(arm, parameters, item, *(() if repeat is None else (repeat,)))
        try:
            cost_of(measured.cost, self._terms)
            if self._terms is not None:
                outcome_of(self._terms, measured.value)
        except InvalidInputError as error:
            raise MeasurementError(f"has an invalid cost: {error}") from error
        except InvalidOutcomeError as error:
            raise MeasurementError(f"returned an invalid outcome: {error}") from error
        return measured

    def _should_retry(self, error: Exception) -> bool:
        return isinstance(error, MeasurementError) and error.is_retryable and not self._stopped.is_set()

    def _wait_for_rate_limit(self) -> None:
        while self._rate is not None and not self._limiter.hit(self._rate):
            wait = self._limiter.get_window_stats(self._rate).reset_time - time.time()
            if self._stopped.wait(min(max(wait, 0.01), 1.0)):
                raise MeasurementError("was stopped", is_retryable=False)

    def stop(self) -> None:
        """Stop running measurements at once."""
        self._stopped.set()
        self.measurement.stop()


def rate_of(rate: str) -> limits.RateLimitItem:
    """Return the rate limit that a text such as ``30/minute`` describes, or raise InvalidInputError."""
    try:
        found = limits.parse(rate)
    except ValueError as error:
        raise InvalidInputError("rate", rate, rule="must be written as 30/minute or 2/second") from error
    if found.amount < 1:
        raise InvalidInputError("rate", rate, rule="must be at least 1, as in 1/minute")
    return found
