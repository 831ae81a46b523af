"""Curves against budget, for simulations, plans and pages."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from thresher.errors import ExperimentError
from thresher.report.panel_drawing import ALONE, IN_PAIRS, draw_panels
from thresher.report.panels import Line, Panel
from thresher.report.picture_style import picture_style, plotting, seen_in_notebooks

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class HasLoss(Protocol):
    """A row with a policy, a budget, a mean and its standard error."""

    @property
    def policy(self) -> str:
        """Name of the policy."""

    @property
    def budget(self) -> float:
        """The budget."""

    @property
    def mean(self) -> float:
        """Mean loss over all runs."""

    @property
    def stderr(self) -> float:
        """Standard error of the mean; NaN if it is not known."""


def curves_of(rows: Iterable[HasLoss]) -> list[Line]:
    """Return the mean loss of each policy against the budget, with two standard errors where they are known."""
    grouped: dict[str, list[HasLoss]] = {}
    for row in rows:
        grouped.setdefault(row.policy, []).append(row)
    return [_curve(name, group) for name, group in grouped.items()]


def _curve(name: str, rows: Sequence[HasLoss]) -> Line:
    budgets, means = tuple(row.budget for row in rows), tuple(row.mean for row in rows)
    if any(math.isnan(row.stderr) for row in rows):  # a single run has no standard error
        return Line(name, budgets, means)
    bands = [(row.mean - 2.0 * row.stderr, row.mean + 2.0 * row.stderr) for row in rows]
    return Line(name, budgets, means, tuple(low for low, _ in bands), tuple(high for _, high in bands))


def draw_curves(
    curves: Sequence[Line],
    *,
    title: str,
    ylabel: str,
    xlabel: str = "budget",
    limit: Line | None = None,
    path: str | Path | None = None,
) -> Figure:
    """Return the picture of curves against budget, and write it to a file if a path is given.

    Parameters
    ----------
    curves : sequence of Line
    title, ylabel, xlabel : str
    limit : Line, optional
        A lower limit. A second panel shows all curves divided by it, which separates curves that nearly
        coincide.
    path : path, optional
        The file extension selects the format.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ExperimentError
        If the file cannot be written.
    """
    panels = [_panel(curves if limit is None else [limit, *curves], title, xlabel, ylabel)]
    if limit is not None and len(limit.x) > 1:
        panels.append(_over_limit(curves, limit, xlabel, ylabel))
    size = ALONE if len(panels) == 1 else IN_PAIRS
    with picture_style(text=size.text):
        figure = draw_panels(panels, size)
        if path is not None:
            write_picture(figure, path)
    return seen_in_notebooks(figure)


def _panel(lines: Sequence[Line], title: str, xlabel: str, ylabel: str) -> Panel:
    budgets = sorted({x for line in lines for x in line.x})
    is_log_x = bool(budgets) and budgets[-1] >= 5 * budgets[0]
    return Panel(
        title,
        xlabel,
        ylabel,
        tuple(lines),
        is_log_x=is_log_x,
        is_log_y=any(value > 0.0 for line in lines for value in line.y),
        xticks=tuple(budgets) if is_log_x and len(budgets) <= 8 else (),
    )


def _over_limit(curves: Sequence[Line], limit: Line, xlabel: str, ylabel: str) -> Panel:
    """Return the panel of all curves divided by the limit; curves far above the best one are cut off."""
    base = dict(zip(limit.x, limit.y, strict=True))
    lines = [_divided(line, base) for line in (limit, *curves)]
    best = min(max(line.y, default=1.0) for line in lines[1:])
    made = _panel(lines, f"over the {limit.name}", xlabel, f"{ylabel.split(' (')[0]} / limit")
    return replace(made, is_log_y=False, ylim=(0.98, max(1.1, 1.0 + 2.2 * (best - 1.0))))


def _divided(line: Line, base: Mapping[float, float]) -> Line:
    kept = [i for i, x in enumerate(line.x) if base.get(x, 0.0) > 0.0]

    def over(values: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(values[i] / base[line.x[i]] for i in kept) if values else ()

    return Line(line.name, tuple(line.x[i] for i in kept), over(line.y), over(line.low), over(line.high))


def picture_path(path: str | Path) -> Path:
    """Return the path of a picture, with the extension .png unless it has one; checked before any work is done.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ExperimentError
        If there is no such folder, it cannot be written, or the extension is not that of a picture.
    """
    plotting()
    from matplotlib.backend_bases import FigureCanvasBase

    place = Path(path) if Path(path).suffix else Path(f"{path}.png")
    if place.suffix[1:].lower() not in FigureCanvasBase.get_supported_filetypes():
        raise _no_picture(place, f"{place.suffix} is not a picture format")
    if not place.parent.is_dir():
        raise _no_picture(place, f"there is no folder {place.parent}")
    if place.is_dir() or not os.access(place if place.exists() else place.parent, os.W_OK):
        raise _no_picture(place, "nothing can be written there")
    return place


def _no_picture(path: str | Path, why: object) -> ExperimentError:
    return ExperimentError(
        f"cannot write the picture {path}: {why}", instead="name an existing folder, and .png, .svg or .pdf"
    )


def write_picture(figure: Figure, path: str | Path) -> None:
    """Write a picture; the file extension selects the format.

    Raises
    ------
    ExperimentError
        If it cannot be written.
    """
    try:
        figure.savefig(path, dpi=160)
    except (OSError, ValueError) as error:
        raise _no_picture(path, error) from error
