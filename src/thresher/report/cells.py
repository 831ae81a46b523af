"""The cells of a table of arms in HTML, with the decimal points of a column aligned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thresher.report.decision_rows import HasDecision, HasShare
from thresher.report.decisions import interval_cell
from thresher.report.measure import Measure
from thresher.report.numbers import NONE, chance, rate
from thresher.report.said import Said

FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"  # the width of a digit and of a decimal point
# The columns of a table of arms, with their tooltips.
COLUMNS = {
    "Decision": "Pass or fail where the risk allows a decision; otherwise which way the arm leans.",
    "Arm": "Name of the arm.",
    "Interval": "The interval behind the decision; the thin line is the one that stays valid however often you look.",
    "Mean": "Mean of the outcomes of this arm; with items, adjusted for the difficulty of those that it answered.",
    "All succeed": "Estimated chance that all of so many trials succeed: the rate of one to that power.",
    "Share ≤ bar": "Share of the outcomes at or below the bar.",
    "Quantile": "The quantile of the outcomes that is compared with the bar.",
    "Difference": "Mean of this arm minus that of the control.",
    "Lift": "Difference from the control in per cent of its mean, with its interval.",
    "Bar": "Value that the mean is compared with.",
    "Measurements": "Number of outcomes; with a plus sign, measurements in flight.",
    "Chance of error": "Probability that the verdict on this arm is wrong.",
}


@dataclass(frozen=True)
class Cells:
    """The numbers of one arm as text; `share` and `quantile` are empty unless a quantile is compared."""

    mean: str
    interval: str
    bar: str
    pulls: str
    chance: str
    share: str = ""
    quantile: str = ""


def quantile_cells(rows: Sequence[HasShare], said: Said, measure: Measure) -> list[Cells]:
    """Return the numbers of arms that are compared by a quantile; the interval is that of the share."""
    shares, quantiles = [rate(row.share) for row in rows], aligned([measure.figure(row.quantile) for row in rows])
    found = zip(cells_of(rows, said, measure), shares, quantiles, strict=True)
    return [replace(cells, share=share, quantile=own) for cells, share, own in found]


def cells_of(rows: Sequence[HasDecision], said: Said, measure: Measure) -> list[Cells]:
    """Return the numbers of these arms as text, aligned by column."""
    means = aligned([measure.figure(row.mean) for row in rows])
    intervals = [interval_cell(row, said, measure) for row in rows]
    ends = aligned([text.rpartition(" ")[2] for text in intervals])
    bars = aligned([measure.bar(row.threshold) for row in rows])
    return [
        Cells(
            mean=means[i],
            interval=NONE if intervals[i] == NONE else f"{intervals[i].rpartition(' ')[0]} {ends[i]}",
            bar=bars[i],
            pulls=f"{row.pulls:,}",
            chance=chance(row.p_wrong),
        )
        for i, row in enumerate(rows)
    ]


def aligned(texts: Sequence[str]) -> list[str]:
    """Return the texts of a right-aligned column, padded to align their decimal points."""
    decimals = [len(text.partition(".")[2]) for text in texts]
    most = max(decimals, default=0)
    return [text + _padding(mine, most) for text, mine in zip(texts, decimals, strict=True)]


def _padding(mine: int, most: int) -> str:
    point = POINT_SPACE if most and not mine else ""
    return point + FIGURE_SPACE * (most - mine)
