"""How many are wanted: tickets of an ask, lines of the history."""

from __future__ import annotations

from typing import Any

from thresher.campaign import whole
from thresher.errors import InvalidProblemError

MOST_TICKETS = 10_000
MOST_EVENTS = 2**53  # whole numbers beyond this are not the same in every language


def tickets_of(n: Any) -> int:
    """Return how many tickets are asked for.

    Raises
    ------
    InvalidProblemError
        If it is no whole number from 1 to 10,000.
    """
    number = whole(n)
    if number is None or not 1 <= number <= MOST_TICKETS:
        given = repr(n)[:40] if number is None else "too many" if number > 0 else "no"
        raise InvalidProblemError(f"{given} tickets", instead=f"ask for 1 to {MOST_TICKETS}")
    return number


def lines_of(after: Any, limit: Any) -> tuple[int, int | None]:
    """Return after which event the wanted lines of the history begin, and how many they are at most.

    Raises
    ------
    InvalidProblemError
        If the first is no whole number from 0 on, or the second none from 1 on.
    """
    first, most = whole(after), whole(limit)
    if first is None or not 0 <= first <= MOST_EVENTS:
        raise InvalidProblemError("a history that begins nowhere", instead="give the number of an event, from 0 on")
    if limit is not None and (most is None or not 1 <= most <= MOST_EVENTS):
        raise InvalidProblemError("a limit of no lines", instead="give a whole number from 1 on, or none")
    return first, most
