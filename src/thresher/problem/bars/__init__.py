"""The kinds of bar, one file each: where the bar is. What outcomes say of it is in :mod:`thresher.policy.bars`."""

from thresher.problem.bars.bar import ProblemBar
from thresher.problem.bars.control import NO_CONTROL, Control, ControlMean, control_of, is_tied, margin_text
from thresher.problem.bars.fixed import Thresholds

THRESHOLDS = Thresholds()


def bar_of_question(control: Control | None) -> ProblemBar:
    """Return the bar of a question."""
    return THRESHOLDS if control is None else ControlMean(control)


__all__ = ["NO_CONTROL", "Control", "ProblemBar", "bar_of_question", "control_of", "is_tied", "margin_text"]
