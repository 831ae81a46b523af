"""Format sentences."""

from __future__ import annotations


def sentence_case(text: str) -> str:
    """Return a text with a capital letter at its beginning, unless it begins with the name of a file."""
    if set("./_") & set(text.partition(" ")[0].rstrip(".:;,")):
        return text
    return f"{text[:1].upper()}{text[1:]}"


def sentence_of(text: str) -> str:
    """Return an error or a note as a sentence: capitalised, with a full stop."""
    return f"{sentence_case(text)}{'' if text.endswith(('.', '?', '…')) else '.'}"
