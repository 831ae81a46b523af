"""Known thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher.problem.bars.bar import ProblemBar
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class Thresholds(ProblemBar):
    """Every arm has a threshold of its own, which is known."""

    name: ClassVar[str] = "thresholds"
    is_known: ClassVar[bool] = True

    @classmethod
    def of(cls, question: Question) -> Self | None:
        """Return the bar of a question without a control."""
        return cls() if question.control is None else None

    def judged(self, n_arms: int) -> Ints:
        """Return all arms."""
        return np.arange(n_arms)

    def heights(self, question: Question, means: Floats) -> Floats:
        """Return the thresholds."""
        return question.thresholds
