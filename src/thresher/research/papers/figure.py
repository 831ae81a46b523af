"""A reproduced figure: lines in panels, and the numbers behind them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thresher.report import Panel, Panels

if TYPE_CHECKING:
    from thresher.research.papers.grid import Grid

COLUMNS = ("panel", "x_is", "y_is", "curve", "x", "y", "low", "high")


@dataclass(frozen=True)
class FigureTable:
    """Rows of text under a header, shown with a picture."""

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
