"""Figure 7: sampling distributions at several budgets, quadratic problem."""

from __future__ import annotations

from thresher.papers.distributions import SETUP, found, found_ours, panels
from thresher.papers.figure import PaperFigure
from thresher.papers.grid import PAPER, QUADRATIC

_SETUP = SETUP.format(means="(−1)^k (k/50)²")
FIGURE_7 = PaperFigure(
    "figure-7",
    "Sampling distributions, quadratic problem",
    "Figure 7, appendix G",
    _SETUP,
    panels(QUADRATIC, ("oracle",), PAPER),
    found,
)
FIGURE_7_OURS = PaperFigure(
    "figure-7-ours",
    "The same with ours, the static optimum and both readings of the gap",
    "Figure 7, continued",
    _SETUP,
    panels(QUADRATIC, ("oracle", "oracle, Δ = |μ|", "static-optimum"), ("fwt-sqrt, Δ = |μ|", "stopping", "fwt")),
    found_ours,
)
