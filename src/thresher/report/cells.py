"""The cells of a table of arms in HTML: three significant digits, with the decimal points of a column aligned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.report.decision_rows import HasDecision
from thresher.report.measure import Measure
from thresher.report.svg import number

DIGITS = 3
FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"  # the width of a digit and of a decimal point
NONE = "–"
# The columns of a table of arms, with their tooltips.
COLUMNS = {
    "Decision": "Pass or fail where the risk allows a decision; otherwise which way the arm leans.",
    "Arm": "Name of the arm.",
    "Interval": "Confidence interval of the mean; it stays valid however often you look.",
    "Mean": "Mean of the outcomes of this arm; with items, adjusted for the difficulty of those that it answered.",
    "Difference": "Mean of this arm minus that of the control.",
    "Interval of the difference": "Confidence interval of the difference; it stays valid however often you look.",
    "Lift": "Difference from the control in per cent of its mean, with its interval.",
    "Bar": "Value that the mean is compared with.",
    "Measurements": "Number of outcomes; with a plus sign, measurements in flight.",
    "Chance of error": "Probability that the verdict on this arm is wrong.",
}


@dataclass(frozen=True)
class Cells:
    """The numbers of one arm as text."""

    mean: str
    interval: str
    bar: str
    pulls: str
    chance: str


def cells_of(rows: Sequence[HasDecision], measure: Measure) -> list[Cells]:
    """Return the numbers of these arms as text, aligned by column."""
    factor = measure.factor
    known = [row if row.pulls and math.isfinite(row.low) and math.isfinite(row.high) else None for row in rows]
    means = aligned([NONE if row.mean is None else three_digits(row.mean * factor) for row in rows])
    lows = [NONE if row is None else three_digits(row.low * factor) for row in known]
    highs = aligned([NONE if row is None else three_digits(row.high * factor) for row in known])
    bars = aligned([three_digits(row.threshold * factor) for row in rows])
    return [
        Cells(
            mean=means[i],
            interval=NONE if known[i] is None else f"{lows[i]} to {highs[i]}",
            bar=bars[i],
            pulls=number(row.pulls),
            chance=percentage(row.p_wrong),
        )
        for i, row in enumerate(rows)
    ]


def three_digits(value: float) -> str:
    """Return a number to three significant digits, with trailing zeros."""
    if not math.isfinite(value):
        return NONE
    if value == 0.0:
        return "0.00"
    size = math.floor(math.log10(abs(float(f"{value:.{DIGITS - 1}e}"))))
    if size < -4:
        return f"{value:.{DIGITS - 1}e}"
    decimals = DIGITS - 1 - size
    return f"{value:,.{decimals}f}" if decimals > 0 else f"{round(value, decimals):,.0f}"


def aligned(texts: Sequence[str]) -> list[str]:
    """Return the texts of a right-aligned column, padded to align their decimal points."""
    decimals = [len(text.partition(".")[2]) for text in texts]
    most = max(decimals, default=0)
    return [text + _padding(mine, most) for text, mine in zip(texts, decimals, strict=True)]


def _padding(mine: int, most: int) -> str:
    point = POINT_SPACE if most and not mine else ""
    return point + FIGURE_SPACE * (most - mine)


def percentage(value: float) -> str:
    """Return a probability in per cent with one decimal, which aligns a column."""
    if math.isnan(value):
        return NONE
    return "< 0.1 %" if 0.0 < value < 0.0005 else f"{100.0 * value:.1f} %"
