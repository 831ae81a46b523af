"""The mean loss of each row of a simulation with two standard errors, one strip per row on a common scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.report.curves import HasLoss
from thresher.report.svg import Scale, tag
from thresher.report.verdict_rows import EDGE, HEIGHT, WIDTH


def loss_strips(rows: Sequence[HasLoss]) -> list[str]:
    """Return the picture of each row; the scale begins at 0."""
    highest = max([row.mean + 2.0 * _error(row) for row in rows], default=0.0) or 1.0
    at, middle = Scale(0.0, highest, EDGE, WIDTH - EDGE), HEIGHT / 2
    strips = []
    for row in rows:
        error = 2.0 * _error(row)
        parts = [
            tag("line", x1=at(0.0), x2=at(row.mean), y1=middle, y2=middle, class_="valid open"),
            tag("line", x1=at(row.mean - error), x2=at(row.mean + error), y1=middle, y2=middle, class_="interval open"),
            tag("circle", cx=at(row.mean), cy=middle, r=4, class_="dot open proven"),
        ]
        strips.append(tag("svg", "".join(parts), viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="strip", aria_hidden="true"))
    return strips


def _error(row: HasLoss) -> float:
    return row.stderr if math.isfinite(row.stderr) else 0.0
