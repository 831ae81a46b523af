"""The outcomes of all arms on all items as one picture: arms by their means, items by their difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from thresher.number_text import counted, exact
from thresher.report.decision_table import shortened
from thresher.report.svg import nothing_yet, picture, place, tag, text
from thresher.types import Floats, Ints

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720, 168, 12, 24, 44
TALL = 240.0  # pixels of the cells together, unless rows with a name need more
NAMED_ROW = 15.0  # pixels of a row with the name of its arm
LONGEST = 24  # characters of a name
MOST_ROWS, MOST_COLUMNS = 50, 120  # more arms and items are drawn as means of neighbours
SHADES = 5


def item_picture(table: Floats, order: Ints, *, arms: Sequence[str], low: float, high: float) -> str:
    """Return the picture of outcomes: the best arm on top, the hardest item on the left.

    Its size is bounded: neighbouring arms and items share a cell, which shows their mean outcome. A row is named after
    its arm, or after the first and the number of the others.

    Parameters
    ----------
    table : ndarray of float64, shape (K, N)
        NaN where there is no outcome.
    order : ndarray of int64, shape (N,)
        The places of the items, the hardest first.
    arms : sequence of str
        Names of the arms.
    low, high : float
        The outcomes with the faintest and the strongest shade.
    """
    n_arms, n_items = table.shape
    known = int(np.count_nonzero(~np.isnan(table)))
    label = f"Outcomes of {counted(n_arms, 'arm')} on {counted(n_items, 'item')}, {known:,} of {table.size:,} known."
    if not known:
        return picture(nothing_yet(0.5 * WIDTH, 40.0), width=WIDTH, height=80, label="No outcome was told yet.")
    best_first = _by_mean(table)
    cells = _means(table[best_first][:, order])
    wide = (WIDTH - LEFT - RIGHT) / cells.shape[1]
    tall = min(max(TALL / cells.shape[0], NAMED_ROW), 24.0)
    bottom = TOP + tall * cells.shape[0]
    shades = np.clip((cells - low) / max(high - low, 1e-300) * SHADES, 0.0, SHADES - 1.0)
    shades = np.where(np.isnan(cells), -1, np.nan_to_num(shades)).astype(np.int64)
    parts = [
        text("arms, best on top", LEFT, TOP - 8),
        *_names([arms[k] for k in best_first], cells.shape[0], tall),
        tag("rect", x=LEFT, y=TOP, width=WIDTH - LEFT - RIGHT, height=bottom - TOP, class_="cells none"),
        *(tag("path", d=_runs(shades == shade, wide, tall), class_=f"cells c{shade}") for shade in range(SHADES)),
        text("hardest item", LEFT, bottom + 16),
        text("easiest item", WIDTH - RIGHT, bottom + 16, anchor="end"),
        *_key(bottom + 30, low, high, has_means=bool(np.any((shades > 0) & (shades < SHADES - 1)))),
    ]
    return picture("".join(parts), width=WIDTH, height=round(bottom + BOTTOM), label=label)


def _names(arms: Sequence[str], rows: int, tall: float) -> list[str]:
    """Return the names at the left of the rows."""
    starts = [*_starts(len(arms), rows).tolist(), len(arms)]
    names = []
    for row, (first, last) in enumerate(pairwise(starts)):
        others = f" +{last - first - 1}" if last - first > 1 else ""
        name = shortened(arms[first], LONGEST - len(others)) + others
        names.append(text(name, LEFT - 6, TOP + (row + 0.5) * tall + 4, anchor="end", class_="tick"))
    return names


def _starts(size: int, parts: int) -> Ints:
    """Return where each of some nearly equal parts begins."""
    return np.arange(parts) * size // parts


def _by_mean(table: Floats) -> Ints:
    """Return the arms with the highest mean first; those without an outcome last."""
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    means = np.where(counts > 0, np.nansum(table, axis=1) / np.maximum(counts, 1), -np.inf)
    return np.argsort(-means, kind="stable")


def _means(table: Floats) -> Floats:
    """Return the mean outcome of each cell of the picture; NaN where there is none."""
    sums, counts = np.where(np.isnan(table), 0.0, table), (~np.isnan(table)).astype(np.float64)
    for axis, most in ((0, MOST_ROWS), (1, MOST_COLUMNS)):
        size = table.shape[axis]
        starts = _starts(size, min(size, most))
        sums, counts = np.add.reduceat(sums, starts, axis=axis), np.add.reduceat(counts, starts, axis=axis)
    return np.where(counts > 0.0, sums / np.maximum(counts, 1.0), np.nan)


def _runs(is_drawn: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], wide: float, tall: float) -> str:
    """Return a path with one rectangle for each run of drawn cells in a row."""
    steps = []
    for row, drawn in enumerate(is_drawn):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], drawn, [False])))).tolist()
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            x, y = LEFT + first * wide, TOP + row * tall
            steps.append(f"M{place(x)} {place(y)}h{place((last - first) * wide)}v{place(tall)}H{place(x)}z")
    return "".join(steps)


def _key(y: float, low: float, high: float, *, has_means: bool) -> list[str]:
    """Return what the shades mean; those in between only if the picture has some."""
    middle = 0.5 * WIDTH
    parts = [_square("none", middle - 170.0, y), text("not asked", middle - 155.0, y, class_="tick")]
    shown = range(SHADES) if has_means else (0, SHADES - 1)
    parts.append(text(exact(low), middle - 66.0, y, anchor="end", class_="tick"))
    parts += [_square(f"c{shade}", middle - 60.0 + 12.0 * i, y) for i, shade in enumerate(shown)]
    parts.append(text(exact(high), middle - 56.0 + 12.0 * len(shown), y, class_="tick"))
    return parts


def _square(shade: str, x: float, y: float) -> str:
    return tag("rect", x=x, y=y - 9.0, width=12, height=10, class_=f"cells {shade}")
