"""Claims of neighbouring papers that have numbers: the published experiments of 2013 and 2016."""

from __future__ import annotations

from reproduction.chen2013 import PULLS_PER_ARM, accuracies
from reproduction.locatelli2016 import APT, FAR, Agreement, agreements
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import Experiment, Grid

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
    ClaimVerdict.HOLDS,
    place=PLACE,
    says="APT's published chances of any mistake on the three problems with Gaussian outcomes.",
    why="They reproduce if the axis is read as T − K.",
    evidence="python -m reproduction locatelli2016",
    figure="locatelli2016",
)
def _locatelli_gaussian(grid: Grid) -> Finding:
    rows = [row for row in agreements(grid) if "gaussian" in row.problem]
    return found(_told(rows), holds=max(abs(row.z) for row in rows) < FAR)


@claim(
    "locatelli-2-and-3",
    ClaimVerdict.HOLDS,
    place=PLACE,
    says="The published chances of APT, UCBE, CSAR and uniform sampling on the second and third problem with 0/1 "
    "outcomes.",
    why="They reproduce if the axis is read as T − K and UCBE is given T = 500 throughout. The values of random "
    "sampling are 10 to 20 % above ours, which reading them off a figure can explain.",
    evidence="python -m reproduction locatelli2016",
    figure="locatelli2016",
)
def _locatelli_2_and_3(grid: Grid) -> Finding:
    rows = [row for row in agreements(grid) if row.problem in ("locatelli-2", "locatelli-3")]
    return found(_told(rows), holds=max(abs(row.z) for row in rows) < FAR)


@claim(
    "locatelli-1",
    ClaimVerdict.FAILS,
    place=PLACE,
    says="The published chances of APT, UCBE, CSAR and uniform sampling on the first problem with 0/1 outcomes.",
    why="With the printed means all make far fewer mistakes than published. With Gaussian outcomes the same means "
    "reproduce; the 0/1 experiment seems to have used other means.",
    evidence="python -m reproduction locatelli2016",
    figure="locatelli2016",
)
def _locatelli_1(grid: Grid) -> Finding:
    rows = [row for row in agreements(grid) if row.problem == "locatelli-1"]
    return found(_told(rows), holds=max(abs(row.z) for row in rows) < FAR)


@claim(
    "locatelli-1-pulls",
    ClaimVerdict.HOLDS,
    place="A re-implementation of APT in a thesis, on the first problem of Locatelli et al. 2016",
    says="At T = 1000 APT pulls the ten arms 29, 29, 29, 111, 300, 302, 112, 29, 29 and 29 times on average.",
    why="They reproduce: the printed means and our APT agree with another implementation.",
    evidence="thresher simulate locatelli-1 --policy apt:epsilon=0.1 --budget 1000",
    figure="locatelli2016",
)
def _locatelli_1_pulls(grid: Grid) -> Finding:
    pulls = grid.result(PULLS).pulls(APT)[0]
    away = max(abs(ours - theirs) / theirs for ours, theirs in zip(pulls, PUBLISHED_PULLS, strict=True))
    return found(", ".join(f"{pull:.0f}" for pull in pulls), holds=away < 0.05)


@claim(
    "chen-accuracies",
    ClaimVerdict.HOLDS,
    place="Chen, Lin and Zhou 2013, section 5",
    says="The published accuracies of uniform sampling, KG and Opt-KG with means from U(0, 1).",
    why="All agree with ours within the uncertainty of their 20 draws. Nearly all are above ours, as they would be if "
    "those 20 draws were easy.",
    evidence="python -m reproduction chen2013",
    figure="chen2013",
)
def _chen_accuracies(grid: Grid) -> Finding:
    rows = accuracies(grid)
    worst = max(rows, key=lambda row: abs(row.z))
    where = f"{worst.policy} at T/K = {worst.pulls_per_arm:g}"
    values = f"{worst.published:.3f} published, {worst.ours:.4f} here, z = {worst.z:+.1f}"
    return found(f"{len(rows)} values; the furthest, {where}: {values}", holds=abs(worst.z) < FAR)


@claim(
    "chen-order",
    ClaimVerdict.HOLDS,
    place="Chen, Lin and Zhou 2013, section 5",
    says="Opt-KG is more accurate than KG and than uniform sampling.",
    why="True at every budget. KG is more accurate than uniform sampling too, by less at larger budgets.",
    evidence="python -m reproduction chen2013",
    figure="chen2013",
)
def _chen_order(grid: Grid) -> Finding:
    ours = {(row.policy, row.pulls_per_arm): row.ours for row in accuracies(grid)}
    ahead = [ours["opt-kg", pulls] - max(ours["kg", pulls], ours["uniform", pulls]) for pulls in PULLS_PER_ARM]
    told = ", ".join(f"{lead:+.4f} at {pulls:g}" for lead, pulls in zip(ahead, PULLS_PER_ARM, strict=True))
    return found(f"Opt-KG less the better of the two, by T/K: {told}", holds=min(ahead) > 0.0)
