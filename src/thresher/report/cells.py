"""The cells of a table of arms in HTML, with the decimal points of a column aligned."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.report.columns import Column, View
from thresher.report.decision_rows import HasDecision

FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"  # the width of a digit and of a decimal point


def cells_of(columns: Sequence[Column], rows: Sequence[HasDecision], view: View) -> list[list[str]]:
    """Return the cells of each row, aligned by column."""
    texts = [_column(column, rows, view) for column in columns]
    return [list(row) for row in zip(*texts, strict=True)]


def _column(column: Column, rows: Sequence[HasDecision], view: View) -> list[str]:
    """Return the cells of a column; if they are aligned, the last number of each is."""
    texts = [column.cell(row, view) for row in rows]
    if not column.is_aligned:
        return texts
    ends = aligned([text.rpartition(" ")[2] for text in texts])
    return ["".join(text.rpartition(" ")[:2]) + end for text, end in zip(texts, ends, strict=True)]


def aligned(texts: Sequence[str]) -> list[str]:
    """Return the texts of a right-aligned column, padded to align their decimal points."""
    decimals = [len(text.partition(".")[2]) for text in texts]
    most = max(decimals, default=0)
    return [text + _padding(mine, most) for text, mine in zip(texts, decimals, strict=True)]


def _padding(mine: int, most: int) -> str:
    point = POINT_SPACE if most and not mine else ""
    return point + FIGURE_SPACE * (most - mine)
