r"""Items that may be asked several times.

**Always-valid limits about these items.** Think of all outcomes :math:`x_{ir}` that an arm could give to item `i` for
the time `r` as drawn beforehand, independently, with means :math:`p_i`; the truth is :math:`\mu = \frac1N \sum_i p_i`.
Layer `r` has the mean :math:`\bar x_r = \frac1N \sum_i x_{ir}`.

1. *Which items.* Given all :math:`x`, an arm gets the outcomes of a layer in its random order of the items, without
   replacement. So the limits of a pool for :math:`\bar x_r` hold for all numbers of outcomes together, except with
   probability :math:`\frac\alpha2 \frac1{r (r + 1)}`, and for all layers except with probability :math:`\alpha/2`.
2. *Noise.* The sum of the first `c` layers is one of :math:`cN` independent outcomes whose means have the mean
   :math:`\mu`. Its limits (:meth:`thresher.problem.families.Family.noise_limits`) hold for all `c` together, except
   with probability :math:`\alpha/2`.
3. With `c` layers told in full, :math:`\mu` is within the limits of step 2. With a part of the next layer told, the sum
   of :math:`c + 1` layers is between two numbers by step 1; the limits of step 2 grow with the sum, so :math:`\mu` is
   between the lower limit at the lower and the upper limit at the upper number. Both hold outside of the same event, so
   their intersection does.

**About a population** the first outcomes of the items are independent draws from it, and have its limits; repeats are
left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thresher.problem.sampling.independent import IndependentSampling
from thresher.problem.sampling.items import ItemSampling
from thresher.problem.sampling.repeats import LEAST
from thresher.problem.sampling.sampling import ToldItems
from thresher.problem.statistics import Statistics
from thresher.problem.structure import POPULATION, Structure
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

    @property
    def ends_known(self) -> bool:
        """Whether all outcomes that an arm can have tell its mean: there is always noise left."""
        return False

    @property
    def for_population(self) -> bool:
        """Whether the items stand for a population."""
        return self.structure.target == POPULATION

    @property
    def cautious_rho(self) -> float:
        """Independent draws for these items; for a population repeats then say nothing new."""
        return 1.0 if self.for_population else 0.0

    def uses_forecasts(self, question: Question) -> bool:
        """Return False: an outcome is not a fixed number."""
        return False

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits from the layers of outcomes; NaN from sums alone."""
        if not seen.layers:
            return np.full(question.n_arms, np.nan), np.full(question.n_arms, np.nan)
        if self.for_population:
            return question.kind.limits(question, seen.layers[0], alpha)
        return self._item_limits(question, seen, 0.5 * alpha)

    def _item_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits about these items; `alpha` goes to the items, and the same to the noise."""
        sizes, kind = self.sizes(question.n_arms), question.kind
        low, high = (np.full(question.n_arms, end) for end in question.range)
        done, total = np.zeros(question.n_arms), np.zeros(question.n_arms)  # layers told in full, and their sum
        for r, layer in enumerate(seen.layers, start=1):
            is_next = done == r - 1
            ends = kind.pool_limits(question, layer, sizes, alpha / (r * (r + 1)))
            least, most = (np.clip(end, *question.range) for end in ends)
            is_used = is_next & (layer.counts > 0.0) & np.isfinite(least) & np.isfinite(most)
            sums = (np.where(is_used, total + sizes * end, 0.0) for end in (least, most))
            lowest, highest = (kind.noise_limits(question, r * sizes, each, alpha) for each in sums)
            low = np.where(is_used, np.fmax(low, lowest[0]), low)
            high = np.where(is_used, np.fmin(high, highest[1]), high)
            is_full = is_next & (layer.counts >= sizes)
            done, total = done + is_full, total + np.where(is_full, layer.totals, 0.0)
        return low, high

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return 0: there are no e-values."""
        return np.zeros(question.n_arms)

    def samples_per_outcome(self, told: ToldItems, shares: Floats) -> Floats:
        r"""Return :math:`\nu/n`, by the formula of :mod:`thresher.inference.repeated_samples`."""
        sizes, items = self.sizes(told.items.size), np.maximum(told.items, 1.0)
        between = shares * told.rho * (1.0 - items / sizes) / items
        if self.for_population:
            between = between + told.rho / sizes
        inverse = np.maximum(between + (1.0 - told.rho) * told.inverses / items**2, LEAST)
        return np.asarray(np.where(told.items > 0.0, 1.0 / (inverse * np.maximum(told.outcomes, 1.0)), 1.0))

    def attainable_means(self, question: Question, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the range of the family."""
        return IndependentSampling().attainable_means(question, seen)

    def certain_sides(self, question: Question, seen: Statistics, bars: Floats) -> Ints:
        """Return 0 for every arm."""
        return np.zeros(question.n_arms, np.int64)
