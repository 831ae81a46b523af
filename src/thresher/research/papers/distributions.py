"""Where the pulls go, at several budgets: what figures 7 and 8 show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thresher.report import Panel, Panels
from thresher.research.papers.grid import PAPER, Experiment, Grid
from thresher.research.papers.lines import exact_pull_lines, pull_lines
from thresher.research.simulation import Result

OURS = ("lsa", "fwt-sqrt", "fwt-sqrt, Δ = |μ|", "fwt", "stopping")
AT = (100.0, 250.0, 500.0, 1000.0, 2000.0, 8000.0)
SETUP = (
    "Fifty Gaussian arms of variance 1 with means {means}, bar 0: how often each arm is pulled, against its mean, at "
    "six budgets. "
    "The captions of figures 7 and 8 and their labels are swapped in the paper; we go by the captions."
)


def panels(
    experiment: Experiment, exact: tuple[str, ...], policies: tuple[str, ...], *, is_log: bool = False
) -> Callable[[Grid], Panels]:
    """Return what makes one panel for each budget; a logarithmic axis tells many curves apart, but shows no 0."""

    def made(grid: Grid) -> Panels:
        result = grid.result(experiment)
        return tuple(
            Panel(
                f"T = {budget:g}",
                "mean μ of the arm",
                "pulls",
                (
                    *exact_pull_lines(result, exact, budget=budget),
                    *pull_lines(result, policies, budget=budget),
                ),
                xlim=(-1.0, 1.0),
                is_log_y=is_log,
                ylim=(0.4, _most(result, policies, budget)) if is_log else None,
            )
            for budget in AT
        )

    return made


def _most(result: Result, policies: tuple[str, ...], budget: float) -> float:
    """Return the top of the axis: twice the most pulls of an arm."""
    return 2.0 * max(max(line.y) for line in pull_lines(result, policies, budget=budget))


def found(made: Panels) -> str:
    """Return how many arms the oracle gives up at each budget, and what share goes to the ten nearest arms."""
    given_up = ", ".join(f"{sum(count == 0.0 for count in panel.line('oracle').y)} at {panel.title}" for panel in made)
    shares = "; ".join(
        f"{panel.title}: " + ", ".join(f"{name} {_share_of_nearest(panel, name):.0%}" for name in PAPER)
        for panel in (made[0], made[2], made[-1])
    )
    nearest = f"Share of the pulls that the ten arms nearest to the bar get: {shares}."
    return f"Arms that the oracle gives up: {given_up}. {nearest}"


def found_ours(made: Panels) -> str:
    """Return what share of the pulls goes to the ten nearest arms under the static optimum and our index."""
    names = ("static-optimum", "stopping", "fwt")
    shares = "; ".join(
        f"{panel.title}: " + ", ".join(f"{name} {_share_of_nearest(panel, name):.1%}" for name in names)
        for panel in made
    )
    return f"Share of the pulls that the ten arms nearest to the bar get: {shares}."


def _share_of_nearest(panel: Panel, name: str) -> float:
    line = panel.line(name)
    pulls, nearest = np.array(line.y), np.argsort(np.abs(line.x))[:10]
    return float(pulls[nearest].sum() / pulls.sum())
