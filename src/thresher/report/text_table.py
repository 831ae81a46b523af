"""Tables as plain text, for ``print`` in Python."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.number_text import amount

GUTTER = "  "
RESEARCH_DIGITS = 4  # of a simulation, whose runs give more than outcomes do


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return rows as lines of aligned columns: the first `left` columns are words, the others numbers."""
    lines = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        GUTTER.join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def text_cell(value: str | float) -> str:
    """Return a text, or a number to four significant digits."""
    return value if isinstance(value, str) else amount(value, RESEARCH_DIGITS)
