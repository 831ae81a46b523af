"""The bar of a question."""

from __future__ import annotations

from thresher.problem.bars.bar import ProblemBar
from thresher.problem.bars.control import Control, ControlMean
from thresher.problem.bars.fixed import Thresholds

THRESHOLDS = Thresholds()


def bar_of_question(control: Control | None) -> ProblemBar:
    """Return the bar of a question."""
    return THRESHOLDS if control is None else ControlMean(control)
