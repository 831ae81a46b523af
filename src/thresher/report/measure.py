"""Measured numbers of one kind: rates, or numbers in the unit that suits their size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.number_text import NONE, exact, figure, rate, signed
from thresher.report.decision_rows import HasDecision

SMALLER = {"s": (("ms", 1e3), ("µs", 1e6), ("ns", 1e9))}  # units for numbers below 1; the first that fits is used
MOST_DECIMALS = 7  # of the limit of an interval, to tell it from the bar


@dataclass(frozen=True)
class Measure:
    """How measured numbers are shown: their unit, the factor by which they are multiplied for it, or as rates."""

    unit: str = ""
    factor: float = 1.0
    is_rate: bool = False

    @classmethod
    def of(cls, rows: Sequence[HasDecision], unit: str, *, is_rate: bool = False) -> Measure:
        """Return the unit in which the bars of these arms are easiest to read: of times in seconds, ms or µs too."""
        largest = max((abs(row.threshold) for row in rows), default=0.0)
        for smaller, factor in SMALLER.get(unit, ()) if 0.0 < largest < 1.0 else ():
            if largest * factor >= 1.0:
                return cls(smaller, factor)
        return cls(unit, is_rate=is_rate)

    def figure(self, value: float | None) -> str:
        """Return a measured number in this unit, without its name."""
        if self.is_rate:
            return rate(value)
        return figure(None if value is None else value * self.factor)

    def bar(self, value: float) -> str:
        """Return a bar in this unit, without its name."""
        return exact(value * self.factor)

    def difference(self, value: float | None) -> str:
        """Return a difference with its sign, to three significant digits."""
        return signed(figure(None if value is None else value * self.factor), value)

    def limit(self, value: float, bar: float) -> str:
        """Return the limit of an interval, with more decimals where it would otherwise read as the bar."""
        text = self.figure(value)
        near, shown = value * self.factor, bar * self.factor
        if value == bar or not math.isfinite(bar) or text != self.figure(bar):
            return text
        digits = range(len(text.partition(".")[2]) + 1, MOST_DECIMALS + 1)
        return next((f"{near:,.{n}f}" for n in digits if f"{near:.{n}f}" != f"{shown:.{n}f}"), text)

    def quantity(self, text: str) -> str:
        """Return a text with the unit behind it."""
        return f"{text} {self.unit}" if self.unit else text

    def head(self, title: str) -> str:
        """Return the head of a column of numbers in this unit."""
        return f"{title}, {self.unit}" if self.unit else title


def has_interval(row: HasDecision) -> bool:
    """Return whether an arm has an interval."""
    return bool(row.pulls) and math.isfinite(row.low) and math.isfinite(row.high)


def interval_of(row: HasDecision, measure: Measure | None = None, *, bar: float | None = None) -> str:
    """Return the interval behind the decision in words; a dash where there is none.

    `bar` is what the interval is compared with: the bar of the arm, or with a control the margin.
    """
    if not has_interval(row):
        return NONE
    shown, near = measure or Measure(), row.threshold if bar is None else bar
    return f"{shown.limit(row.low, near)} to {shown.limit(row.high, near)}"
