"""Validation of sizes: the number of tickets of an ask, the range of the history."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInputError
from thresher.problem.numbers import whole
from thresher.terms import rule_of

MOST_TICKETS = 10_000
MOST_EVENTS = 2**53  # larger integers are not exact in every language


def ticket_count(n: Any) -> int:
    """Return the number of tickets of an ask, from 1 to 10,000."""
    return _whole("n", n, least=1, most=MOST_TICKETS)


def history_range(after: Any, limit: Any) -> tuple[int, int | None]:
    """Return the event (0 or more) after which a page of the history starts, and its largest size or None."""
    first = _whole("after", after, least=0, most=MOST_EVENTS)
    return first, None if limit is None else _whole("limit", limit, least=1, most=MOST_EVENTS)


def _whole(where: str, value: Any, *, least: int, most: int) -> int:
    """Return a whole number within its limits, or raise InvalidInputError."""
    number = whole(value)
    if number is None or not least <= number <= most:
        rule = "must be a whole number" if number is None else rule_of({"ge": least, "le": most})
        raise InvalidInputError(where, value, rule=rule)
    return number
