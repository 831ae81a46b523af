r"""The bar that arms are compared with: fixed thresholds, or the unknown mean of a control.

:func:`bar_of` returns the bar of a question. Everything that depends on its kind is a method: the values that it may
have with their weights, the sides of the arms, what is certain, intervals, e-values, and what a row shows. All results
are about the judged arms (``question.judged``), in their order.
"""

from __future__ import annotations

import numpy as np

from thresher.policy.bars.bar import BarColumns, QuestionBar
from thresher.policy.bars.control import ControlBar
from thresher.policy.bars.fixed import FixedBar
from thresher.problem import Question
from thresher.problem.seen import Seen
from thresher.types import Floats, Ints


def bar_of(question: Question) -> QuestionBar:
    """Return the bar that the arms of a question are compared with."""
    return FixedBar(question) if question.control is None else ControlBar(question)


def sides_of(bar: QuestionBar, seen: Seen, means: Floats) -> Ints:
    """Return the verdict on each arm: the certain side, else that of the mean; 0 where nothing was told."""
    certain = bar.certain(seen)
    return np.where(certain != 0, certain, bar.sides(means))


__all__ = ["BarColumns", "ControlBar", "FixedBar", "QuestionBar", "bar_of", "sides_of"]
