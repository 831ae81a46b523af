"""Validation of the names of arms and campaigns."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 500
INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")  # categories of invisible characters


def broken_rule(name: str) -> str:
    """Return the rule that a name violates, or an empty text."""
    if not 0 < len(name) <= LONGEST_NAME:
        return f"must have 1 to {LONGEST_NAME} characters"
    if name.isprintable() and not name.isspace():
        return ""
    kinds = [unicodedata.category(letter) for letter in name]
    if "Cs" in kinds:
        return "must be text in UTF-8"
    if "Cc" in kinds:
        return "must be one line without control characters"
    return "must have a visible character" if all(kind in INVISIBLE for kind in kinds) else ""
