"""Items that may be asked several times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thresher.problem.sampling.items import ItemSampling
from thresher.problem.sampling.sampling import Sampling
from thresher.problem.seen import Seen
from thresher.problem.structure import Structure
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class RepeatedSampling(ItemSampling):
    """An arm may be asked each of its items several times; the mean is that of the expected outcomes of all items.

    An outcome is not the truth of its item, so no side is ever certain, and what is valid for a pool is not valid here.
    """

    @classmethod
    def takes(cls, structure: Structure) -> bool:
        """Return whether an item may be asked again."""
        return structure.repeats > 1

    @property
    def repeats(self) -> int:
        """How often an arm may be asked an item."""
        return self.structure.repeats

    def limits(self, question: Question, seen: Seen, alpha: float) -> tuple[Floats, Floats]:
        """Return NaN: there are none from the sums of each arm."""
        return np.full(question.n_arms, np.nan), np.full(question.n_arms, np.nan)

    def log_e_above(self, question: Question, seen: Seen, bars: Floats, rho: float) -> Floats:
        """Return 0: there are no e-values."""
        return np.zeros(question.n_arms)

    def attainable_means(self, question: Question, seen: Seen) -> tuple[Floats, Floats]:
        """Return the range of the family."""
        return Sampling.attainable_means(self, question, seen)

    def certain_sides(self, question: Question, seen: Seen, bars: Floats) -> Ints:
        """Return 0 for every arm."""
        return np.zeros(question.n_arms, np.int64)
