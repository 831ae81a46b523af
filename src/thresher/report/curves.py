"""Curves against budget: the picture that simulations, plans and pages share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from thresher.errors import ExperimentError, MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with every common form of colour blindness; black last, for limits.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


class HasLoss(Protocol):
    """A row with a policy, a budget, a mean and its standard error."""

    @property
    def policy(self) -> str:
        """Whose loss it is."""

    @property
    def budget(self) -> float:
        """At which budget."""

    @property
    def mean(self) -> float:
        """Over all runs."""

    @property
    def stderr(self) -> float:
        """Of the mean; not a number where it is not known."""


@dataclass(frozen=True)
class Curve:
    """A name and its values against budget; `errors` are standard errors, empty for an exact curve.

    An error that is not a number is not known, and has no band.
    """

    name: str
    budgets: tuple[float, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...] = ()
    is_limit: bool = False


def curves_of(rows: Iterable[HasLoss]) -> list[Curve]:
    """Return one curve for each policy among the rows."""
    grouped: dict[str, list[HasLoss]] = {}
    for row in rows:
        grouped.setdefault(row.policy, []).append(row)
    return [
        Curve(name, tuple(r.budget for r in group), tuple(r.mean for r in group), tuple(r.stderr for r in group))
        for name, group in grouped.items()
    ]


def draw_curves(
    curves: Sequence[Curve], *, title: str, ylabel: str, xlabel: str = "budget", path: str | Path | None = None
) -> Figure:
    """Return the picture of curves against budget, and write it to a file if a path is given.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ExperimentError
        If the file cannot be written.
    """
    matplotlib = plotting()
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(7.0, 4.4), layout="constrained")
        axes = figure.subplots()
        for i, curve in enumerate(curves):
            _draw(axes, curve, i)
        _dress(axes, curves, title, xlabel, ylabel)
        _label_ends(axes, curves)
        if path is not None:
            write_picture(figure, path)
    return figure


def picture_path(path: str | Path) -> Path:
    """Return where a picture will be, before any work is done for it: with the ending .png unless it has one.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ExperimentError
        If there is no such folder, nothing can be written there, or no picture has that ending.
    """
    plotting()
    from matplotlib.backend_bases import FigureCanvasBase

    place = Path(path) if Path(path).suffix else Path(f"{path}.png")
    if place.suffix[1:].lower() not in FigureCanvasBase.get_supported_filetypes():
        raise _no_picture(place, f"no picture ends in {place.suffix}")
    if not place.parent.is_dir():
        raise _no_picture(place, f"there is no folder {place.parent}")
    if place.is_dir() or not os.access(place if place.exists() else place.parent, os.W_OK):
        raise _no_picture(place, "nothing can be written there")
    return place


def _no_picture(path: str | Path, why: object) -> ExperimentError:
    return ExperimentError(
        f"cannot write the picture {path}: {why}", instead="give a place that exists, and .png, .svg or .pdf"
    )


def write_picture(figure: Figure, path: str | Path) -> None:
    """Write a picture; the ending says the format.

    Raises
    ------
    ExperimentError
        If it cannot be written.
    """
    try:
        figure.savefig(path, dpi=160)
    except (OSError, ValueError) as error:
        raise _no_picture(path, error) from error


def plotting() -> Any:
    """Return matplotlib.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("a picture", "plots") from error
    return matplotlib


def colour_of(i: int, *, is_limit: bool = False) -> str:
    """Return the colour of the i-th curve; limits are black."""
    return COLOURS[-1] if is_limit else COLOURS[i % (len(COLOURS) - 1)]


def _draw(axes: Axes, curve: Curve, i: int) -> None:
    colour = colour_of(i, is_limit=curve.is_limit)
    x, y = np.array(curve.budgets), np.array(curve.values)
    shown = y > 0
    style: dict[str, Any] = (
        {"linestyle": "--"} if curve.is_limit else {"marker": MARKERS[i % len(MARKERS)], "markersize": 4}
    )
    axes.plot(x[shown], y[shown], color=colour, linewidth=1.6, **style)
    if curve.errors:
        spread = 2.0 * np.array(curve.errors)
        low = np.maximum(y - spread, 0.05 * np.maximum(y, 1e-300))
        axes.fill_between(x[shown], low[shown], (y + spread)[shown], color=colour, alpha=0.15, linewidth=0)


def _dress(axes: Axes, curves: Sequence[Curve], title: str, xlabel: str, ylabel: str) -> None:
    budgets = [budget for curve in curves for budget in curve.budgets]
    if budgets and max(budgets) >= 5 * min(budgets):
        axes.set_xscale("log")
        ticks = sorted(set(budgets))
        if len(ticks) <= 8:
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
    if any(value > 0 for curve in curves for value in curve.values):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(_sparse_label)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)
    axes.grid(visible=True, which="major", alpha=0.25)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _sparse_label(value: float, _: float) -> str:
    """Return a label for every second small tick of a logarithmic axis."""
    digit = round(value / 10.0 ** np.floor(np.log10(value)))
    return f"{value:g}" if digit in (2, 5) else ""


def _label_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """Write each name beside the last point of its curve that is shown, pushed apart where they would overlap."""
    ends = [(*_last_shown(curve), i, curve) for i, curve in enumerate(curves) if any(v > 0 for v in curve.values)]
    if not ends:
        return
    low, high = (float(np.log(limit)) for limit in axes.get_ylim())
    ends.sort(key=lambda end: end[0])
    places = _apart([float(np.log(value)) for value, *_ in ends], spacing=0.055 * (high - low), top=high)
    for place, (value, budget, i, curve) in zip(places, ends, strict=True):
        axes.annotate(
            f" {curve.name}",
            xy=(budget, value),
            xytext=(1.01, (place - low) / (high - low)),
            textcoords="axes fraction",
            color=colour_of(i, is_limit=curve.is_limit),
            fontsize=9,
            va="center",
            annotation_clip=False,
            parse_math=False,
        )


def _last_shown(curve: Curve) -> tuple[float, float]:
    """Return the value and the budget of the last point above zero, all that a logarithmic axis can show."""
    return [(value, budget) for budget, value in zip(curve.budgets, curve.values, strict=True) if value > 0][-1]


def _apart(places: Sequence[float], *, spacing: float, top: float) -> list[float]:
    """Return increasing places moved up until they are a spacing apart, and down again where they pass the top."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + spacing) if moved else place)
    limit = top
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - spacing
    return moved
