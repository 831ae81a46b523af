"""What notebooks show: tables in HTML, and a progress bar."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from thresher.number_text import duration

PATIENCE = 2.0  # seconds before a progress bar appears
MOST_ROWS = 100


# Colours that are readable on a light and on a dark page: a notebook does not say which it has.
STYLE = """
.thresher-output table { border-collapse: collapse; }
.thresher-output th, .thresher-output td { padding: 0.2rem 0.7rem; text-align: right; white-space: nowrap; }
.thresher-output th:first-child, .thresher-output td:first-child { text-align: left; white-space: normal; }
.thresher-output td:first-child { min-width: 7em; }
.thresher-output .words { text-align: left; }
.thresher-output .strip { display: block; width: 180px; height: auto; }
.thresher-output .strip .pass { --kind: #2a7fb8; } .thresher-output .strip .fail { --kind: #c8601f; }
.thresher-output .strip .open { --kind: #7a828c; }
.thresher-output .strip .bar { stroke: #7a828c; stroke-width: 1.5; stroke-dasharray: 3 3; }
.thresher-output .strip .interval { stroke: var(--kind); stroke-width: 5; stroke-opacity: 0.65; }
.thresher-output .strip .valid { stroke: var(--kind); stroke-width: 1.2; }
.thresher-output .strip .dot { fill: #fff; stroke: var(--kind); stroke-width: 1.5; }
.thresher-output .strip .dot.proven, .thresher-output .strip .cut { fill: var(--kind); }
"""


def notebook_table(
    summary: str | Sequence[str],
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] = (),
    *,
    strips: Sequence[str] = (),
    words: int = 1,
) -> str:
    """Return a summary, a table of at most 100 rows and notes in HTML.

    Parameters
    ----------
    summary : str or sequence of str
        The first paragraph, or paragraphs.
    heads : sequence of str
    rows : sequence of sequence of str
        Each as long as the heads.
    notes : sequence of str
        Lines below the table.
    strips : sequence of str
        A picture of each row, as markup, for the second column.
    words : int
        How many of the first columns hold words: left-aligned.
    """
    cells = [[html.escape(cell) for cell in row] for row in rows[:MOST_ROWS]]
    names = [html.escape(name) for name in heads]
    if strips:
        names.insert(1, "")
        for row, strip in zip(cells, strips, strict=False):
            row.insert(1, strip)
    left = [' class="words"' if 0 < i - bool(strips) < words else "" for i in range(len(names))]
    head = "".join(f"<th{look}>{name}</th>" for look, name in zip(left, names, strict=True))
    lines = ["".join(f"<td{look}>{cell}</td>" for look, cell in zip(left, row, strict=True)) for row in cells]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = [f"… and {len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []
    below = "".join(f"<p>{html.escape(line)}</p>" for line in [*more, *notes])
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    first = [summary] if isinstance(summary, str) else summary
    text = "".join(f"<p>{html.escape(each)}</p>" for each in first)
    return f'<div class="thresher-output">{text}{table}{below}<style>{STYLE}</style></div>'


class NotebookBar:
    """A progress bar below the cell of a notebook; it appears after two seconds and is removed at the end.

    Parameters
    ----------
    title : str
    display : callable
        ``IPython.display.display``: with ``display_id=True`` it returns a handle that can be updated.
    clock : callable
        Seconds; for tests.
    """

    def __init__(self, title: str, display: Callable[..., Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._title, self._display, self._clock = title, display, clock
        self._started = clock()
        self._handle: Any = None

    def __call__(self, done: int, whole: int) -> None:
        """Show how much is done."""
        shown = _Html("" if done >= whole else self._html(done, whole))
        if self._handle is not None:
            self._handle.update(shown)
        elif done < whole and self._clock() - self._started > PATIENCE:
            self._handle = self._display(shown, display_id=True)

    def _html(self, done: int, whole: int) -> str:
        spent = self._clock() - self._started
        left = f", about {duration(spent * (whole - done) / done)} left" if done else ""
        bar = f'<progress max="{whole}" value="{done}"></progress>'
        return f"<p>{html.escape(self._title)} {bar} {done} of {whole}{left}</p>"


class _Html:
    """HTML that a notebook shows as it is; other front ends show nothing."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _repr_html_(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return ""


def notebook_progress(title: str) -> NotebookBar | None:
    """Return a progress bar if this process is the kernel of a notebook, else None."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    return NotebookBar(title, display) if get_ipython() is not None else None
