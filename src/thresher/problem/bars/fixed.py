"""Known thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.problem.bars.bar import ProblemBar
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class Thresholds(ProblemBar):
    """Every arm has a threshold of its own, which is known."""

    is_known: ClassVar[bool] = True

    def judged(self, n_arms: int) -> Ints:
        """Return all arms."""
        return np.arange(n_arms)

    def heights(self, question: Question, means: Floats) -> Floats:
        """Return the thresholds."""
        return question.thresholds
