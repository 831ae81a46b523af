"""Independent draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher.problem.sampling.sampling import Sampling
from thresher.problem.statistics import Statistics
from thresher.problem.structure import Structure
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class IndependentSampling(Sampling):
    """Every outcome of an arm is a new draw, and the mean is that of their distribution."""

    kind: ClassVar[str] = "none"
    is_independent: ClassVar[bool] = True

    @classmethod
    def of(cls, structure: Structure | None) -> Self | None:
        """Return the sampling of arms without items."""
        return cls() if structure is None else None

    def sizes(self, n_arms: int) -> Floats:
        """Return infinite numbers."""
        return np.full(n_arms, np.inf)

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits of the family."""
        return question.kind.limits(question, seen, alpha)

    def difference_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        """Return the limits of the family."""
        return question.kind.difference_limits(question, seen, alpha)

    def ratio_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        """Return the limits of the family."""
        return question.kind.ratio_limits(question, seen, alpha)

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value of the family."""
        return question.kind.log_e_above(question, seen, bars, rho)

    def attainable_means(self, question: Question, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the ends of the range: any mean is still possible."""
        low, high = question.range
        return np.full(question.n_arms, low), np.full(question.n_arms, high)

    def certain_sides(self, question: Question, seen: Statistics, bars: Floats) -> Ints:
        """Return no side: another outcome can always come."""
        return np.zeros(question.n_arms, np.int64)
