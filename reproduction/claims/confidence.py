"""Claims about rules that stop by themselves: the measured tables of Kano et al. and of Degenne and Koolen."""

from __future__ import annotations

from reproduction import degenne2019, kano2019
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import Grid

KANO = "Kano et al. 2019, Table 2, by way of a public reproduction"
STICKY = "Degenne and Koolen 2019, by way of a public reproduction"


@claim(
    "kano-table",
    ClaimVerdict.HOLDS,
    place=KANO,
    says="The times at which HDoC, LUCB-G and APT-G output each good arm and stop, on three problems.",
    why="All 42 means reproduce, none of them four standard errors away.",
    evidence="python -m reproduction kano2019",
    figure="kano2019",
)
def _kano_table(grid: Grid) -> Finding:
    rows = kano2019.timed(grid)
    worst = max(rows, key=lambda row: abs(row.z))
    where = f"{worst.policy} on {worst.problem}, {worst.event}"
    numbers = f"{len(rows)} values; the furthest, {where}: {worst.theirs:g} there, {worst.ours:.1f} here"
    return found(f"{numbers}, z = {worst.z:+.1f}", holds=abs(worst.z) < kano2019.FAR)


@claim(
    "hdoc-outputs-first",
    ClaimVerdict.HOLDS,
    place=KANO,
    says="HDoC outputs the first good arms earlier than LUCB-G, and both much earlier than APT-G.",
    why="On all three problems, for the first output and the second; the stop is the same for all three.",
    evidence="python -m reproduction kano2019",
    figure="kano2019",
)
def _hdoc_outputs_first(grid: Grid) -> Finding:
    parts, holds = [], True
    for problem, experiment in kano2019.EXPERIMENTS.items():
        result = grid.result(experiment)
        first = {name: result.outputs(name)[0].mean for name in kano2019.POLICIES}
        second = {name: result.outputs(name)[1].mean for name in kano2019.POLICIES}
        holds = holds and all(each["hdoc"] < each["lucb-g"] < 0.5 * each["apt-g"] for each in (first, second))
        parts.append(f"{problem}: " + ", ".join(f"{name} {pulls:,.0f}" for name, pulls in first.items()))
    return found("first output after " + "; ".join(parts), holds=holds)


@claim(
    "sticky-times",
    ClaimVerdict.HOLDS,
    place=STICKY,
    says="Sticky Track-and-Stop's mean stopping times on five arms for log(1/δ) from 100 to 700.",
    why="They reproduce if the arm above the bar is last in the fixed order of the arms.",
    evidence="python -m reproduction degenne2019",
    figure="degenne2019",
)
def _sticky_times(grid: Grid) -> Finding:
    rows = degenne2019.timed(grid)
    numbers = ", ".join(f"{row.theirs:g} there, {row.ours:.0f} here (z = {row.z:+.1f})" for row in rows)
    return found(numbers, holds=max(abs(row.z) for row in rows) < degenne2019.FAR)
