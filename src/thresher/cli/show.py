"""How answers are shown: a table for people, one JSON document for programs, progress for the patient."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from thresher.errors import InvalidInputError

PATIENCE = 2.0  # seconds before a progress bar appears


def say(text: str) -> None:
    """Write a line for the reader beside the answer: to standard error."""
    print(text, file=sys.stderr)  # noqa: T201


def answer(text: str) -> None:
    """Write the answer: to standard output."""
    print(text)  # noqa: T201


def confirm(consequence: str) -> None:
    """Ask on standard error whether to go on; return if the answer is yes.

    Raises
    ------
    InvalidInputError
        If the answer is another one, or standard input is not a terminal.
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
) -> None:
    """Print rows as a table, columns in `left` left-aligned; `widths` that are given keep a gutter of two."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    room = None if sys.stdout.isatty() else 160
    if widths:
        room = sum(widths) + 2 * len(widths)
    console = Console(width=room, markup=False, highlight=False)
    gutter, sizes = (2, list(widths)) if widths else _widths(headers, rows, console.width)
    grid = Table(box=None, pad_edge=False, padding=(0, gutter - gutter // 2, 0, gutter // 2), header_style="bold")
    for i, (header, size) in enumerate(zip(headers, sizes, strict=True)):
        grid.add_column(
            Text(header),
            justify="left" if i in left else "right",
            overflow="fold",
            width=size,
        )
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    with console.capture() as printed:  # Rich would leave with a code of its own when the reader has gone
        if title:
            console.print(Text(title))
        console.print(grid)
    answer(printed.get().removesuffix("\n"))


GUTTERS = (4, 2, 1)  # columns of the terminal between two columns of a table, the first with which no word is broken


def _widths(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> tuple[int, list[int] | list[None]]:
    """Return the gutter, and how wide each column is if no word is to be broken; Nones where all or none fits."""
    columns = list(zip(headers, *rows, strict=True))
    whole = [max(map(len, column)) for column in columns]
    widths = [max(len(word) for cell in column for word in ["", *cell.split()]) for column in columns]
    rooms = {gutter: width - gutter * (len(columns) - 1) - sum(widths) for gutter in GUTTERS}
    gutter = next((gutter for gutter in GUTTERS if rooms[gutter] >= 0), GUTTERS[0])
    room = rooms[gutter]
    if room < 0 or sum(whole) <= room + sum(widths):
        return gutter, [None] * len(columns)
    for i in sorted(range(len(columns)), key=whole.__getitem__):
        more = min(room, whole[i] - widths[i])
        widths[i], room = widths[i] + more, room - more
    return gutter, widths


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function of (done, in all) that draws a bar with the time left, after two seconds and on a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, whole: None  # noqa: ARG005
        return
    bar: Any = None
    started = time.monotonic()

    def update(done: int, whole: int) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - started > PATIENCE and done < whole:
            bar = _bar(title, whole)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done)

    try:
        yield update
    finally:
        if bar is not None:
            bar.stop()


def _bar(title: str, whole: int) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task(title, total=whole)
    bar.start()
    return bar


def number(value: float) -> str:
    """Return a number to four significant digits; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.4g}"
