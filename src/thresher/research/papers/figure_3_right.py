"""Figure 3, right: the mean mistakes of each policy over those of the oracle, quadratic problem."""

from __future__ import annotations

from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import QUADRATIC
from thresher.research.papers.ratios import SETUP, found, found_ours, panels, panels_ours

FIGURE_3_RIGHT = PaperFigure(
    "figure-3-right",
    "Mean mistakes over the oracle's, quadratic problem",
    "Figure 3, right; section 4",
    SETUP.format(means="(−1)^k (k/50)²"),
    panels(QUADRATIC),
    found,
)
FIGURE_3_RIGHT_OURS = PaperFigure(
    "figure-3-right-ours",
    "Mean mistakes over the oracle's, quadratic problem, with stopping, the limits and both readings of the gap",
    "Figure 3, right, continued",
    SETUP.format(means="(−1)^k (k/50)²"),
    panels_ours(QUADRATIC),
    found_ours,
)
