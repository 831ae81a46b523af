"""The intervals of each arm and the bar, one strip per arm on a common scale.

The thick line is the interval behind the decision, the thin one behind it the always-valid interval. An arrowhead marks
what goes on beyond the scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.number_text import exact
from thresher.report.decision_rows import HasDecision
from thresher.report.svg import Scale, arrow, span_of, tag, text, without_outliers

WIDTH, HEIGHT, EDGE = 240, 22, 8


def look_of(row: HasDecision) -> str:
    """Return the classes of a decision: its colour, and whether it is proven."""
    return f"{row.decision} {'proven' if row.proven else 'likely'}"


def distance(row: HasDecision) -> float:
    """Return the distance of the mean from the bar; 0 if nothing is known."""
    return 0.0 if row.mean is None else row.mean - row.threshold


class Strips:
    """Draws the interval of an arm on the scale of all arms.

    If the bars differ, the scale is the distance from the bar.

    Parameters
    ----------
    rows : sequence of HasDecision
        All arms.
    """

    def __init__(self, rows: Sequence[HasDecision]) -> None:
        bars = {row.threshold for row in rows}
        self.is_relative = len(bars) > 1
        low, high = span_of(self._ends(rows), margin=0.03)
        self._scale = Scale(low, high, EDGE, WIDTH - EDGE)

    def _ends(self, rows: Sequence[HasDecision]) -> list[float]:
        """Return the range of the scale: the bar, the means, and the intervals unless they are much wider.

        A mean far from all others does not count, so that one outlier does not squash the rest.
        """
        told = [(row, row.threshold if self.is_relative else 0.0) for row in rows if row.mean is not None]
        marks = without_outliers([(row.mean or 0.0) - base for row, base in told])
        marks += [0.0 if self.is_relative else row.threshold for row in rows[:1]]
        low, high = span_of(marks, margin=0.5)
        lowest = min([row.low - base for row, base in told], default=low)
        highest = max([row.high - base for row, base in told], default=high)
        return [*marks, max(lowest, low), min(highest, high)]

    def strip(self, row: HasDecision) -> str:
        """Return the picture of one arm; the table has the numbers."""
        base = row.threshold if self.is_relative else 0.0
        middle, at = HEIGHT / 2, self._scale
        bar = at(row.threshold - base)
        parts = [tag("line", x1=bar, x2=bar, y1=1, y2=HEIGHT - 1, class_="bar")]
        shown = list[float]()
        for low, high, kind in ((row.valid_low, row.valid_high, "valid"), (row.low, row.high, "interval")):
            if row.pulls and math.isfinite(low) and math.isfinite(high):
                shown += [low - base, high - base]
                x1, x2 = at(low - base), at(high - base)
                parts.append(tag("line", x1=x1, x2=x2, y1=middle, y2=middle, class_=f"{kind} {look_of(row)}"))
        if row.mean is not None:
            shown.append(row.mean - base)
            if at.low <= row.mean - base <= at.high:
                parts.append(tag("circle", cx=at(row.mean - base), cy=middle, r=4, class_=f"dot {look_of(row)}"))
        parts += self._cuts(shown, look_of(row))
        return tag("svg", "".join(parts), viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="strip", aria_hidden="true")

    def _cuts(self, shown: Sequence[float], look: str) -> list[str]:
        """Return an arrowhead for each side on which something lies beyond the scale."""
        at, middle = self._scale, HEIGHT / 2
        left = [arrow(1.0, middle, to_left=True, class_=f"cut {look}")] if min(shown, default=at.low) < at.low else []
        is_right = max(shown, default=at.high) > at.high
        return left + ([arrow(WIDTH - 1.0, middle, to_left=False, class_=f"cut {look}")] if is_right else [])

    def ruler(self) -> str:
        """Return the axis above the strips."""
        marks = [
            text(exact(value), self._scale(value), 14, anchor="middle", class_="tick") for value in self._scale.ticks(4)
        ]
        return tag("svg", "".join(marks), viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="strip", aria_hidden="true")
