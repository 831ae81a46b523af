"""Tables as plain text, for ``print`` in Python."""

from __future__ import annotations

import math
from collections.abc import Sequence

GUTTER = "  "


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
    """Return a value to four significant digits, large ones with one decimal; a dash for NaN."""
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "–"
    return f"{value:,.1f}".removesuffix(".0") if abs(value) >= 1000 else f"{value:.4g}"
