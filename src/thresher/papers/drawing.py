"""Draw panels: names at the ends of the curves, bands, logarithmic axes with readable numbers."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.papers.figure import Line, Panel
from thresher.papers.line_styles import GREY, line_style
from thresher.report.curves import plotting
from thresher.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 3.7, 2.75  # inches of one panel: two beside each other fit a page, one fits a phone
LABEL, SMALL, TEXT = 7.5, 7.5, 8.5  # points
LEFT, BOTTOM, TOP, LEAST_RIGHT = 0.58, 0.45, 0.3, 0.17  # inches around the axes: ticks, axis labels, title
LABEL_GAP, LETTER = 0.2, 0.063  # inches before a label, and for each of its letters
LABEL_SPACING = 0.068  # of the height of the axes: what one line of a label takes


def write_pictures(panels: Sequence[Panel], stem: Path) -> None:
    """Write the panels of a figure side by side as ``stem.png`` and ``stem.svg``.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    with _style(stem.name):
        figure = _drawn(panels)
        figure.savefig(stem.with_suffix(".png"), dpi=220)
        figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})


def svg_of(panel: Panel, *, salt: str) -> str:
    """Return one panel as SVG text on a transparent ground; the salt keeps the identifiers of several ones apart."""
    text = io.StringIO()
    with _style(salt):
        _drawn([panel]).savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return text.getvalue()


@contextmanager
def _style(salt: str) -> Iterator[None]:
    options = {"svg.fonttype": "none", "svg.hashsalt": salt, "font.size": TEXT, "axes.linewidth": 0.6}
    with plotting().rc_context(options):
        yield


def _drawn(panels: Sequence[Panel]) -> Figure:
    from matplotlib.figure import Figure

    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(WIDTH * columns, HEIGHT * rows))
    for i, panel in enumerate(panels):
        _draw(figure.add_axes(_place(panel, i % columns, i // columns, columns, rows)), panel)
    return figure


def _place(panel: Panel, column: int, row: int, columns: int, rows: int) -> tuple[float, float, float, float]:
    """Return where the axes of a panel stand in a figure, with room for the names beside them.

    Measured here, not by matplotlib's layout engines: those draw every figure twice, half of the time of all figures.
    """
    inside = {name for name, _, _ in panel.labels}
    longest = max((len(line.name) for line in panel.lines if line.name not in inside), default=0)
    right = LABEL_GAP + longest * LETTER if longest else LEAST_RIGHT
    left, bottom = column * WIDTH + LEFT, (rows - 1 - row) * HEIGHT + BOTTOM
    width, height = WIDTH - LEFT - right, HEIGHT - BOTTOM - TOP
    return left / (WIDTH * columns), bottom / (HEIGHT * rows), width / (WIDTH * columns), height / (HEIGHT * rows)


def _draw(axes: Axes, panel: Panel) -> None:
    for line in panel.lines:
        (_draw_dots if line.is_dots else _draw_line)(axes, line, is_log=panel.is_log_y)
    _set_axes(axes, panel)
    if panel.reference is not None:
        _draw_reference(axes, panel)
    _label_ends(axes, panel)
    _label_inside(axes, panel)


def _draw_line(axes: Axes, line: Line, *, is_log: bool) -> None:
    look, x, y = line_style(line.name), np.array(line.x), np.array(line.y)
    shown = (y > 0.0) | (not is_log)
    marker: dict[str, Any] = {}
    if look.marker and len(x) <= 20:
        face = "none" if look.dashes == "--" else look.colour
        marker = {"marker": look.marker, "markersize": 3.2, "markerfacecolor": face, "markeredgewidth": 0.8}
    axes.plot(x[shown], y[shown], color=look.colour, linestyle=look.dashes, linewidth=look.width, **marker)
    if line.low:
        low = np.maximum(line.low, 0.02 * np.maximum(y, 1e-300)) if is_log else np.array(line.low)
        axes.fill_between(x[shown], low[shown], np.array(line.high)[shown], color=look.colour, alpha=0.15, linewidth=0)


def _draw_dots(axes: Axes, line: Line, *, is_log: bool) -> None:
    look, y = line_style(line.name), np.array(line.y)
    shown = (y > 0.0) | (not is_log)
    low = np.maximum(line.low, 0.3 * y) if is_log else np.array(line.low)  # a bar down to 0 has no end there
    bars = np.array([y - low, np.array(line.high) - y])[:, shown] if line.low else None
    axes.errorbar(
        np.array(line.x)[shown], y[shown], yerr=bars, color=look.colour, fmt=look.marker, markersize=4, elinewidth=0.8
    )


def _set_axes(axes: Axes, panel: Panel) -> None:
    if panel.is_log_x:
        axes.set_xscale("log")
    if panel.is_log_y:
        axes.set_yscale("log")
    from matplotlib.ticker import MaxNLocator

    places = [x for line in panel.lines for x in line.x]
    axes.set_xlim(*(panel.xlim or (min(places), max(places))))
    if panel.ylim is not None:
        axes.set_ylim(*panel.ylim)
    for axis, limits, is_log in (
        (axes.xaxis, axes.get_xlim(), panel.is_log_x),
        (axes.yaxis, axes.get_ylim(), panel.is_log_y),
    ):
        if is_log:
            _set_log_ticks(axis, limits)
        else:
            axis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
    axes.set_xlabel(panel.xlabel)
    axes.set_ylabel(panel.ylabel)
    axes.set_title(panel.title, loc="left", fontsize=TEXT, fontweight="bold")
    axes.grid(visible=True, which="major", alpha=0.22, linewidth=0.6)
    axes.tick_params(labelsize=SMALL, width=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _set_log_ticks(axis: Any, limits: tuple[float, float]) -> None:
    from matplotlib.ticker import FuncFormatter, LogFormatterMathtext, LogLocator, NullFormatter

    decades = math.log10(limits[1] / limits[0])
    if decades <= 2.3:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    else:
        axis.set_major_locator(LogLocator(numticks=7))
        axis.set_major_formatter(LogFormatterMathtext())
    axis.set_minor_formatter(NullFormatter())


def tick_text(value: float) -> str:
    """Return a round number as an axis shows it, short: ``0.2``, ``500``, ``20k``, ``2·10⁷``."""
    if value < 1e5:
        return f"{value:g}" if value < 1000.0 else f"{value / 1000.0:g}k"
    mantissa, exponent = f"{value:.0e}".split("e+")
    power = "10" + str(int(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if mantissa == "1" else f"{mantissa}·{power}"


def _draw_reference(axes: Axes, panel: Panel) -> None:
    assert panel.reference is not None
    height, text, side = panel.reference
    axes.axhline(height, color=GREY, linewidth=0.8, zorder=0.5)
    axes.annotate(
        text,
        xy=(0.015 if side == "left" else 0.985, height),
        xycoords=("axes fraction", "data"),
        xytext=(0, 2),
        textcoords="offset points",
        color=GREY,
        fontsize=LABEL - 0.5,
        ha=side,
    )


def _label_ends(axes: Axes, panel: Panel) -> None:
    """Write each name beside the right end of its curve, pushed apart where they would overlap."""
    elsewhere = {name for name, _, _ in panel.labels}
    ends = [(_end(axes, line, is_log=panel.is_log_y), line) for line in panel.lines if line.name not in elsewhere]
    ends.sort(key=lambda end: end[0])
    places = spread([height for height, _ in ends], spacing=LABEL_SPACING)
    for place, (height, line) in zip(places, ends, strict=True):
        colour = line_style(line.name).colour
        axes.plot(
            [1.0, 1.035], [height, place], transform=axes.transAxes, color=colour, linewidth=0.6, alpha=0.7,
            clip_on=False, scalex=False, scaley=False,
        )  # fmt: skip
        axes.text(1.045, place, line.name, transform=axes.transAxes, color=colour, fontsize=LABEL, va="center")


def _label_inside(axes: Axes, panel: Panel) -> None:
    """Write the names that stand beside their curves, at the height that the panel asks for."""
    for name, height, side in panel.labels:
        across, up = _path(axes, panel.line(name), is_log=panel.is_log_y)
        order = np.argsort(up)
        axes.annotate(
            name,
            xy=(float(np.interp(height, up[order], across[order])), height),
            xycoords="axes fraction",
            xytext=(-3 if side == "left" else 3, 0),
            textcoords="offset points",
            color=line_style(name).colour,
            fontsize=LABEL,
            ha="right" if side == "left" else "left",
            va="center",
        )


def _path(axes: Axes, line: Line, *, is_log: bool) -> tuple[Floats, Floats]:
    """Return a curve in shares of the axes, without what a logarithmic axis cannot show."""
    points = [point for point in zip(line.x, line.y, strict=True) if point[1] > 0.0 or not is_log]
    shares = axes.transAxes.inverted().transform(axes.transData.transform(points or [(line.x[-1], 1.0)]))
    return shares[:, 0], shares[:, 1]


def _end(axes: Axes, line: Line, *, is_log: bool) -> float:
    """Return the height of a curve's last point, as a share of the axes, kept inside them."""
    across, up = _path(axes, line, is_log=is_log)
    inside = up[across <= 1.0 + 1e-9]
    return float(np.clip(inside[-1], 0.0, 1.0)) if inside.size else 0.0


def spread(heights: Sequence[float], *, spacing: float, top: float = 1.0) -> list[float]:
    """Return places for labels: at least `spacing` apart, as near to increasing heights as that allows.

    Heights that are too close form a group, and a group stands around the mean of its heights; it stays between 0 and
    `top` if there is room.

    Parameters
    ----------
    heights : sequence of float
        Increasing, where the labels would best be.
    spacing, top : float
    """
    groups: list[tuple[float, int]] = []  # where the lowest label of a group stands, and how many it has
    for height in heights:
        start, size = height, 1
        while groups and groups[-1][0] + groups[-1][1] * spacing > start:
            before, members = groups.pop()
            start = (before * members + (start - members * spacing) * size) / (members + size)
            size += members
        groups.append((start, size))
    places = [start + i * spacing for start, size in groups for i in range(size)]
    return _kept_inside(places, spacing, top)


def _kept_inside(places: list[float], spacing: float, top: float) -> list[float]:
    """Return the places pushed down from the top, then up from 0, without coming closer to each other."""
    n = len(places)
    lowered = [min(place, top - (n - 1 - i) * spacing) for i, place in enumerate(places)]
    return [max(place, i * spacing) for i, place in enumerate(lowered)]
