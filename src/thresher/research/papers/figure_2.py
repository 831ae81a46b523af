"""Figure 2, and its twin figure 4 for linear gaps: the upper bounds, and the sets that make Corollary 2 least."""

from __future__ import annotations

import numpy as np

from thresher.report import Panels
from thresher.research.papers.bound_lines import capped_bounds, first_below, limits, printed_bounds, set_sizes
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import Grid
from thresher.types import Floats

N_ARMS = 50
STEPS: Floats = np.arange(1, N_ARMS + 1) / N_ARMS


def _budgets(first: float, last: float, points: int) -> tuple[float, ...]:
    """Return whole budgets, even in the logarithm."""
    return tuple(float(round(budget)) for budget in np.geomspace(first, last, points))


def panels_of(gaps: Floats, first: float, last: float, *, least: float) -> Panels:
    """Return bounds as printed, and the sizes of S and S′, between two budgets."""
    budgets = _budgets(first, last, 81)
    return printed_bounds(gaps, budgets, least=least), set_sizes(gaps, budgets)


def panels_ours_of(gaps: Floats, first: float, last: float, *, least: float) -> Panels:
    """Return bounds capped alike, how many arms they cover, and the limits at budgets where they are not yet 0."""
    bounds = capped_bounds(gaps, _budgets(first, last, 17), least=least)
    return *bounds, limits(gaps, _budgets(first / 1000.0, first, 41))


def found_of(panels: Panels) -> str:
    """Return the budget from which each printed bound is non-trivial, and how the sets grow."""
    bounds, sets = panels
    half = N_ARMS / 2.0
    starts = ", ".join(f"{name} {first_below(bounds.line(name), half):.3g}" for name in ("fwt", "lsa", "apt"))
    kept, explored = sets.line("S′"), sets.line("S")
    start = next(i for i, size in enumerate(kept.y) if size > 0)
    return (
        f"The bounds fall below half of the arms at budgets of: {starts}. While S′ is empty (below "
        f"{kept.x[start]:.3g}) the bound is {bounds.line('fwt').y[0]:g}, all arms. When S′ has its first arms "
        f"({kept.y[start]:.0f}), S has {explored.y[start]:.0f}; at the last budget they have {kept.y[-1]:.0f} and "
        f"{explored.y[-1]:.0f}."
    )


def found_ours_of(panels: Panels) -> str:
    """Return the budget from which each bound is non-trivial, all of them capped alike."""
    bounds = panels[0]
    half = N_ARMS / 2.0
    starts = ", ".join(
        f"{name} {first_below(bounds.line(name), half):.3g}" for name in ("fwt", "lsa", "stopping", "apt")
    )
    last = bounds.lines[0].x[-1]
    ratio = bounds.line("lsa").y[-1] / bounds.line("fwt").y[-1]
    return (
        "Capped alike (and with the root form of the deviation, which is never worse) they fall below half of the "
        f"arms at: {starts}. At the last budget, {last:.3g}, the bound of LSA is {ratio:.3g} times that of FWT."
    )


SETUP = (
    "No simulation: the bounds for gaps Δ_i = {gaps}, K = 50, unit costs, against the budget. Left Corollary 1 "
    "(apt), the "
    "explicit bound of the appendix (lsa), Corollary 2 (fwt) and Eq. (5) (oracle); right the sizes of the sets S and "
    "S′ that "
    "make Corollary 2 least."
)
SETUP_OURS = (
    "Theorem 2 for each policy with an arm charged at most its cost, which is all that S′ does, and how many arms "
    "each bound charges less. Below, at smaller budgets: what the oracle is proved to lose, what it loses, what the "
    "best fixed allocation loses, and what no policy can beat (our limit and the paper's Theorem 1)."
)
OURS = "Upper bounds, {gaps} gaps, capped alike, with stopping and the limits"


def _panels(_: Grid) -> Panels:
    return panels_of(STEPS**2, 1e7, 6e8, least=1e-3)


def _panels_ours(_: Grid) -> Panels:
    return panels_ours_of(STEPS**2, 1e7, 6e8, least=1e-3)


FIGURE_2 = PaperFigure(
    "figure-2", "Upper bounds, quadratic gaps", "Figure 2, section 3.2", SETUP.format(gaps="(i/K)²"), _panels, found_of
)
FIGURE_2_OURS = PaperFigure(
    "figure-2-ours", OURS.format(gaps="quadratic"), "Figure 2, continued", SETUP_OURS, _panels_ours, found_ours_of
)
