"""Texts as they come in: names, keys, reasons. Nothing gets in that a database or a page cannot show again."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from thresher.errors import InvalidInputError, InvalidProblemError
from thresher.problem.names import broken_rule

LONGEST_KEY = LONGEST_REASON = 200
ARTICLES = {"arm": "an arm", "campaign": "a campaign"}


def text_of(what: str, text: Any, *, longest: int | None = None) -> str:
    """Return a text that can be stored, sent and shown.

    Parameters
    ----------
    what : str
        What it is, for the message: ``key``, ``reason``, ``name``.
    text : str
    longest : int, optional
        How many characters it may have.

    Raises
    ------
    InvalidProblemError
        If it is no text, too long, or has letters that no UTF-8 can write (halves of surrogate pairs, as a terminal of
        another encoding gives them) or that PostgreSQL cannot keep (NUL).
    """
    if not isinstance(text, str):
        raise InvalidProblemError(f"a {what} of type {type(text).__name__}", instead="give text")
    if longest is not None and len(text) > longest:
        raise InvalidProblemError(f"a {what} of {len(text)} characters", instead=f"give at most {longest} characters")
    # What is printable has neither; of a million texts hardly one is looked at letter by letter.
    if not text.isprintable() and any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidProblemError(
            f"the {what} {text[:40]!r} is not in UTF-8, or holds a NUL", instead="give text in UTF-8"
        )
    return text


def key_of(key: Any) -> str | None:
    """Return an idempotency key, or None where none is given."""
    return None if key is None else text_of("key", key, longest=LONGEST_KEY)


def reason_of(reason: Any) -> str:
    """Return the reason of a change."""
    return text_of("reason", reason, longest=LONGEST_REASON)


def sought(what: str, name: Any) -> str:
    """Return the name of an arm or of a campaign that is looked for; whether there is one is another question.

    Raises
    ------
    InvalidProblemError
        If nothing can have that name.
    """
    if not isinstance(name, (str, bool)) and isinstance(name, Integral):
        name = str(name)
    if not isinstance(name, str):
        raise InvalidProblemError(f"the name of {ARTICLES[what]} is a {type(name).__name__}", instead="give text")
    return text_of("name", name)


def name_of(what: str, name: Any) -> str:
    """Return the name of a new arm or campaign.

    Raises
    ------
    InvalidProblemError
        If it is empty or shows nothing, is longer than 500 characters, or has characters that no name should have.
    """
    name = sought(what, name)
    if what == "campaign" and name in (".", ".."):
        # Programs take them out of an address before they send it, percent-encoded or not.
        raise InvalidProblemError(f"a campaign named {name!r}", instead="give a name that can stand in an address")
    if rule := broken_rule(name):
        raise InvalidInputError(f"name of {ARTICLES[what]}", name, rule=rule)
    return str(name)
