"""Claims about arms with several coordinates: the published experiments of Katz-Samuels and Scott."""

from __future__ import annotations

from reproduction.katz_samuels2018 import FAR, Agreement, agreements
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import Grid

PLACE = "Katz-Samuels and Scott 2018, Figures 1 to 6"
EVIDENCE = "python -m reproduction katz-samuels2018"


def _rows(grid: Grid, *problems: str) -> list[Agreement]:
    return [row for row in agreements(grid) if row.problem in problems and row.what == "failure"]


def _worst(rows: list[Agreement]) -> float:
    return max(abs(row.z) for row in rows)


def _told(rows: list[Agreement]) -> str:
    worst = max(rows, key=lambda row: abs(row.z))
    where = f"{worst.policy} on {worst.problem} at {worst.budget}"
    values = f"{worst.published:.4g} published, {worst.ours:.4g} here, z = {worst.z:+.1f}"
    return f"{len(rows)} values; the furthest, {where}: {values}"


@claim(
    "feasible-cube-and-doses",
    ClaimVerdict.HOLDS,
    place=PLACE,
    says="The published chances of failure of MD-APT, MD-SAR, MD-UCBE and uniform allocation in experiments 1, 2 and 6 "
    "(two on the cube, and the doses).",
    why="They reproduce if policies that need the horizon are given the largest budget and evaluated on the way.",
    evidence=EVIDENCE,
    figure="katz-samuels2018",
)
def _cube_and_doses(grid: Grid) -> Finding:
    rows = _rows(grid, "katz-samuels-1", "katz-samuels-2", "katz-samuels-dose")
    return found(_told(rows), holds=_worst(rows) < FAR)


@claim(
    "feasible-pulls",
    ClaimVerdict.HOLDS,
    place="Katz-Samuels and Scott 2018, section 7.1",
    says="In experiment 2 MD-APT pulls the arm of least margin 904.8 times on average, MD-SAR 317.8 times.",
    why="They reproduce. Their arm 8 is counted from 0: the ninth, at 0.95.",
    evidence=EVIDENCE,
    figure="katz-samuels2018",
)
def _pulls(grid: Grid) -> Finding:
    rows = [row for row in agreements(grid) if row.what != "failure"]
    numbers = "; ".join(f"{row.policy} {row.ours:.1f} (z = {row.z:+.1f})" for row in rows)
    return found(numbers, holds=_worst(rows) < FAR)


@claim(
    "feasible-simplex-and-order",
    ClaimVerdict.CONDITION,
    place=PLACE,
    says="The published chances of failure in experiments 4 and 5 (simplex, and increasing coordinates).",
    why="They reproduce if the slack of an arm inside is measured without normalising the constraints. The paper's "
    "definition normalises them to length 1; then the values do not reproduce, and arms 5 to 9 of experiment 4, "
    "which the paper counts as good, would not count.",
    evidence=EVIDENCE,
    figure="katz-samuels2018",
)
def _simplex_and_order(grid: Grid) -> Finding:
    names = ("katz-samuels-4", "katz-samuels-5")
    unit, raw = _rows(grid, *names), _rows(grid, *(f"{name}:unit_rows=no" for name in names))
    told = f"as they stand, {_told(raw)}; of length 1, {_told(unit)}"
    return found(told, holds=_worst(unit) < FAR, if_conditioned=_worst(raw) < FAR)


@claim(
    "feasible-steps",
    ClaimVerdict.FAILS,
    place=PLACE,
    says="The published chances of failure in experiment 3 (arms in steps around the cube).",
    why="With the last ten arms at 1.15, as printed, all policies but MD-SAR fail less often than published. With 0.8 "
    "instead, or its mirror image 0.2, all eighteen values reproduce: the experiment seems to have used other "
    "means.",
    evidence=EVIDENCE,
    figure="katz-samuels2018",
)
def _steps(grid: Grid) -> Finding:
    printed, other = _rows(grid, "katz-samuels-3"), _rows(grid, "katz-samuels-3:rest=0.8")
    return found(f"as printed, {_told(printed)}; with 0.8, {_told(other)}", holds=_worst(printed) < FAR)
