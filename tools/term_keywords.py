"""Write the typed keywords of ``Campaign.create`` from the declared terms: ``python tools/term_keywords.py``."""

from __future__ import annotations

import json
from pathlib import Path

from thresher.terms import OFFERED, Term

TARGET = Path(__file__).parent.parent / "src" / "thresher" / "campaign" / "term_keywords.py"
HEAD = '''"""The terms of a campaign as keywords, for editors and type checkers.

Generated from thresher.terms by tools/term_keywords.py; do not edit.
"""

from typing import Literal, TypedDict


class TermKeywords(TypedDict, total=False):
    """The terms of :meth:`thresher.Campaign.create`."""

'''


def type_of(term: Term) -> str:
    """Return the annotation of a term."""
    if term.choices:
        return f"Literal[{', '.join(map(json.dumps, term.choices))}]"
    return "str | float" if term.or_number or term.is_rate else term.kind.__name__


def line_of(term: Term) -> str:
    """Return the lines of a term; a help sentence stays on one line, as editors show it."""
    about = f'    """{term.help}"""'
    return f"    {term.name}: {type_of(term)}\n{about}{'  # noqa: E501' if len(about) > 120 else ''}\n"


def generated() -> str:
    """Return what the file should hold."""
    return HEAD + "".join(map(line_of, OFFERED))


if __name__ == "__main__":
    TARGET.write_text(generated(), encoding="utf-8")
