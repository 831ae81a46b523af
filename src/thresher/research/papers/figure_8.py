"""Figure 8: sampling distributions at several budgets, linear problem."""

from __future__ import annotations

from thresher.research.papers.distributions import OURS, SETUP, found, found_ours, panels
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import LINEAR, PAPER

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
    "Sampling distributions, linear problem, with stopping and the static optimum",
    "Figure 8, continued",
    _SETUP + " Pulls are on a logarithmic axis: arms that the oracle gives up are not shown.",
    panels(LINEAR, ("oracle", "static-optimum"), OURS, is_log=True),
    found_ours,
)
