"""Figure 6: the mean mistakes of each policy over those of the oracle, linear and quadratic problem."""

from __future__ import annotations

from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import LINEAR, QUADRATIC
from thresher.research.papers.ratios import SETUP, found, found_ours, panels, panels_ours

_MEANS = "(−1)^k k/50 (left) and (−1)^k (k/50)² (right)"
FIGURE_6 = PaperFigure(
    "figure-6",
    "Mean mistakes over the oracle's",
    "Figure 6, appendix G",
    SETUP.format(means=_MEANS),
    panels(LINEAR, QUADRATIC),
    found,
)
FIGURE_6_OURS = PaperFigure(
    "figure-6-ours",
    "Mean mistakes over the oracle's, with stopping, the limits and both readings of the gap",
    "Figure 6, continued",
    SETUP.format(means=_MEANS),
    panels_ours(LINEAR, QUADRATIC),
    found_ours,
)
