"""How many are wanted: tickets of an ask, lines of the history."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInputError
from thresher.problem.numbers import whole
from thresher.terms import rule_of

MOST_TICKETS = 10_000
MOST_EVENTS = 2**53  # whole numbers beyond this are not the same in every language


def tickets_of(n: Any) -> int:
    """Return how many tickets are asked for, from 1 to 10,000."""
    return _whole("n", n, least=1, most=MOST_TICKETS)


def lines_of(after: Any, limit: Any) -> tuple[int, int | None]:
    """Return after which event the wanted lines of the history begin (0 or more), and their largest number if any."""
    first = _whole("after", after, least=0, most=MOST_EVENTS)
    return first, None if limit is None else _whole("limit", limit, least=1, most=MOST_EVENTS)


def _whole(where: str, value: Any, *, least: int, most: int) -> int:
    """Return a whole number within its limits, else raise InvalidInputError."""
    number = whole(value)
    if number is None or not least <= number <= most:
        rule = "must be a whole number" if number is None else rule_of({"ge": least, "le": most})
        raise InvalidInputError(where, value, rule=rule)
    return number
