"""Figure 7: sampling distributions at several budgets, quadratic problem."""

from __future__ import annotations

from thresher.research.papers.distributions import OURS, SETUP, found, found_ours, panels
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import PAPER, QUADRATIC

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
    "Sampling distributions, quadratic problem, with stopping and the static optimum",
    "Figure 7, continued",
    _SETUP + " Pulls are on a logarithmic axis: arms that the oracle gives up are not shown.",
    panels(
        QUADRATIC,
        ("oracle", "static-optimum"),
        OURS,
        is_log=True,
    ),
    found_ours,
)
