"""Stopping times and errors of fixed-confidence policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.number_text import amount, exact
from thresher.report.curves import write_picture
from thresher.report.picture_style import GREY, dress, line_styles, picture_style, seen_in_notebooks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class StoppingTime:
    """How long a policy took until it stopped, and how often it was wrong.

    Parameters
    ----------
    name : str
    q25, median, q75 : float
        Of the pulls.
    error, error_stderr : float
        Mean error and its standard error, NaN if it is not known.
    """

    name: str
    q25: float
    median: float
    q75: float
    error: float
    error_stderr: float


def draw_stopping_times(
    times: Sequence[StoppingTime], *, alpha: float, most: float, title: str, path: str | Path | None = None
) -> Figure:
    """Return the picture of pulls and errors, a row for each policy, and write it to a file if a path is given.

    Parameters
    ----------
    times : sequence of StoppingTime
        Top to bottom.
    alpha : float
        The error rate that was allowed, drawn as a line.
    most : float
        Pulls at which runs were stopped; a median of this size is a lower limit.
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

    styles = line_styles(time.name for time in times)
    with picture_style():
        figure = Figure(figsize=(7.6, 1.5 + 0.42 * len(times)), layout="constrained")
        pulls, errors = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        for i, time in enumerate(times):
            style = {"color": styles[time.name].colour, "marker": styles[time.name].marker or "o"}
            _draw_pulls(pulls, time, -i, most, style)
            errors.errorbar(time.error, -i, xerr=2.0 * time.error_stderr, capsize=3, markersize=6, **style)
        _dress_pulls(pulls, times, title)
        _dress_errors(errors, alpha)
        if path is not None:
            write_picture(figure, path)
    return seen_in_notebooks(figure)


def _draw_pulls(axes: Axes, time: StoppingTime, place: int, most: float, style: dict[str, Any]) -> None:
    axes.plot([time.q25, time.q75], [place, place], color=style["color"], linewidth=5, alpha=0.3, solid_capstyle="butt")
    axes.plot([time.median], [place], markersize=6, **style)
    label = f"{'≥ ' if time.median >= most else ''}{amount(round(time.median))}"
    axes.annotate(
        label, (time.median, place), xytext=(0, 6), textcoords="offset points",
        ha="center", fontsize=8, color=style["color"],
    )  # fmt: skip


def _dress_pulls(axes: Axes, times: Sequence[StoppingTime], title: str) -> None:
    if max(time.q75 for time in times) >= 5 * min(time.q25 for time in times):
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda value, _: exact(value))
    axes.margins(x=0.1)
    axes.set_ylim(0.6 - len(times), 0.7)
    axes.set_yticks([-i for i in range(len(times))], [time.name for time in times], parse_math=False)
    axes.set_xlabel("pulls until a run ended (median, quartiles)")
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)
    dress(axes, hidden=("top", "right", "left"))


def _dress_errors(axes: Axes, alpha: float) -> None:
    axes.axvline(alpha, color=GREY, linewidth=1.0, linestyle="--", zorder=1)
    axes.annotate(
        f"\u03b1 = {exact(alpha)}", (alpha, 1.0), xycoords=("data", "axes fraction"), xytext=(-3, -2),
        textcoords="offset points", ha="right", va="top", fontsize=8, color=GREY,
    )  # fmt: skip
    high = max(1.05 * alpha, axes.get_xlim()[1])
    axes.set_xlim(-0.05 * high, high)  # an error is never negative, but its error bar may be
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("error (2 std. errors)")
    dress(axes, hidden=("top", "right", "left"))
