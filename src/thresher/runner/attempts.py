"""A measurement with retries and a rate limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import limits
import limits.storage
import limits.strategies
import stamina

from thresher.campaign import Terms, outcome_of
from thresher.errors import InvalidInputError, InvalidOutcomeError
from thresher.runner.measurement import Measured, Measurement, Unmeasured

FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0  # seconds between attempts, growing


class Attempts:
    """Measures with retries and a rate limit; used from several threads at once.

    An attempt without an outcome is not an observation: nothing of it is told.

    Parameters
    ----------
    measurement : Measurement
    retries : int
        Attempts after the first one.
    rate : str
        ``30/minute`` or the like, retries included; empty for as fast as it goes.
    terms : Terms, optional
        An outcome that does not fit them is none; it is tried again too.

    Raises
    ------
    InvalidInputError
        If the rate cannot be read.
    """

    def __init__(self, measurement: Measurement, *, retries: int, rate: str = "", terms: Terms | None = None) -> None:
        self._measurement, self._retries, self._terms = measurement, retries, terms
        self._rate = rate_of(rate) if rate else None
        self._limiter = limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())
        self._stopped = threading.Event()

    def measure(self, arm: str, parameters: Mapping[str, Any]) -> Measured:
        """Return the first outcome that comes.

        Raises
        ------
        Unmeasured
            If no attempt has one; the reason is that of the last.
        """
        for attempt in stamina.retry_context(
            on=self._again, attempts=self._retries + 1, timeout=None, wait_initial=FIRST_WAIT, wait_max=LONGEST_WAIT,
            wait_jitter=FIRST_WAIT,
        ):  # fmt: skip
            with attempt:
                self._wait_for_turn()
                measured = self._measurement.measure(arm, parameters)
                self._check(measured.value)
                return measured
        raise AssertionError("an attempt returns or raises")

    def _check(self, value: float) -> None:
        try:
            if self._terms is not None:
                outcome_of(self._terms, value)
        except InvalidOutcomeError as error:
            raise Unmeasured(f"gave an outcome that cannot be: {error}") from error

    def _again(self, error: Exception) -> bool:
        return isinstance(error, Unmeasured) and error.again and not self._stopped.is_set()

    def _wait_for_turn(self) -> None:
        while self._rate is not None and not self._limiter.hit(self._rate):
            wait = self._limiter.get_window_stats(self._rate).reset_time - time.time()
            if self._stopped.wait(min(max(wait, 0.01), 1.0)):
                raise Unmeasured("was stopped", again=False)

    def stop(self) -> None:
        """End what is under way, at once."""
        self._stopped.set()
        self._measurement.stop()


def rate_of(rate: str) -> limits.RateLimitItem:
    """Return a limit such as ``30/minute``.

    Raises
    ------
    InvalidInputError
        If the text is none.
    """
    try:
        return limits.parse(rate)
    except ValueError as error:
        raise InvalidInputError("rate", rate, rule="must be written as 30/minute or 2/second") from error
