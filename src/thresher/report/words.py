"""Format sentences."""

from __future__ import annotations


def sentence_case(text: str) -> str:
    """Return a text with a capital letter at its beginning."""
    return f"{text[:1].upper()}{text[1:]}"


def sentence_of(text: str) -> str:
    """Return an error or a note as a sentence: capitalised, with a full stop."""
    return f"{sentence_case(text)}{'' if text.endswith(('.', '?', '…')) else '.'}"
