"""The interval of each arm and its bar on one line of a terminal, on the scale of all arms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from thresher.number_text import NO_BREAK
from thresher.report.decision_rows import HasDecision
from thresher.report.text_terms import TextTerms, has_interval

WIDTH = 15  # characters
LINE, BAR, CROSSED, POINT, BEFORE, BEYOND = "─", "│", "┼", "●", "◂", "▸"
SHARE = 0.9  # of the intervals that the scale contains: one wide interval must not squash the others
MARGIN = 0.05  # least share of the scale on each side of the bar


class TextStrips:
    """Draws intervals with characters; the bar of every arm is at the same place.

    Parameters
    ----------
    rows : sequence of HasDecision
        All arms.
    said : TextTerms
        The terms: what the interval is of, and what it is compared with.
    """

    def __init__(self, rows: Sequence[HasDecision], said: TextTerms) -> None:
        self._said = said
        known = [row for row in rows if has_interval(row)]
        below = _usual([said.compared(row) - row.low for row in known])
        above = _usual([row.high - said.compared(row) for row in known])
        least = MARGIN * (below + above or 1.0)
        self._left = max(below, least)
        self._step = (self._left + max(above, least)) / (WIDTH - 1)
        self._bar = round(self._left / self._step)

    @property
    def heading(self) -> str:
        """The heading of the column: the bar is marked in it."""
        return NO_BREAK * max(self._bar - 1, 0) + "bar"

    def strip(self, row: HasDecision) -> str:
        """Return the picture of one arm: the bar, its interval and its mean."""
        cells = [" "] * WIDTH
        if has_interval(row):
            first, last = self._place(row, row.low), self._place(row, row.high)
            for i in range(max(first, 0), min(last, WIDTH - 1) + 1):
                cells[i] = LINE
            cells[0] = BEFORE if first < 0 else cells[0]
            cells[-1] = BEYOND if last >= WIDTH else cells[-1]
        cells[self._bar] = BAR if cells[self._bar] == " " else CROSSED
        if (mean := self._said.shown_mean(row)) is not None:
            place = self._place(row, mean)
            cells[min(max(place, 0), WIDTH - 1)] = BEFORE if place < 0 else BEYOND if place >= WIDTH else POINT
        return "".join(cells)

    def _place(self, row: Any, value: float) -> int:
        """Return the character at which a value is: that of the bar only if it is the bar."""
        distance = value - self._said.compared(row)
        place = round((distance + self._left) / self._step)
        if distance and place == self._bar:
            return place + (1 if distance > 0.0 else -1)
        return place


def _usual(distances: Sequence[float]) -> float:
    """Return how far from the bar the ends of most intervals on this side are; 0 if there are none."""
    beyond = sorted(distance for distance in distances if distance > 0.0)
    return beyond[math.ceil(SHARE * len(beyond)) - 1] if beyond else 0.0
