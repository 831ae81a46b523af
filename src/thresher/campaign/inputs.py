"""Validation of input: names, keys and reasons that every database can store and every page can show, and sizes."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from thresher.campaign.ledger import Terms, number_of, outcome_of
from thresher.errors import InvalidInputError
from thresher.problem import broken_rule, whole
from thresher.terms import MOST_REPEATS, rule_of

LONGEST_KEY = LONGEST_REASON = 200
LONGEST_BATCH = 64
MOST_TICKETS = 10_000
MOST_EVENTS = 2**53  # larger integers are not exact in every language
ARTICLES = {"arm": "an arm", "past arm": "a past arm", "campaign": "a campaign", "item": "an item"}


def text_of(what: str, text: Any, *, longest: int | None = None) -> str:
    """Return a text that can be stored, sent and shown.

    Parameters
    ----------
    what : str
        The name of the field, for the message: ``key``, ``reason``, ``name``.
    text : str
    longest : int, optional
        Largest number of characters.

    Raises
    ------
    InvalidInputError
        If it is not text, is too long, or has characters that UTF-8 cannot encode (lone surrogates, from a terminal
        with another encoding) or that PostgreSQL cannot store (NUL).
    """
    if not isinstance(text, str):
        raise InvalidInputError(what, text, rule="must be text")
    if longest is not None and len(text) > longest:
        raise InvalidInputError(what, text, rule=f"must have at most {longest} characters, not {len(text)}")
    # Printable text has neither; so almost no text is checked character by character.
    if not text.isprintable() and any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidInputError(what, text, rule="must be valid UTF-8 without NUL")
    return text


def key_of(key: Any) -> str | None:
    """Return an idempotency key; None if none is given."""
    return None if key is None else text_of("key", key, longest=LONGEST_KEY)


def batch_of(batch: Any) -> str | None:
    """Return the id of an import; None if none is given."""
    return None if batch is None else text_of("batch", batch, longest=LONGEST_BATCH)


def reason_of(reason: Any) -> str:
    """Return the reason of a change."""
    return text_of("reason", reason, longest=LONGEST_REASON)


def lookup_name(what: str, name: Any) -> str:
    """Return the name of an arm, an item or a campaign to look up.

    Raises
    ------
    InvalidInputError
        If it cannot be a name.
    """
    if not isinstance(name, bool) and isinstance(name, Integral):
        name = str(name)
    return text_of(f"name of {ARTICLES[what]}", name)


def name_of(what: str, given: Any) -> str:
    """Return the name of a new arm, item or campaign; an arm or an item has no leading or trailing blanks.

    Raises
    ------
    InvalidInputError
        If it is empty or invisible, is longer than 500 characters, or has control characters.
    """
    name, where = str(lookup_name(what, given)), f"name of {ARTICLES[what]}"  # not a subclass, such as NumPy's
    name = name if what == "campaign" else name.strip(" \t")
    if what == "campaign" and name in (".", ".."):
        # HTTP clients remove them from a URL before they send it, percent-encoded or not.
        raise InvalidInputError(where, name, rule="must not be '.' or '..', which cannot be part of a URL")
    if rule := broken_rule(name):
        raise InvalidInputError(where, name, rule=rule)
    return name


def ticket_count(n: Any) -> int:
    """Return the number of tickets of an ask, from 1 to 10,000."""
    return _whole("n", n, least=1, most=MOST_TICKETS)


def repeat_of(repeat: Any) -> int:
    """Return for which time an arm was asked an item: 1 unless given."""
    return 1 if repeat is None else _whole("repeat", repeat, least=1, most=MOST_REPEATS)


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


def amended_value(terms: Terms, value: Any, n: Any) -> float:
    """Return the new outcome of a pull, or the new sum of an aggregate of `n` outcomes."""
    return outcome_of(terms, value) if n is None else number_of(value)
