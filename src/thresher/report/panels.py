"""What a picture of curves shows: lines in panels."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.errors import UnknownNameError


@dataclass(frozen=True)
class Line:
    """A curve with its name, and a band around it where it was measured.

    Parameters
    ----------
    name : str
        Written at its end; its colour and dashes follow from it (:mod:`thresher.report.picture_style`).
    x, y : tuple of float
        Of equal length.
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
        assert len(self.x) == len(self.y), f"{self.name}: {len(self.x)} x values for {len(self.y)} y values"
        assert len(self.low) == len(self.high) in (0, len(self.y)), f"{self.name}: the band differs in length"

    def at(self, x: float) -> float:
        """Return the y value at one of the x values of the curve."""
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
        The visible range of the axes.
    reference : tuple of float, str and str, optional
        A horizontal line, its label, and on which side: ``"left"`` or ``"right"``.
    xticks : tuple of float
        Where the horizontal axis has ticks; chosen from the range if empty.
    labels : tuple of (str, float, str)
        Curves whose name is not at their right end: the name, its height (0 to 1), and the side of the curve.
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
    xticks: tuple[float, ...] = ()
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
