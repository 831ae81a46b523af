"""A family of outcomes: the methods that each family has, and what most families share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from thresher.errors import InvalidInputError, InvalidOutcomeError
from thresher.martingales import Mixture, mixture_of, normal, normal_boundary
from thresher.number_text import exact
from thresher.problem.arrays import numbers_of
from thresher.problem.statistics import Statistics
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.families.likelihood import Likelihood
    from thresher.problem.question import Question

ROUNDING = 1e-9  # tolerance for sums that were added up elsewhere


class Family(ABC):
    """A family of outcome distributions. One instance of each is registered in ``FAMILIES``.

    Attributes
    ----------
    name : str
        As in files, on the command line and in databases.
    summary : str
        One line for lists of families.
    first_pulls : int
        Number of initial pulls of every arm.
    takes_sigma : bool
        Whether σ is given with the question.
    has_range : bool
        Whether outcomes are between two known numbers.
    tells_all : bool
        Whether one outcome decides an arm, so that it has no likelihood: the paper's toy.
    needs_sigma : bool
        Whether a campaign must be given σ.
    knows_sigma : bool
        Whether policies are given σ.
    is_normal : bool
        Whether guarantees assume outcomes that are about normal.
    is_coin : bool
        Whether outcomes are 0 or 1.
    ranges_over_samples : bool
        Whether the range of recorded samples is that of the outcomes, unless it is given.
    law : str
        Which limits are known in theory: those of ``"normal"`` outcomes, of a ``"coin"``, or none (``""``).
    draw : str
        How a simulation draws an outcome: ``"normal"``, ``"zero-one"``, ``"scaled-beta"`` or ``"two-point"``.
    evidences : tuple of str
        The evidences that an index may use, of :data:`thresher.inference.evidence.EVIDENCES`; the first unless an index
        prefers another one.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    draw: ClassVar[str]
    first_pulls: ClassVar[int] = 1
    takes_sigma: ClassVar[bool] = False
    has_range: ClassVar[bool] = False
    tells_all: ClassVar[bool] = False
    needs_sigma: ClassVar[bool] = False
    knows_sigma: ClassVar[bool] = True
    law: ClassVar[str] = ""
    is_normal: ClassVar[bool] = False
    is_coin: ClassVar[bool] = False
    ranges_over_samples: ClassVar[bool] = False
    evidences: ClassVar[tuple[str, ...]] = ("squared",)

    def __repr__(self) -> str:
        return f"<family {self.name}>"

    def __reduce__(self) -> tuple[Callable[[str], Family], tuple[str]]:
        """Pickle by name: families are compared by identity."""
        from thresher.problem.families.registry import family

        return family, (self.name,)

    # The question ----------------------------------------------------------------------------------------------

    def misfit(self, outcome: float, *, low: float, high: float) -> str | None:
        """Return why an outcome is not valid for this family, or None if it is."""
        return None if math.isfinite(outcome) else f"{outcome} is not a finite number"

    @property
    def advice(self) -> str:
        """What to do with outcomes that do not fit, after the sentence that asks for a possible outcome."""
        return ""

    def sigma_of(self, sigma: Any, *, low: float, high: float) -> Floats:
        """Return the σ that is given, or the family's own."""
        if self.takes_sigma:
            return numbers_of("sigma", 1.0 if sigma is None else sigma)
        if sigma is not None:
            raise InvalidInputError(
                "sigma", sigma, rule=f"must be left out for the family {self.name!r}, which determines it"
            )
        return np.array(self.own_sigma(low, high))

    def own_sigma(self, low: float, high: float) -> float:
        """Return σ of a family that determines it."""
        raise NotImplementedError(self.name)

    def true_sigma(self, question: Question, means: Floats) -> Floats:
        """Return the σ of each arm of a simulation whose means are known."""
        return question.sigma

    def range_of(self, low: float, high: float) -> tuple[float, float]:
        """Return between which numbers outcomes are: the range of the question, or infinite."""
        return (low, high) if self.has_range else (-math.inf, math.inf)

    def width(self, low: float, high: float) -> float:
        """Return the width of the range that literature policies are told; 1 in a family without one of its own."""
        return 1.0

    def used_range(self, terms: Any) -> dict[str, float]:
        """Return the ends of the range that a question of this family is asked with."""
        return {}

    def default_bar(self) -> float | None:
        """Return the bar of arms that are given none; None if each must be given one."""
        return None

    def check_thresholds(self, question: Question) -> None:
        """Raise InvalidInputError if a threshold is where no mean can be."""

    def check_means(self, question: Question, means: Floats, *, is_drawn: bool) -> None:
        """Raise InvalidInputError if a true mean is not possible; `is_drawn` if the family draws the outcomes."""

    def origin_of_squares(self, low: float, high: float) -> float:
        """Return where squares of outcomes are counted from if the bar is a control."""
        return 0.5 * (low + high) if self.has_range else 0.0

    def mirror_sum(self, low: float, high: float) -> float:
        """Return what an outcome and its mirror image add up to."""
        return low + high if self.has_range else 0.0

    # Aggregates -------------------------------------------------------------------------------------------------

    def check_total(self, count: int, total: float, *, low: float, high: float) -> None:
        """Raise InvalidOutcomeError if no `count` outcomes add up to `total`."""

    def raw_squares(self, count: int, total: float, squares: float | None, *, low: float, high: float) -> float:
        """Return the sum of the squares of `count` outcomes, checked, or the one to assume if it is not given.

        Raises
        ------
        InvalidOutcomeError
            If no outcomes have these sums, or the sum of squares is needed and missing.
        """
        least, most = total * total / count, self.most_squares(count, total, low=low, high=high)
        if squares is None:
            return self.assumed_squares(least, most)
        room = ROUNDING * max(least, abs(low * total), abs(high * total), abs(count * low * high))
        if not least - room <= squares <= most + room:
            span = f"below {exact(least)}" if squares < least else f"above {exact(most)}"
            raise InvalidOutcomeError(f"a sum of squares {span}", instead="give the sum of the squared outcomes")
        return squares

    def most_squares(self, count: int, total: float, *, low: float, high: float) -> float:
        """Return the largest possible sum of squares of `count` outcomes with that sum."""
        return total * total if count == 1 else math.inf

    def assumed_squares(self, least: float, most: float) -> float:
        """Return the sum of squares to assume if none is given, between the least and the largest possible one."""
        return least

    # Evidence and likelihood -----------------------------------------------------------------------------------

    @abstractmethod
    def likelihood(self, question: Question, seen: Statistics) -> Likelihood:
        """Return the likelihood of every arm; one without outcomes is as likely to be anywhere."""

    @abstractmethod
    def means_at(self, question: Question, seen: Statistics, points: Floats, arms: Ints | slice) -> Floats:
        """Return the means that some arms have at G distances from their bars, shape (arms, G)."""

    @abstractmethod
    def variances(self, question: Question, seen: Statistics) -> Floats:
        """Return the variance of an outcome of each arm, infinite where it is not known; shape (K,)."""

    def deviations(self, question: Question, seen: Statistics) -> Floats:
        """Return the standard deviation of each arm: the empirical one, or that of all arms together."""
        squares, freedom = seen.counts * seen.variances(question), np.maximum(seen.counts - 1.0, 0.0)
        common = float(squares.sum()) / max(float(freedom.sum()), 1.0)
        return np.sqrt(np.where(freedom > 0.0, squares / np.maximum(freedom, 1.0), common))

    def spreads(self, question: Question, seen: Statistics) -> Floats:
        """Return about the standard deviation of each arm, for the width of a search."""
        return question.sigma

    def precisions(self, question: Question) -> Floats:
        """Return the weights of the arms in a mean of all outcomes, shape (K,)."""
        return np.ones(question.n_arms)

    # Always-valid limits and e-values ---------------------------------------------------------------------------

    @abstractmethod
    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the always-valid limits of the mean of every arm, of independent draws; NaN where there are none."""

    def noise_limits(self, question: Question, counts: Floats, totals: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the always-valid limits of the mean of the means of independent outcomes, whose means may differ.

        NaN if there are none from the numbers and the sums of outcomes alone.
        """
        return np.full(question.n_arms, np.nan), np.full(question.n_arms, np.nan)

    def pool_limits(self, question: Question, seen: Statistics, sizes: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the always-valid limits of the mean of all items of every arm; NaN where there are none."""
        radius = np.where(seen.counts < sizes, self._pool_radius(question, seen, sizes, alpha), 0.0)
        means = np.where(seen.counts > 0.0, seen.means, 0.0)
        return means - radius, means + radius

    def _pool_radius(self, question: Question, seen: Statistics, sizes: Floats, alpha: float) -> Floats:
        """Return half the width of the intervals of arms that have items left."""
        from thresher.martingales import effective_counts

        is_open = (seen.counts > 0.0) & (seen.counts < sizes)
        counts = np.where(is_open, seen.counts, 1.0)
        pools = np.where(is_open, sizes, 3.0)
        found = self._open_radius(question, seen, counts, pools, effective_counts(counts, pools), alpha)
        return np.where(is_open, found, np.nan)

    def _open_radius(
        self, question: Question, seen: Statistics, counts: Floats, pools: Floats, samples: Floats, alpha: float
    ) -> Floats:
        spread = self._pool_variances(counts, pools, samples)
        return np.asarray(question.sigma / samples * normal_boundary(spread, alpha, mixture_of(alpha)))

    def _pool_variances(self, counts: Floats, pools: Floats, samples: Floats) -> Floats:
        """Return the variance of the sum of this many effective samples of a pool, in units of σ²."""
        return samples

    def pool_refutation(
        self, question: Question, counts: Floats, totals: Floats, sizes: Floats, sums: Floats, alpha: float, side: int
    ) -> Floats:
        """Return the log of the martingale behind :meth:`pool_limits` at the sum of all items of each arm, shape (K,).

        It falls up to the sum that the outcomes fit best and rises from there on: the least of it beyond that sum.

        Parameters
        ----------
        question : Question
        counts, totals, sizes, sums : ndarray of float64, shape (K,)
            Numbers and sums of outcomes, numbers and sums of items; sums of outcomes as shares of the range.
        alpha : float
            To tune it.
        side : int
            1 to refute sums below that of the best fit, -1 for those above.
        """
        raise NotImplementedError

    def difference_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        """Return the limits of the differences from the bar; None if martingales cannot be multiplied."""
        return None

    def ratio_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        r"""Return the limits of :math:`\mu_k / \mu_0` of the judged arms; None if martingales cannot be multiplied."""
        return None

    def mixture(self, risk: float) -> Mixture:
        """Return the mixture over ρ of the e-values."""
        return mixture_of(risk)

    def joint_log_e(self, own: Floats, other: Floats) -> Floats:
        """Return the log of an e-value from those of an arm and of the control: their product is one."""
        return own + other

    @abstractmethod
    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value against a mean at or below a bar inside the range, shape (K,)."""

    def pool_log_e(
        self, question: Question, seen: Statistics, counts: Floats, totals: Floats, pools: Floats, samples: Floats,
        bars: Floats, rho: float,
    ) -> Floats:  # fmt: skip
        """Return the log of the e-value of arms with a finite pool that still has items, shape (K,).

        Parameters
        ----------
        question : Question
        seen : Statistics
        counts, totals, pools : ndarray of float64, shape (K,)
            Numbers and sums of outcomes and sizes of pools; of an arm that is not open, any valid ones.
        samples : ndarray of float64, shape (K,)
            Effective samples.
        bars : ndarray of float64, shape (K,)
        rho : float
        """
        sums = samples * (seen.totals / counts - bars)
        del totals
        return normal.log_e_of_sums(sums, self._pool_variances(counts, pools, samples), question.sigma, rho)
