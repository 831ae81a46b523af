"""Retries with exponential backoff and jitter that leave Python's global random generator alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import SystemRandom
from typing import TypeVar

import stamina

JITTER = SystemRandom()  # the state of the global generator belongs to the program that uses a campaign
MOST_DOUBLINGS = 60

Answer = TypeVar("Answer")


def with_retries(
    call: Callable[[], Answer],
    should_retry: Callable[[Exception], bool | float],
    *,
    attempts: int | None,
    first: float,
    longest: float,
    jitter: float,
    timeout: float | None = None,
) -> Answer:
    """Return the result of a call, or raise the error of its last attempt.

    Parameters
    ----------
    call : callable
    should_retry : callable
        Returns whether to try again after an exception, or the seconds after which to do it.
    attempts : int or None
        At most; None for no limit.
    first, longest : float
        Seconds before the second attempt, which double from then on, and their maximum.
    jitter : float
        Seconds, at most, that are added at random.
    timeout : float, optional
        Seconds after which there are no more attempts.
    """
    failures = itertools.count()

    def delay(error: Exception) -> bool | float:
        answer = should_retry(error)
        if answer is not True:
            return answer
        doubled = first * 2.0 ** min(next(failures), MOST_DOUBLINGS)
        return min(longest, doubled + JITTER.uniform(0.0, jitter))

    for attempt in stamina.retry_context(on=delay, attempts=attempts, timeout=timeout):
        with attempt:
            return call()
    raise AssertionError("an attempt returns or raises")
