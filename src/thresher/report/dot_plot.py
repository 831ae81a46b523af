"""Dots in rows: one row for each problem, one mark for each policy, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.report.curves import MARKERS, colour_of, plotting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TICKS = [digit * 10.0**power for power in range(-6, 7) for digit in (1, 1.5, 2, 3, 5, 7)]


@dataclass(frozen=True)
class Dots:
    """A name and its value in each row where it has one; `is_limit` draws a black bar instead of a mark."""

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
        A line at 1 is drawn for the reader: values are ratios.
    paths : sequence of path
        The ending says the format.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    matplotlib = plotting()
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"pdf.fonttype": 42, "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(7.6, 1.6 + 0.27 * len(rows)), layout="constrained")
        axes = figure.subplots()
        places = {row: -i for i, row in enumerate(rows)}
        for i, dots in enumerate(series):
            x, y = list(dots.values.values()), [places[row] for row in dots.values]
            colour = colour_of(i, is_limit=dots.is_limit)
            marker, size = ("|", 90) if dots.is_limit else (MARKERS[i % len(MARKERS)], 26)
            axes.scatter(x, y, s=size, marker=marker, color=colour, label=dots.name, zorder=3, linewidths=1.2)
        axes.axvline(1.0, color="#888888", linewidth=1.0, zorder=1)
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        ticks = [tick for tick in TICKS if low <= tick <= high]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_yticks(list(places.values()), list(places))
        axes.set_xlabel(xlabel)
        axes.set_title(title, loc="left", fontsize=10)
        axes.grid(visible=True, axis="y", alpha=0.2)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        figure.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=9)
        for path in paths:
            kept = {"Date": None} if str(path).endswith(".svg") else None
            figure.savefig(path, dpi=160, metadata=kept)
    return figure
