"""Verdicts in a row: the interval of each arm beside the bar, the same scale for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from thresher.report.svg import Scale, number, span_of, tag, text

WIDTH, HEIGHT, EDGE = 240, 22, 8
SIGNS = {"above": "▲", "below": "▼", "undecided": "●"}  # so that colour does not say it alone


class HasVerdict(Protocol):
    """The verdict of an arm, as a row shows it."""

    @property
    def arm(self) -> str:
        """Its name."""

    @property
    def verdict(self) -> str:
        """``above``, ``below`` or ``undecided``."""

    @property
    def sure(self) -> bool:
        """Whether the interval leaves the bar on one side."""

    @property
    def mean(self) -> float | None:
        """Of the outcomes."""

    @property
    def pulls(self) -> int:
        """How many outcomes."""

    @property
    def low(self) -> float:
        """Where the interval begins."""

    @property
    def high(self) -> float:
        """Where it ends."""

    @property
    def threshold(self) -> float:
        """The bar."""


def look_of(row: HasVerdict) -> str:
    """Return the classes of a verdict: its colour, and whether it is sure."""
    return f"{row.verdict} {'sure' if row.sure else 'likely'}"


def words_of(row: HasVerdict) -> str:
    """Return a verdict in words; one that is not proven is "likely"."""
    return row.verdict if row.sure or row.verdict == "undecided" else f"likely {row.verdict}"


def interval_of(row: HasVerdict) -> str:
    """Return the interval in words; a dash where there is none yet."""
    is_known = row.pulls and math.isfinite(row.low) and math.isfinite(row.high)
    return f"{number(row.low)} to {number(row.high)}" if is_known else "–"


def distance(row: HasVerdict) -> float:
    """Return how far the mean is from the bar; infinitely near where nothing is known."""
    return 0.0 if row.mean is None else row.mean - row.threshold


class Strips:
    """Draws the interval of an arm on the scale of all arms.

    Where the arms have bars of their own, the scale is the distance from the bar.

    Parameters
    ----------
    rows : sequence of HasVerdict
        All arms.
    """

    def __init__(self, rows: Sequence[HasVerdict]) -> None:
        bars = {row.threshold for row in rows}
        self.is_relative = len(bars) > 1
        low, high = span_of(self._ends(rows), margin=0.03)
        self._scale = Scale(low, high, EDGE, WIDTH - EDGE)

    def _ends(self, rows: Sequence[HasVerdict]) -> list[float]:
        """Return what the scale must show: the bar, the means, and the intervals as far as they are not much wider."""
        told = [(row, row.threshold if self.is_relative else 0.0) for row in rows if row.mean is not None]
        marks = [(row.mean or 0.0) - base for row, base in told]
        marks += [0.0 if self.is_relative else row.threshold for row in rows[:1]]
        low, high = span_of(marks, margin=0.5)
        lowest = min([row.low - base for row, base in told], default=low)
        highest = max([row.high - base for row, base in told], default=high)
        return [*marks, max(lowest, low), min(highest, high)]

    def strip(self, row: HasVerdict) -> str:
        """Return the picture of one arm; the table says the same in numbers."""
        base = row.threshold if self.is_relative else 0.0
        middle, at = HEIGHT / 2, self._scale
        bar = at(row.threshold - base)
        parts = [tag("line", x1=bar, x2=bar, y1=1, y2=HEIGHT - 1, class_="bar")]
        if row.pulls and math.isfinite(row.low) and math.isfinite(row.high):
            x1, x2 = at(row.low - base), at(row.high - base)
            parts.append(tag("line", x1=x1, x2=x2, y1=middle, y2=middle, class_=f"interval {look_of(row)}"))
        if row.mean is not None:
            parts.append(tag("circle", cx=at(row.mean - base), cy=middle, r=4, class_=f"dot {look_of(row)}"))
        return tag("svg", "".join(parts), viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="strip", aria_hidden="true")

    def ruler(self) -> str:
        """Return the scale, to stand above the strips."""
        marks = [
            text(number(value), self._scale(value), 14, anchor="middle", class_="tick")
            for value in self._scale.ticks(4)
        ]
        return tag("svg", "".join(marks), viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="strip", aria_hidden="true")
