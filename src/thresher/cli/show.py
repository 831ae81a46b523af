"""Output: tables, JSON documents, messages on standard error, progress bars."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unicodedata import category

from thresher.errors import InvalidInputError
from thresher.report import duration

HIDDEN = ("Cf", "Zl", "Zp")  # categories of characters without a glyph: zero-width, bidirectional, line separators
NARROWEST = 40  # columns of a terminal to which texts are wrapped
PATIENCE = 2.0  # seconds before a progress bar appears


def visible(text: str) -> str:
    """Return a text with codes in place of characters that a terminal obeys or hides, such as bidirectional ones."""
    return text if text.isascii() else "".join(_code(each) if category(each) in HIDDEN else each for each in text)


def _code(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def say(text: str) -> None:
    """Print a message to standard error."""
    print(visible(text), file=sys.stderr)  # noqa: T201


def say_note(note: str) -> None:
    """Print a note, which has no full stop, to standard error."""
    say(wrapped(f"Note: {note}."))


def wrapped(text: str) -> str:
    """Return a text wrapped to the width of the terminal."""
    return textwrap.fill(text, max(terminal_width(80), NARROWEST), break_long_words=False, break_on_hyphens=False)


def answer(text: str) -> None:
    """Print a result to standard output.

    If the reader has closed the pipe, the command continues, because its exit code matters: ``thresher run … | head``.
    """
    try:
        print(visible(text))  # noqa: T201
    except BrokenPipeError:
        forget_output()


def forget_output() -> None:
    """Discard unwritten output: Python would try to flush it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def confirm(consequence: str) -> None:
    """Ask for confirmation on standard error; return if the answer is yes.

    Raises
    ------
    InvalidInputError
        If the answer is not yes, or standard input is not a terminal.
    """
    if not sys.stdin.isatty():
        raise InvalidInputError("confirmation", rule=consequence, fix="add --yes to do it without a terminal")
    print(f"{consequence}; continue? [y/N] ", end="", file=sys.stderr, flush=True)  # noqa: T201
    if (typed := sys.stdin.readline().strip()).lower() not in ("y", "yes"):
        raise InvalidInputError("answer", typed, rule="must be y; nothing was changed")


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    left: Sequence[int] = (0,),
    widths: Sequence[int] | None = None,
    drop: Sequence[int | Sequence[int]] = (),
    colours: Sequence[str] = (),
    coloured: int = 1,
) -> None:
    """Print rows as a table without breaking a number or a word.

    Parameters
    ----------
    headers, rows : sequence
    title : str
    left : sequence of int
        Columns of words: left-aligned, broken at spaces.
    widths : sequence of int, optional
        Widths that are known already, with a gutter of two.
    drop : sequence of int or of sequence of int
        Columns, or groups of columns, that are left out where the terminal is too narrow, in this order. A line on
        standard error names them.
    colours : sequence of str
        Of the cells of the column `coloured`, row by row; shown on a terminal unless ``NO_COLOR`` is set.
    coloured : int
    """
    headers, rows = [*map(visible, headers)], [[*map(visible, row)] for row in rows]
    room = sum(widths) + 2 * len(widths) if widths else terminal_width()
    kept = list(range(len(headers))) if widths else _fitting(headers, rows, room, left, drop)
    heads, cells = [headers[i] for i in kept], [[row[i] for i in kept] for row in rows]
    gutter, sizes = (2, list(widths)) if widths else _widths(heads, cells, room)
    styles = [{kept.index(coloured): colour} for colour in colours] if coloured in kept else []
    _print(heads, cells, title, gutter, sizes, [kept.index(i) for i in left if i in kept], styles)
    say_left_out([header for i, header in enumerate(headers) if i not in kept])


def terminal_width(otherwise: int = 160) -> int:
    """Return ``COLUMNS`` if it is set, or the width of the terminal; `otherwise` if output does not go to one."""
    return shutil.get_terminal_size((otherwise, 24)).columns


def say_left_out(headers: Sequence[str]) -> None:
    """Print which columns were left out, and how to see them."""
    if headers:
        names = ", ".join(header.partition(",")[0] for header in headers)  # without the unit
        say(wrapped(f"{names[:1].upper()}{names[1:]} hidden; widen the terminal or use --json."))


def _print(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str,
    gutter: int,
    sizes: Sequence[int],
    left: Sequence[int],
    styles: Sequence[Mapping[int, str]],
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    room = max(sum(sizes) + gutter * len(sizes), 1)
    console = Console(width=room, markup=False, highlight=False)
    grid = Table(box=None, pad_edge=False, padding=(0, gutter - gutter // 2, 0, gutter // 2), header_style="bold")
    for i, (header, size) in enumerate(zip(headers, sizes, strict=True)):
        grid.add_column(Text(header), justify="left" if i in left else "right", overflow="fold", width=size)
    for i, row in enumerate(rows):
        style = styles[i] if styles else {}
        grid.add_row(*(Text(cell, style=style.get(column, "")) for column, cell in enumerate(row)))
    with console.capture() as printed:  # Rich would exit with its own code if the pipe is closed
        console.print(grid)
    if title:
        answer(textwrap.fill(title, terminal_width()))
    answer(printed.get().removesuffix("\n"))


WORD = re.compile(r"[-+\d.,]+ to [-+\d.,]+|[^ \n]+(?: %)?")  # keep an interval together, a number and its % sign
GUTTERS = (4, 2, 1)  # spaces between columns: the first with which no word is broken
READABLE = 24  # least width of a text column before another column is dropped


def _fitting(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    room: int,
    left: Sequence[int],
    drop: Sequence[int | Sequence[int]],
) -> list[int]:
    """Return the columns that fit, after dropping those of `drop` one by one, or group by group."""
    kept = list(range(len(headers)))
    for group in (*drop, None):
        least = [_least([headers[k], *(row[k] for row in rows)], is_text=k in left) for k in kept]
        if group is None or sum(least) + GUTTERS[1] * (len(kept) - 1) <= room:
            break
        dropped = (group,) if isinstance(group, int) else group
        kept = [k for k in kept if k not in dropped]
    return kept


def _least(column: Sequence[str], *, is_text: bool) -> int:
    """Return the least readable width of a column: no word is broken, and texts have several words per line."""
    word = max(len(word) for cell in column for word in ["", *WORD.findall(cell)])
    return max(word, min(READABLE, max(map(len, column)))) if is_text else word


def _widths(headers: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> tuple[int, list[int]]:
    """Return the gutter, and how wide each column is: no word is broken, also where the lines become too long."""
    columns = list(zip(headers, *rows, strict=True))
    whole = [max(map(len, column)) for column in columns]
    widths = [_least(column, is_text=False) for column in columns]
    gaps = len(columns) - 1
    wide = next((gutter for gutter in GUTTERS if room >= gutter * gaps + sum(whole)), None)
    if wide is not None and wide > GUTTERS[-1]:
        return wide, whole
    gutter = next((gutter for gutter in GUTTERS if room >= gutter * gaps + sum(widths)), GUTTERS[-1])
    spare = max(room - gutter * gaps - sum(widths), 0)
    for i in sorted(range(len(columns)), key=whole.__getitem__):
        more = min(spare, whole[i] - widths[i])
        widths[i], spare = widths[i] + more, spare - more
    return gutter, widths


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of (done, total) that draws a progress bar, after two seconds and on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda done, whole: None  # noqa: ARG005
        return
    bar = _LateBar(title)
    try:
        yield bar.update
    finally:
        bar.stop()


class _LateBar:
    """A progress bar that appears after two seconds, even if no progress was reported."""

    def __init__(self, title: str) -> None:
        self._title, self._lock = title, threading.Lock()
        self._bar: Any = None
        self._done, self._whole, self._is_over = 0, 0, False
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def update(self, done: int, whole: int) -> None:
        """Update the progress."""
        with self._lock:
            self._done, self._whole = done, whole
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], description=self._title, completed=done, total=whole)

    def stop(self) -> None:
        """Remove the bar."""
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._bar is not None:
                self._bar.stop()

    def _show(self) -> None:
        with self._lock:
            if not self._is_over:
                self._bar = _bar(self._title if self._whole else "preparing")
                self._bar.update(self._bar.task_ids[0], completed=self._done, total=self._whole or None)


def _bar(title: str) -> Any:
    """Return a running progress bar with the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """How long the rest takes at the pace so far; nothing while that is not known."""

        def render(self, task: Any) -> Text:
            done = task.percentage / 100.0
            known = 0.0 < done < 1.0 and task.elapsed
            return Text(f"about {duration(task.elapsed * (1.0 - done) / done)} left" if known else "")

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        Left(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task(title, total=None)
    bar.start()
    return bar
