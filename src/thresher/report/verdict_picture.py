"""Verdicts as a picture in a file or a notebook: the intervals of each arm, and the bar.

The thick line is the interval behind the decision, the thin one the always-valid interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.number_text import counted
from thresher.report.curves import write_picture
from thresher.report.decision_rows import HasDecision
from thresher.report.picture_style import GREEN, GREY, VERMILION, dress, picture_style, seen_in_notebooks
from thresher.report.verdict_rows import distance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ROWS = 60
LOOKS = {"above": (GREEN, "^"), "below": (VERMILION, "v"), "undecided": (GREY, "o")}


def draw_verdicts(rows: Sequence[HasDecision], *, title: str, path: str | Path | None = None) -> Figure:
    """Return the picture of verdicts, farthest above on top, and write it to a file if a path is given.

    With more than 60 arms, the undecided ones and those nearest to the bar are shown. A filled mark is a decision, a
    hollow one an undecided arm.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ExperimentError
        If the file cannot be written.
    """
    from matplotlib.figure import Figure

    shown = sorted(rows, key=lambda row: (row.decision != "open", abs(distance(row))))[:MOST_ROWS]
    shown.sort(key=distance)
    if len(shown) < len(rows):
        title = f"{title}; the {len(shown)} nearest to a bar of {counted(len(rows), 'arm')}"
    with picture_style():
        figure = Figure(figsize=(7.0, 1.2 + 0.25 * len(shown)), layout="constrained")
        axes = figure.subplots()
        for place, row in enumerate(shown):
            _draw(axes, row, place)
        # Escape dollar signs: matplotlib would read the text between them as a formula.
        axes.set_yticks(range(len(shown)), [_label(row) for row in shown])
        axes.set_title(title.replace("$", r"\$"), loc="left", fontsize=10)
        dress(axes, grid="x", hidden=("top", "right", "left"))
        if path is not None:
            write_picture(figure, path)
    return seen_in_notebooks(figure)


def _label(row: HasDecision) -> str:
    name = row.arm if len(row.arm) <= 40 else f"{row.arm[:39]}…"
    return name.replace("$", r"\$")


def _draw(axes: Axes, row: HasDecision, place: int) -> None:
    colour, marker = LOOKS[row.verdict]
    axes.plot([row.threshold] * 2, [place - 0.5, place + 0.5], color="black", linewidth=1.2)
    if row.mean is None:
        return
    for low, high, width in ((row.valid_low, row.valid_high, 0.8), (row.low, row.high, 3.0)):
        if math.isfinite(low) and math.isfinite(high):  # an unknown interval has no limits to draw
            axes.plot([low, high], [place] * 2, color=colour, linewidth=width, alpha=0.6, solid_capstyle="butt")
    face = colour if row.decision != "open" else "white"
    axes.plot([row.mean], [place], marker=marker, color=colour, markerfacecolor=face, linestyle="none")
