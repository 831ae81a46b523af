"""Figure 4: figure 2 for linear gaps."""

from __future__ import annotations

from thresher.report import Panels
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.figure_2 import (
    OURS,
    SETUP,
    SETUP_OURS,
    STEPS,
    found_of,
    found_ours_of,
    panels_of,
    panels_ours_of,
)
from thresher.research.papers.grid import Grid


def _panels(_: Grid) -> Panels:
    return panels_of(STEPS, 1e4, 3e5, least=1e-3)


def _panels_ours(_: Grid) -> Panels:
    return panels_ours_of(STEPS, 1e4, 3e5, least=1e-3)


FIGURE_4 = PaperFigure(
    "figure-4", "Upper bounds, linear gaps", "Figure 4, appendix F", SETUP.format(gaps="i/K"), _panels, found_of
)
FIGURE_4_OURS = PaperFigure(
    "figure-4-ours", OURS.format(gaps="linear"), "Figure 4, continued", SETUP_OURS, _panels_ours, found_ours_of
)
