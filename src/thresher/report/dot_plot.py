"""Dots in rows: one row for each problem, one mark for each policy, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.number_text import exact
from thresher.report.picture_style import GREY, dress, line_styles, picture_style, seen_in_notebooks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLOSE = 1.035  # marks whose ratio is less than this would overlap
LIFTS = (0.0, 0.24, -0.24)
VARIANT_MARKERS = {":": "d", "-.": "p"}  # of a second and a third variant of one policy, by the dashes of their lines
TICKS = [digit * 10.0**power for power in range(-6, 7) for digit in (1, 1.5, 2, 3, 5, 7)]


@dataclass(frozen=True)
class Dots:
    """A name and its value in each row where it has one; `is_limit` draws a bar instead of a mark."""

    name: str
    values: Mapping[str, float]
    is_limit: bool = False


def draw_dots(
    series: Sequence[Dots], rows: Sequence[str], *, title: str, xlabel: str, paths: Sequence[str | Path] = ()
) -> Figure:
    """Return the picture of values by row, the first row on top, and write it to files if paths are given.

    Parameters
    ----------
    series : sequence of Dots
    rows : sequence of str
        Labels, top to bottom.
    title, xlabel : str
        Values are ratios; a reference line is drawn at 1.
    paths : sequence of path
        The file extension selects the format.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    with picture_style():
        figure = Figure(figsize=(7.6, 1.6 + 0.34 * len(rows)), layout="constrained")
        axes = figure.subplots()
        places = {row: -float(i) for i, row in enumerate(rows)}
        _draw_series(axes, series, places)
        axes.axvline(1.0, color=GREY, linewidth=1.0, zorder=1)
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        ticks = [tick for tick in TICKS if low <= tick <= high]
        axes.set_xticks(ticks, [exact(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_yticks(list(places.values()), list(places))
        axes.set_ylim(0.6 - len(rows), 0.6)
        axes.set_xlabel(xlabel)
        axes.set_title(title, loc="left", fontsize=10)
        dress(axes, hidden=("top", "right", "left"))
        figure.legend(loc="outside upper center", ncols=5, frameon=False, fontsize=9)
        for path in paths:
            kept = {"Date": None} if str(path).endswith(".svg") else None
            figure.savefig(path, dpi=160, metadata=kept)
    return seen_in_notebooks(figure)


def _draw_series(axes: Axes, series: Sequence[Dots], places: Mapping[str, float]) -> None:
    """Draw the marks; overlapping marks of one row are moved a little above and below its line."""
    styles = line_styles(dots.name for dots in series)
    lifts = _lifts(series, places)
    for dots in series:
        style = styles[dots.name]
        x = list(dots.values.values())
        y = [places[row] + lifts[dots.name, row] for row in dots.values]
        face = "white" if style.is_open else style.colour
        shape = VARIANT_MARKERS.get(style.dashes, style.marker) if style.is_open else style.marker
        marker, size = ("|", 170) if dots.is_limit else (shape or "_", 24 if shape else 60)
        paint: dict[str, Any] = (
            {"color": style.colour} if marker in "|_" else {"facecolor": face, "edgecolor": style.colour}
        )
        axes.scatter(x, y, s=size, marker=marker, label=dots.name, zorder=3, linewidths=1.3, **paint)


def _lifts(series: Sequence[Dots], places: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """Return how far each mark stands above the line of its row: 0 unless the one before it is too close."""
    lifts: dict[tuple[str, str], float] = {}
    for row in places:
        marks = sorted((dots.values[row], dots.name) for dots in series if row in dots.values and not dots.is_limit)
        lifts |= {(dots.name, row): 0.0 for dots in series if dots.is_limit}
        before, step = 0.0, 0
        for value, name in marks:
            step = step + 1 if before and value < CLOSE * before else 0
            lifts[name, row] = LIFTS[step % len(LIFTS)]
            before = value
    return lifts
