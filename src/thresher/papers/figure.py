"""A reproduced figure: lines in panels, and the numbers behind them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thresher.errors import UnknownNameError

if TYPE_CHECKING:
    from thresher.papers.grid import Grid

COLUMNS = ("panel", "x_is", "y_is", "curve", "x", "y", "low", "high")


@dataclass(frozen=True)
class Line:
    """A curve with its name, and a band around it where it was measured.

    Parameters
    ----------
    name : str
        Written at its end; its colour and dashes follow from it (:mod:`thresher.papers.line_styles`).
    x, y : tuple of float
        As many of the one as of the other.
    low, high : tuple of float
        The band: two standard errors, or quartiles, as the panel says; empty for an exact curve.
    is_dots : bool
        Points only, with the band as bars: numbers that another paper published.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    is_dots: bool = False

    def __post_init__(self) -> None:
        assert len(self.x) == len(self.y), f"{self.name}: {len(self.x)} places for {len(self.y)} values"
        assert len(self.low) == len(self.high) in (0, len(self.y)), f"{self.name}: a band of another length"

    def at(self, x: float) -> float:
        """Return the value at a place that the curve has."""
        return self.y[self.x.index(x)]


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Parameters
    ----------
    title, xlabel, ylabel : str
    lines : tuple of Line
    is_log_x, is_log_y : bool
        Which axes are logarithmic.
    xlim, ylim : tuple of float, optional
        What part of the axes is shown.
    reference : tuple of float, str and str, optional
        A horizontal line, what it says, and on which side: ``"left"`` or ``"right"``.
    labels : tuple of (str, float, str)
        Curves whose name is not at their right end: the name, at which share of the height, on which side of the curve.
    """

    title: str
    xlabel: str
    ylabel: str
    lines: tuple[Line, ...]
    is_log_x: bool = False
    is_log_y: bool = False
    xlim: tuple[float, float] | None = None
    ylim: tuple[float, float] | None = None
    reference: tuple[float, str, str] | None = None
    labels: tuple[tuple[str, float, str], ...] = ()

    def line(self, name: str) -> Line:
        """Return the curve of that name.

        Raises
        ------
        UnknownNameError
            If there is none.
        """
        for line in self.lines:
            if line.name == name:
                return line
        raise UnknownNameError(f"curve of {self.title!r}", name, [line.name for line in self.lines])


Panels = tuple[Panel, ...]


@dataclass(frozen=True)
class FigureTable:
    """Rows of text under a header, shown beside a picture."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PaperFigure:
    """A figure that ``thresher reproduce`` makes.

    Parameters
    ----------
    name : str
        Of the files, and on the command line.
    title, place : str
        What it shows, and where it stands in which paper.
    setup : str
        What was simulated or computed.
    panels : callable
        From the simulations to the panels.
    found : callable
        From the panels to a few sentences with numbers: what is to be seen.
    table : callable, optional
        From the simulations to a table that stands below the picture.
    """

    name: str
    title: str
    place: str
    setup: str
    panels: Callable[[Grid], Panels]
    found: Callable[[Panels], str]
    table: Callable[[Grid], FigureTable] | None = None


def as_csv(panels: Sequence[Panel]) -> str:
    """Return the numbers of a figure as CSV: one line for each point, under ``COLUMNS``."""
    return _csv(COLUMNS, _points(panels))


def table_as_csv(table: FigureTable) -> str:
    """Return a table as CSV."""
    return _csv(table.header, table.rows)


def _csv(header: Sequence[str], rows: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _points(panels: Sequence[Panel]) -> Iterator[Sequence[object]]:
    for panel in panels:
        for line in panel.lines:
            for i, (x, y) in enumerate(zip(line.x, line.y, strict=True)):
                band = (f"{line.low[i]:.6g}", f"{line.high[i]:.6g}") if line.low else ("", "")
                yield (panel.title, panel.xlabel, panel.ylabel, line.name, f"{x:.10g}", f"{y:.6g}", *band)
