"""Draw panels: names at the ends of the curves or in one legend, bands, logarithmic axes with readable numbers."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.number_text import exact
from thresher.report.panels import Line, Panel
from thresher.report.picture_style import GREY, PUBLISHED, LineStyle, dress, line_styles, picture_style
from thresher.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BOTTOM, TOP, LEAST_RIGHT = 0.45, 0.3, 0.17  # inches around the axes: ticks, axis labels, title
LABEL_GAP = 0.2  # inches before the name of a curve
LETTER = 0.0084  # inches of a letter, for each point of its size
LINE = 0.0189  # inches that a line of names takes, for each point

Mask = NDArray[np.bool_]
Styles = dict[str, LineStyle]


@dataclass(frozen=True)
class PanelSize:
    """Width and height of one panel in inches, and the sizes of its text in points."""

    width: float
    height: float
    text: float
    small: float
    left: float


IN_PAIRS = PanelSize(3.7, 2.75, 8.5, 7.5, 0.58)  # two in a row fit a page, one fits a phone
ALONE = PanelSize(6.8, 4.2, 10.0, 9.0, 0.68)


def write_pictures(panels: Sequence[Panel], stem: Path) -> None:
    """Write the panels of a figure side by side as ``stem.png`` and ``stem.svg``.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    with picture_style(text=IN_PAIRS.text, salt=stem.name):
        figure = draw_panels(panels)
        figure.savefig(stem.with_suffix(".png"), dpi=220)
        figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})


def svg_of(panel: Panel, *, salt: str, has_names: bool = True) -> str:
    """Return one panel as SVG text with a transparent background; the salt makes identifiers unique on a page."""
    with picture_style(text=IN_PAIRS.text, salt=salt):
        return _svg(_drawn([panel], IN_PAIRS, has_legend=False, has_names=has_names))


def legend_svg(panels: Sequence[Panel], *, salt: str) -> str:
    """Return the shared legend of panels as SVG text with a transparent background."""
    from matplotlib.figure import Figure

    with picture_style(text=IN_PAIRS.text, salt=salt):
        names = _legend_names(panels)
        width = 2.0 * IN_PAIRS.width
        columns = _legend_columns(names, width, IN_PAIRS)
        figure = Figure(figsize=(width, _legend_height(names, columns, IN_PAIRS)))
        _draw_legend(figure, names, columns, IN_PAIRS)
        return _svg(figure)


def _svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return text.getvalue()


def shares_legend(panels: Sequence[Panel]) -> bool:
    """Return whether panels share a legend: there are several, with the same curves and no manually placed names."""
    names = [{line.name for line in panel.lines} for panel in panels]
    return len(panels) > 1 and all(each == names[0] for each in names) and not any(panel.labels for panel in panels)


def draw_panels(panels: Sequence[Panel], size: PanelSize = IN_PAIRS) -> Figure:
    """Return the figure with the panels, two per row, in the current style."""
    return _drawn(panels, size, has_legend=shares_legend(panels), has_names=not shares_legend(panels))


def _drawn(panels: Sequence[Panel], size: PanelSize, *, has_legend: bool, has_names: bool) -> Figure:
    from matplotlib.figure import Figure

    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    names = _legend_names(panels) if has_legend else []
    legend_columns = _legend_columns(names, size.width * columns, size)
    above = _legend_height(names, legend_columns, size) if has_legend else 0.0
    figure = Figure(figsize=(size.width * columns, size.height * rows + above))
    styles = line_styles(line.name for panel in panels for line in panel.lines)
    whole = (size.width * columns, size.height * rows + above)
    for i, panel in enumerate(panels):
        box = _box(panel, size, i % columns, rows - 1 - i // columns, has_names=has_names)
        _draw(figure.add_axes(_shares(box, whole)), panel, styles, size, has_names=has_names)
    if has_legend:
        _draw_legend(figure, names, legend_columns, size)
    return figure


def _box(panel: Panel, size: PanelSize, column: int, row: int, *, has_names: bool) -> tuple[float, float, float, float]:
    """Return the position of the axes of a panel in inches, with space for the names next to them.

    matplotlib's layout engines are not used because they draw every figure twice, which doubles the time.
    """
    inside = {name for name, _, _ in panel.labels}
    longest = max((len(line.name) for line in panel.lines if line.name not in inside), default=0)
    right = LABEL_GAP + longest * LETTER * size.small if longest and has_names else LEAST_RIGHT
    width, height = size.width - size.left - right, size.height - BOTTOM - TOP
    return column * size.width + size.left, row * size.height + BOTTOM, width, height


def _shares(box: tuple[float, float, float, float], whole: tuple[float, float]) -> tuple[float, float, float, float]:
    return box[0] / whole[0], box[1] / whole[1], box[2] / whole[0], box[3] / whole[1]


def _legend_names(panels: Sequence[Panel]) -> list[str]:
    """Return the entries of a legend; published values are one entry, whatever their colour."""
    names = dict.fromkeys(line.name for panel in panels for line in panel.lines)
    kept = [name for name in names if not name.endswith(PUBLISHED)]
    return kept if len(kept) == len(names) else [*kept, PUBLISHED]


def _legend_columns(names: Sequence[str], width: float, size: PanelSize) -> int:
    """Return the number of entries that fit in a row of the legend."""
    inches = [0.055 * size.small + LETTER * size.small * len(name) for name in names]
    return max(1, len(names) if sum(inches) <= width else int(width / max(inches)))


def _legend_height(names: Sequence[str], columns: int, size: PanelSize) -> float:
    return 0.06 + math.ceil(len(names) / columns) * 1.2 * LINE * size.small


def _draw_legend(figure: Figure, names: Sequence[str], columns: int, size: PanelSize) -> None:
    from matplotlib.lines import Line2D

    styles = line_styles(name for name in names if name != PUBLISHED) | {PUBLISHED: LineStyle(GREY, "", "x")}
    entries = [
        Line2D([], [], label=name.removeprefix(", "), linewidth=styles[name].width, **_look(styles[name]))
        for name in names
    ]
    figure.legend(
        handles=entries, loc="upper center", ncols=columns, frameon=False, fontsize=size.small, handlelength=2.6,
        columnspacing=1.4, borderaxespad=0.1,
    )  # fmt: skip


def _look(style: LineStyle) -> dict[str, Any]:
    """Return the keyword arguments of matplotlib for a style, without its width."""
    face = "white" if style.is_open else style.colour
    return {
        "color": style.colour, "linestyle": style.dashes, "marker": style.marker, "markersize": 3.6,
        "markerfacecolor": face, "markeredgewidth": 0.8,
    }  # fmt: skip


def _draw(axes: Axes, panel: Panel, styles: Styles, size: PanelSize, *, has_names: bool) -> None:
    for line in panel.lines:
        (_draw_dots if line.is_dots else _draw_line)(axes, line, styles[line.name], is_log=panel.is_log_y)
    _set_axes(axes, panel, size)
    if panel.reference is not None:
        _draw_reference(axes, panel, size)
    if has_names:
        _label_ends(axes, panel, styles, size)
        _label_inside(axes, panel, styles, size)


def _draw_line(axes: Axes, line: Line, style: LineStyle, *, is_log: bool) -> None:
    x, y = np.array(line.x), np.array(line.y)
    shown = _without_ends((y > 0.0) | (not is_log))
    y = np.where((y > 0.0) | (not is_log), y, np.nan)  # a gap in the line where a logarithmic axis cannot show a value
    look = _look(style) if len(x) <= 20 else _look(style) | {"marker": ""}
    axes.plot(x[shown], y[shown], linewidth=style.width, **look)
    if line.low:
        low = np.maximum(line.low, 0.02 * np.maximum(y, 1e-300)) if is_log else np.array(line.low)
        axes.fill_between(x[shown], low[shown], np.array(line.high)[shown], color=style.colour, alpha=0.15, linewidth=0)


def _without_ends(is_shown: Mask) -> Mask:
    """Return which points lie between the first and the last visible one."""
    places = np.flatnonzero(is_shown)
    kept = np.zeros(is_shown.size, bool)
    if places.size:
        kept[places[0] : places[-1] + 1] = True
    return kept


def _draw_dots(axes: Axes, line: Line, style: LineStyle, *, is_log: bool) -> None:
    y = np.array(line.y)
    shown = (y > 0.0) | (not is_log)
    low = (
        np.maximum(line.low, 0.3 * y) if is_log else np.array(line.low)
    )  # an error bar that reaches 0 has no lower cap
    bars = np.array([y - low, np.array(line.high) - y])[:, shown] if line.low else None
    axes.errorbar(
        np.array(line.x)[shown], y[shown], yerr=bars, color=style.colour, fmt=style.marker, markersize=4, elinewidth=0.8
    )


def _set_axes(axes: Axes, panel: Panel, size: PanelSize) -> None:
    if panel.is_log_x:
        axes.set_xscale("log")
    if panel.is_log_y:
        axes.set_yscale("log")
    places = [x for line in panel.lines for x in line.x]
    axes.set_xlim(*(panel.xlim or _span(min(places), max(places), is_log=panel.is_log_x)))
    if panel.ylim is not None:
        axes.set_ylim(*panel.ylim)
    _set_ticks(axes, panel)
    axes.set_xlabel(panel.xlabel)
    axes.set_ylabel(panel.ylabel)
    axes.set_title(panel.title, loc="left", fontsize=size.text, fontweight="bold", parse_math=False)
    axes.tick_params(labelsize=size.small)
    dress(axes)


def _span(low: float, high: float, *, is_log: bool) -> tuple[float, float]:
    """Return the range of an axis, with a little room for the marks at its ends."""
    if is_log:
        room = (high / low) ** 0.015 if high > low else 1.5
        return low / room, high * room
    room = 0.015 * (high - low) if high > low else 0.5 * abs(low or 1.0)
    return low - room, high + room


def _set_ticks(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import MaxNLocator

    for axis, limits, is_log in (
        (axes.xaxis, axes.get_xlim(), panel.is_log_x),
        (axes.yaxis, axes.get_ylim(), panel.is_log_y),
    ):
        if is_log:
            _set_log_ticks(axis, limits)
        else:
            axis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
    if panel.xticks:
        axes.set_xticks(panel.xticks, [tick_text(tick) for tick in panel.xticks])
        axes.xaxis.minorticks_off()


def _set_log_ticks(axis: Any, limits: tuple[float, float]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    decades = math.log10(limits[1] / limits[0])
    if decades <= 2.3:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    else:
        axis.set_major_locator(LogLocator(numticks=7))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    axis.set_minor_formatter(NullFormatter())


def tick_text(value: float) -> str:
    """Return a round number as an axis shows it, short: ``0.2``, ``500``, ``20k``, ``2·10⁷``, ``10⁻⁵``."""
    if 1e-3 <= value < 1e5:
        return exact(value) if value < 1000.0 else f"{exact(value / 1000.0)}k"
    mantissa, exponent = f"{value:.0e}".split("e")
    power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if mantissa == "1" else f"{mantissa}·{power}"


def _draw_reference(axes: Axes, panel: Panel, size: PanelSize) -> None:
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
        fontsize=size.small - 0.5,
        ha=side,
    )


def _label_ends(axes: Axes, panel: Panel, styles: Styles, size: PanelSize) -> None:
    """Write each name next to the right end of its curve, moved apart if they would overlap."""
    elsewhere = {name for name, _, _ in panel.labels}
    named = [line for line in panel.lines if line.name not in elsewhere and _is_visible(line, is_log=panel.is_log_y)]
    ends = sorted(((_end(axes, line, is_log=panel.is_log_y), line) for line in named), key=lambda end: end[0][1])
    spacing = LINE * size.small / (size.height - BOTTOM - TOP)
    places = spread([height for (_, height), _ in ends], spacing=spacing)
    for place, ((across, height), line) in zip(places, ends, strict=True):
        colour = styles[line.name].colour
        axes.plot(
            [across, 1.0, 1.035], [height, height, place], transform=axes.transAxes, color=colour, linewidth=0.6,
            alpha=0.7, clip_on=False, scalex=False, scaley=False,
        )  # fmt: skip
        axes.text(
            1.045, place, line.name, transform=axes.transAxes, color=colour, fontsize=size.small, va="center",
            parse_math=False,
        )  # fmt: skip


def _is_visible(line: Line, *, is_log: bool) -> bool:
    return not is_log or any(value > 0.0 for value in line.y)


def _label_inside(axes: Axes, panel: Panel, styles: Styles, size: PanelSize) -> None:
    """Write the names that the panel places at a given height next to their curves."""
    for name, height, side in panel.labels:
        across, up = _path(axes, panel.line(name), is_log=panel.is_log_y)
        order = np.argsort(up)
        axes.annotate(
            name,
            xy=(float(np.interp(height, up[order], across[order])), height),
            xycoords="axes fraction",
            xytext=(-3 if side == "left" else 3, 0),
            textcoords="offset points",
            color=styles[name].colour,
            fontsize=size.small,
            ha="right" if side == "left" else "left",
            va="center",
        )


def _path(axes: Axes, line: Line, *, is_log: bool) -> tuple[Floats, Floats]:
    """Return a curve in axes coordinates, without values that a logarithmic axis cannot show."""
    points = [point for point in zip(line.x, line.y, strict=True) if point[1] > 0.0 or not is_log]
    shares = axes.transAxes.inverted().transform(axes.transData.transform(points or [(line.x[-1], 1.0)]))
    return shares[:, 0], shares[:, 1]


def _end(axes: Axes, line: Line, *, is_log: bool) -> tuple[float, float]:
    """Return where the visible part of a curve ends, in shares of the axes."""
    path = np.column_stack(_path(axes, line, is_log=is_log))
    inside = path[path[:, 0] <= 1.0 + 1e-9]
    across, height = np.clip(inside[-1], 0.0, 1.0) if len(inside) else (1.0, 0.0)
    return float(across), float(height)


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
