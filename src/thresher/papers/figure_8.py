"""Figure 8: sampling distributions at several budgets, linear problem."""

from __future__ import annotations

from thresher.papers.distributions import SETUP, found, found_ours, panels
from thresher.papers.figure import PaperFigure
from thresher.papers.grid import LINEAR, PAPER

_SETUP = SETUP.format(means="(−1)^k k/50")
FIGURE_8 = PaperFigure(
    "figure-8",
    "Sampling distributions, linear problem",
    "Figure 8, appendix G",
    _SETUP,
    panels(LINEAR, ("oracle",), PAPER),
    found,
)
FIGURE_8_OURS = PaperFigure(
    "figure-8-ours",
    "The same with ours, the static optimum and both readings of the gap",
    "Figure 8, continued",
    _SETUP,
    panels(LINEAR, ("oracle", "oracle, Δ = |μ|", "static-optimum"), ("fwt-sqrt, Δ = |μ|", "stopping", "fwt")),
    found_ours,
)
