"""Numbers as people read them: three significant digits, and the unit that suits their size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.report.decision_rows import HasDecision

SMALLER = {"s": (("ms", 1e3), ("µs", 1e6), ("ns", 1e9))}  # units for numbers below 1; the first that fits is used


def figure(value: float | None) -> str:
    """Return a number to three significant digits; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0.0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size >= 3:
        return f"{round(value, 2 - size):,.0f}"
    return f"{value:.3g}" if size >= -4 else f"{value:.2e}"


@dataclass(frozen=True)
class Measure:
    """The unit in which numbers are shown, and the factor by which they are multiplied for it."""

    unit: str = ""
    factor: float = 1.0

    @classmethod
    def of(cls, rows: Sequence[HasDecision], unit: str) -> Measure:
        """Return the unit in which the bars of these arms are easiest to read: of times in seconds, ms or µs too."""
        largest = max((abs(row.threshold) for row in rows), default=0.0)
        for smaller, factor in SMALLER.get(unit, ()) if 0.0 < largest < 1.0 else ():
            if largest * factor >= 1.0:
                return cls(smaller, factor)
        return cls(unit)

    def figure(self, value: float | None) -> str:
        """Return a number in this unit, without its name."""
        return figure(None if value is None else value * self.factor)

    def quantity(self, text: str) -> str:
        """Return a text with the unit behind it."""
        return f"{text} {self.unit}" if self.unit else text

    def head(self, title: str) -> str:
        """Return the head of a column of numbers in this unit."""
        return f"{title}, {self.unit}" if self.unit else title


def signed(value: float | None, measure: Measure | None = None) -> str:
    """Return a difference with its sign; a dash where there is none."""
    text = (measure or Measure()).figure(value)
    return f"+{text}" if value is not None and value > 0.0 and text != "–" else text


def interval_of(row: HasDecision, measure: Measure | None = None) -> str:
    """Return the interval in words; a dash where there is none."""
    shown = measure or Measure()
    is_known = row.pulls and math.isfinite(row.low) and math.isfinite(row.high)
    return f"{shown.figure(row.low)} to {shown.figure(row.high)}" if is_known else "–"
