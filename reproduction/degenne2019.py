"""Stopping times of Sticky Track-and-Stop :cite:p:`degenne2019` on the any-arm question, as others measured them.

Ours are compared with a public reproduction with 100 runs: five Gaussian arms of variance 1, one above the bar and the
last in the order to which the rule sticks. It also has a row for δ = exp(-900), which is below the smallest number that
a double can hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reproduction.experiments import StoppingExperiment
from thresher.problem import Problem
from thresher.report.panels import Line, Panel, Panels
from thresher.report.picture_style import PUBLISHED as SUFFIX
from thresher.research.papers.figure import FigureTable, PaperFigure
from thresher.research.papers.grid import Grid

RUNS = 100
FAR = 4.0  # standard errors: beyond this a number does not agree
POLICY = "sticky-tas"
LIMIT = "T* log(1/δ)"
MEANS, BAR = (0.0, 0.0, 0.0, 0.0, 1.0), 0.5
PER_LOG = 2.0 / (MEANS[-1] - BAR) ** 2  # T*: pulls for each unit of log(1/δ), at best

#: Mean round of the stop in the reproduction, by log(1/δ).
REPRODUCED = {100.0: 3547.8, 300.0: 5245.9, 500.0: 6933.7, 700.0: 8612.1}
EXPERIMENTS = {
    log: StoppingExperiment(
        f"any arm, log(1/δ) = {log:g}", Problem.gaussian(MEANS, thresholds=BAR), (POLICY,), math.exp(-log)
    )
    for log in REPRODUCED
}


@dataclass(frozen=True)
class Timed:
    """One mean of the reproduction and ours, in rounds; `z` is their distance in standard errors."""

    log: float
    theirs: float
    ours: float
    stderr: float
    z: float


def timed(grid: Grid) -> list[Timed]:
    """Return every mean of the reproduction and ours; their standard error is ours, scaled to their 100 runs."""
    rows = []
    for log, theirs in REPRODUCED.items():
        (row,) = grid.result(EXPERIMENTS[log]).rows()
        ours, stderr = row.spent + 1.0, row.spent_stderr
        spread = stderr * math.sqrt(1.0 + grid.runs / RUNS)
        rows.append(Timed(log, theirs, ours, stderr, (ours - theirs) / spread if spread > 0.0 else 0.0))
    return rows


def _panels(grid: Grid) -> Panels:
    rows = timed(grid)
    logs, ours = tuple(row.log for row in rows), tuple(row.ours for row in rows)
    low, high = (tuple(row.ours + sign * row.stderr for row in rows) for sign in (-2.0, 2.0))
    scale = 2.0 * math.sqrt(grid.runs / RUNS)
    least, most = (tuple(row.theirs + sign * row.stderr for row in rows) for sign in (-scale, scale))
    lines = (
        Line(POLICY, logs, ours, low, high),
        Line(POLICY + SUFFIX, logs, tuple(row.theirs for row in rows), least, most, is_dots=True),
        Line(LIMIT, logs, tuple(PER_LOG * log for log in logs)),
    )
    return (Panel("One arm of five above the bar", "log(1/δ)", "rounds until the stop", lines),)


def _found(panels: Panels) -> str:
    line = panels[0].line(POLICY)
    slope = (line.y[-1] - line.y[0]) / (line.x[-1] - line.x[0])
    return (
        f"From log(1/δ) = {line.x[0]:g} to {line.x[-1]:g} each unit costs {slope:.2f} rounds; no rule can do with "
        f"fewer than {PER_LOG:g} in the limit. The rest is spent before the answer is settled on."
    )


def _table(grid: Grid) -> FigureTable:
    rows = tuple(
        (f"{row.log:g}", f"{row.theirs:g}", f"{row.ours:.1f}", f"{row.stderr:.2g}", f"{row.z:+.1f}")
        for row in timed(grid)
    )
    return FigureTable(("log(1/δ)", "reproduction", "ours", "std. error", "z"), rows)


DEGENNE2019 = PaperFigure(
    "degenne2019",
    "Sticky Track-and-Stop on the any-arm question, there and here",
    "Degenne and Koolen 2019, by way of a public reproduction",
    "Five Gaussian arms of variance 1 with means 0, 0, 0, 0, 1 and the bar at ½: is any above? log C = 1. The line is "
    "ours with two standard errors, crosses are the means of a public reproduction (100 runs); dashed, what no rule "
    "can beat in the limit.",
    _panels,
    _found,
    _table,
)
