"""A plan as a picture: mistakes against budget, the target, and the budget of each policy at which it is met."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.number_text import amount, exact, figure
from thresher.report.curves import write_picture
from thresher.report.panels import Line
from thresher.report.picture_style import BLACK, GREY, dress, line_styles, picture_style, seen_in_notebooks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST = 84  # characters of a line of the title
ROOM = 3.0  # multiples of the target up to which mistakes are shown


@dataclass(frozen=True)
class PlannedCurve:
    """Mistakes of a policy against budget, and the budget at which it meets the target; None if it does not."""

    line: Line
    label: str
    budget: float | None


def draw_plan(curves: Sequence[PlannedCurve], *, mistakes: float, title: str, path: str | Path | None = None) -> Figure:
    """Return the picture of a plan, and write it to a file if a path is given.

    Parameters
    ----------
    curves : sequence of PlannedCurve
        That of the policy, then that of even sampling.
    mistakes : float
        The target.
    title : str
    path : path, optional
        The file extension selects the format.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ExperimentError
        If the file cannot be written.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter

    with picture_style(text=11.0):
        figure = Figure(figsize=(7.4, 4.2), layout="constrained")
        axes = figure.subplots()
        for curve in curves:
            _draw(axes, curve, mistakes)
        axes.axhline(mistakes, color=BLACK, linewidth=1.0, linestyle="--")
        target = f"target: {exact(mistakes)} mistake{'' if mistakes == 1 else 's'}"
        axes.annotate(target, (1.0, mistakes), xycoords=("axes fraction", "data"), xytext=(-2, 4), ha="right",
                      textcoords="offset points")  # fmt: skip
        axes.set_xscale("log")
        axes.set_ylim(0.0, ROOM * mistakes)
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(lambda value, _: exact(value))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set(xlabel="budget (measurements, or their cost)", ylabel="mistakes expected")
        axes.set_title(textwrap.fill(title, LONGEST).replace("$", r"\$"), loc="left", fontsize=10)
        _compare(axes, [curve.budget for curve in curves], mistakes)
        axes.legend(frameon=False, loc="upper right")
        dress(axes)
        if path is not None:
            write_picture(figure, path)
    return seen_in_notebooks(figure)


def _draw(axes: Axes, curve: PlannedCurve, mistakes: float) -> None:
    style = line_styles([curve.line.name])[curve.line.name]
    need = "more than was tried" if curve.budget is None else amount(round(curve.budget))
    axes.plot(curve.line.x, curve.line.y, color=style.colour, linewidth=2.2, label=f"{curve.label}: {need}")
    if curve.line.low:
        axes.fill_between(curve.line.x, curve.line.low, curve.line.high, color=style.colour, alpha=0.15, linewidth=0)
    if curve.budget is not None:
        axes.plot([curve.budget], [mistakes], marker="o", color=style.colour, markersize=7, zorder=4)
        axes.plot([curve.budget] * 2, [0.0, mistakes], color=style.colour, linewidth=1.0, linestyle=":")


def _compare(axes: Axes, budgets: Sequence[float | None], mistakes: float) -> None:
    """Write how much less budget the policy needs, between the two budgets."""
    ours, even = budgets
    if not ours or not even or even <= ours:
        return
    y = 0.06 * mistakes  # below both curves, unless they fall to a fraction of the target in between
    axes.annotate("", (ours, y), (even, y), arrowprops={"arrowstyle": "->", "color": GREY})
    middle = (ours * even) ** 0.5
    axes.annotate(
        f"{figure(even / ours, 2)} × fewer", (middle, y), xytext=(0, 4), textcoords="offset points", ha="center"
    )
