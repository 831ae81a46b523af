"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = (0,)) -> str:
    """Return rows as a Markdown table; columns are right-aligned except those in `left`.

    Parameters
    ----------
    headers : sequence of str
    rows : sequence of sequence of str
        Each as long as the headers.
    left : sequence of int
        Numbers of the columns of text.
    """
    rule = [":---" if i in left else "---:" for i in range(len(headers))]
    lines = [headers, rule, *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
