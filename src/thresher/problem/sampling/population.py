"""Items that are a sample of a population, whose mean is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thresher.problem.sampling.independent import IndependentSampling
from thresher.problem.sampling.items import ItemSampling
from thresher.problem.sampling.sampling import ToldItems
from thresher.problem.statistics import Statistics
from thresher.problem.structure import POPULATION, Structure
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class PopulationSampling(ItemSampling):
    """An arm answers each of its items, and the mean is that of the population that they were drawn from.

    In the order of an arm its outcomes are independent draws from that population, and its limits are those of
    independent draws. No side is ever certain: with all items answered the population is still not known. There are no
    e-values at times that depend on other arms, which answer the same items and so foretell the outcomes of an arm.
    """

    @classmethod
    def takes(cls, structure: Structure) -> bool:
        """Return whether the items are a sample of a population."""
        return structure.target == POPULATION

    def uses_forecasts(self, question: Question) -> bool:
        """Return False: the mean is not that of the items."""
        return False

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits of the family for independent draws; `seen` is not adjusted for what others answered."""
        return question.kind.limits(question, seen, alpha)

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value of the family, at times that depend on the arm alone."""
        return question.kind.log_e_above(question, seen, bars, rho)

    @property
    def ends_known(self) -> bool:
        """Whether all outcomes that an arm can have tell its mean: the population is never known."""
        return False

    def samples_per_outcome(self, told: ToldItems, shares: Floats) -> Floats:
        r"""Return :math:`\nu/n`: the mean of all items is known as in a pool, and itself varies as that of a sample."""
        done = told.outcomes / self.structure.sizes
        return 1.0 / (shares * (1.0 - done) + done)

    def attainable_means(self, question: Question, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the range of the family: items that are not in the sample can change any mean."""
        return IndependentSampling().attainable_means(question, seen)

    def certain_sides(self, question: Question, seen: Statistics, bars: Floats) -> Ints:
        """Return 0 for every arm."""
        return np.zeros(question.n_arms, np.int64)
