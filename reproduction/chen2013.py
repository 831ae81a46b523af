"""The first experiment of :cite:p:`chen2013`: their published accuracies and the same experiment here.

The published values were read off the vector graphics of their figure, an average over 20 draws of all means. The same
20 draws serve all policies and budgets, so that their distances from ours move together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from thresher.report.panels import Line, Panel, Panels
from thresher.report.picture_style import PUBLISHED as SUFFIX
from thresher.research.papers.figure import FigureTable, PaperFigure
from thresher.research.papers.grid import Experiment, Grid

N_ARMS, DRAWS = 50, 20
READING = 0.002  # of an accuracy: 1 % of an axis of a fifth
PULLS_PER_ARM = (2.0, 4.0, 6.0, 8.0, 10.0)

#: Share of right verdicts at PULLS_PER_ARM, as published (chen2013, uniform prior), by policy.
PUBLISHED: dict[str, tuple[float, ...]] = {
    "uniform": (0.767, 0.823, 0.856, 0.879, 0.879),
    "kg": (0.796, 0.843, 0.881, 0.901, 0.896),
    "opt-kg": (0.794, 0.874, 0.904, 0.917, 0.926),
}
EXPERIMENT = Experiment(
    "chen2013",
    f"beta-population:K={N_ARMS}",
    tuple(PUBLISHED),
    tuple(N_ARMS * pulls for pulls in PULLS_PER_ARM),
    runs=4,  # cheap, and 500 would leave more open than their 20 draws do
)


@dataclass(frozen=True)
class Accuracy:
    """One published accuracy and ours; `z` is their distance in standard errors, reading included."""

    policy: str
    pulls_per_arm: float
    published: float
    ours: float
    spread: float
    z: float


def accuracies(grid: Grid) -> list[Accuracy]:
    """Return every published accuracy and what the same experiment gives here; `spread` is that of one run."""
    result, rows = grid.result(EXPERIMENT), []
    for policy, values in PUBLISHED.items():
        shares = 1.0 - result.losses(policy) / N_ARMS
        for b, (pulls, published) in enumerate(zip(PULLS_PER_ARM, values, strict=True)):
            ours, spread = float(shares[:, b].mean()), float(shares[:, b].std())
            distance = _distance(published, ours, spread, result.runs)
            rows.append(Accuracy(policy, pulls, published, ours, spread, distance))
    return rows


def _distance(published: float, ours: float, spread: float, runs: int) -> float:
    """Return how far ours is above the published accuracy, in standard errors of the difference."""
    return (ours - published) / math.sqrt(spread**2 / DRAWS + spread**2 / runs + READING**2)


def _panels(grid: Grid) -> Panels:
    rows, runs, lines = accuracies(grid), grid.result(EXPERIMENT).runs, []
    for policy, published in PUBLISHED.items():
        own = [row for row in rows if row.policy == policy]
        lines.append(_line(policy, [row.ours for row in own], [row.spread / math.sqrt(runs) for row in own]))
        errors = [math.hypot(row.spread / math.sqrt(DRAWS), READING) for row in own]
        lines.append(_line(policy + SUFFIX, list(published), errors, is_dots=True))
    return (Panel("Means from U(0, 1)", "pulls of each arm, T/K", "share of right verdicts", tuple(lines)),)


def _line(name: str, middle: list[float], errors: list[float], *, is_dots: bool = False) -> Line:
    band = [(value - 2.0 * error, value + 2.0 * error) for value, error in zip(middle, errors, strict=True)]
    low, high = zip(*band, strict=True)
    return Line(name, PULLS_PER_ARM, tuple(middle), low, high, is_dots=is_dots)


def _table(grid: Grid) -> FigureTable:
    rows = tuple(
        (row.policy, f"{row.pulls_per_arm:g}", f"{row.published:.3f}", f"{row.ours:.4f}", f"{row.z:+.1f}")
        for row in accuracies(grid)
    )
    return FigureTable(("policy", "T/K", "published", "ours", "z"), rows)


def _found(panels: Panels) -> str:
    told = []
    for policy in PUBLISHED:
        ours, theirs = panels[0].line(policy), panels[0].line(policy + SUFFIX)
        away = [a - b for a, b in zip(theirs.y, ours.y, strict=True)]
        told.append(f"{policy} {min(away):+.3f} to {max(away):+.3f}")
    return (
        "Published less ours: "
        + "; ".join(told)
        + ". Nearly all are above ours, by no more than twenty draws of all means leave open."
    )


CHEN2013 = PaperFigure(
    "chen2013",
    "KG, Opt-KG and uniform sampling as published in 2013, and here",
    "Chen, Lin and Zhou 2013, section 5, the simulation with a uniform prior",
    "Fifty 0/1 arms with the bar ½, means drawn anew from U(0, 1) in every run, the prior Beta(1, 1). KG draws among "
    "equals; uniform sampling is round robin here (drawing every arm at random is 0.01 worse at two pulls of each arm "
    "and the same at ten). Lines are ours with two standard errors; crosses were read off the published figure, with "
    "what its 20 draws and the reading leave open. Its Gittins index is left out: it needs a table for every horizon.",
    _panels,
    _found,
    _table,
)
