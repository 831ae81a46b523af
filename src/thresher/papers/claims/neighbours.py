"""Claims of neighbouring papers that have numbers: the published experiments of Locatelli et al. (2016)."""

from __future__ import annotations

from thresher.papers.claims.row import Finding, Verdict, claim, found
from thresher.papers.grid import Experiment, Grid
from thresher.papers.locatelli2016 import APT, FAR, Agreement, agreements

PLACE = "Locatelli, Gutzeit and Carpentier 2016, Figure 1 and supplement"
PULLS = Experiment("pulls of locatelli-1", "locatelli-1", (APT,), (1000.0,), runs=10)
PUBLISHED_PULLS = (29.0, 29.0, 29.0, 111.0, 300.0, 302.0, 112.0, 29.0, 29.0, 29.0)


def _told(rows: list[Agreement]) -> str:
    worst = max(rows, key=lambda row: abs(row.z))
    where = f"{worst.policy} on {worst.problem} at {worst.abscissa:g}"
    values = f"{worst.published:.4g} published, {worst.ours:.4g} here, z = {worst.z:+.1f}"
    return f"{len(rows)} values; the furthest, {where}: {values}"


@claim(
    "locatelli-gaussian",
    Verdict.HOLDS,
    place=PLACE,
    says="APT's published chances of any mistake on the three problems with Gaussian outcomes.",
    why="They reproduce when the axis is read as T − K.",
    evidence="thresher reproduce locatelli2016",
    figure="locatelli2016",
)
def _locatelli_gaussian(grid: Grid) -> Finding:
    rows = [row for row in agreements(grid) if "gaussian" in row.problem]
    return found(_told(rows), holds=max(abs(row.z) for row in rows) < FAR)


@claim(
    "locatelli-2-and-3",
    Verdict.HOLDS,
    place=PLACE,
    says="APT's and uniform sampling's published chances on the second and third problem with 0/1 outcomes.",
    why="APT's reproduce when the axis is read as T − K; those of sampling at random are a tenth to a fifth above "
    "ours, within what reading them off a figure leaves open.",
    evidence="thresher reproduce locatelli2016",
    figure="locatelli2016",
)
def _locatelli_2_and_3(grid: Grid) -> Finding:
    rows = [row for row in agreements(grid) if row.problem in ("locatelli-2", "locatelli-3")]
    return found(_told(rows), holds=max(abs(row.z) for row in rows) < FAR)


@claim(
    "locatelli-1",
    Verdict.FAILS,
    place=PLACE,
    says="APT's and uniform sampling's published chances on the first problem with 0/1 outcomes.",
    why="With the printed means both make far fewer mistakes than published. With Gaussian outcomes the same means "
    "reproduce, so that the 0/1 experiment seems to have had other ones.",
    evidence="thresher reproduce locatelli2016",
    figure="locatelli2016",
)
def _locatelli_1(grid: Grid) -> Finding:
    rows = [row for row in agreements(grid) if row.problem == "locatelli-1"]
    return found(_told(rows), holds=max(abs(row.z) for row in rows) < FAR)


@claim(
    "locatelli-1-pulls",
    Verdict.HOLDS,
    place="A re-implementation of APT in a thesis, on the first problem of Locatelli et al. 2016",
    says="At T = 1000 APT pulls the ten arms 29, 29, 29, 111, 300, 302, 112, 29, 29 and 29 times on average.",
    why="So it does here: the printed means and our APT agree with others' code.",
    evidence="thresher simulate locatelli-1 --policy apt:epsilon=0.1 --budget 1000",
    figure="locatelli2016",
)
def _locatelli_1_pulls(grid: Grid) -> Finding:
    pulls = grid.result(PULLS).pulls(APT)[0]
    away = max(abs(ours - theirs) / theirs for ours, theirs in zip(pulls, PUBLISHED_PULLS, strict=True))
    return found(", ".join(f"{pull:.0f}" for pull in pulls), holds=away < 0.05)
