"""Outcomes within a range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from thresher.errors import InvalidOutcomeError
from thresher.martingales import (
    bernoulli_limits,
    bernstein_radius,
    effective_counts,
    hoeffding_variances,
    log_e_of_bounded_sums,
    log_e_of_shares,
    log_mixtures_of_sums,
    mixture_of,
)
from thresher.number_text import exact
from thresher.problem.arrays import demand_inside
from thresher.problem.families.likelihood import Ranged
from thresher.problem.statistics import Statistics
from thresher.types import Floats

if TYPE_CHECKING:
    from thresher.problem.question import Question

BORROWED = 10.0  # prior weight of the pooled variance, in outcomes
AS_BINARY = 10.0  # outcomes: of prior weight in the pooled variance, that of 0/1 outcomes
LEAST_SIGMA = 1e-300


class Bounded(Ranged):
    """``bounded``: a scaled Beta in simulations, any distribution within the range in campaigns.

    σ is half the width of the range, the largest that it can be.
    """

    name: ClassVar[str] = "bounded"
    summary: ClassVar[str] = "a scaled Beta on [low, high]"
    draw: ClassVar[str] = "scaled-beta"
    ranges_over_samples: ClassVar[bool] = True

    def misfit(self, outcome: float, *, low: float, high: float) -> str | None:
        """Return why an outcome is outside of the range, or None if it is not."""
        fault = super().misfit(outcome, low=low, high=high)
        return (
            f"{exact(outcome)} is outside [{exact(low)}, {exact(high)}]"
            if fault is None and not low <= outcome <= high
            else fault
        )

    def own_sigma(self, low: float, high: float) -> float:
        """Return half the width of the range."""
        return max(0.5 * (high - low), LEAST_SIGMA)

    def width(self, low: float, high: float) -> float:
        """Return the width of the range."""
        return float(high - low)

    def used_range(self, terms: Any) -> dict[str, float]:
        """Return the range of the terms."""
        return {"low": terms.low, "high": terms.high}

    def check_thresholds(self, question: Question) -> None:
        """Raise unless every threshold is inside the range."""
        demand_inside("thresholds", question.thresholds, question.low, question.high, closed=False, arms=question.arms)

    def check_means(self, question: Question, means: Floats, *, is_drawn: bool) -> None:
        """Raise unless every mean is in the range; a Beta distribution has none at its ends."""
        demand_inside("means", means, question.low, question.high, closed=not is_drawn, arms=question.arms)

    def check_total(self, count: int, total: float, *, low: float, high: float) -> None:
        """Raise unless the mean is in the range."""
        if not low * count <= total <= high * count:
            raise InvalidOutcomeError(
                f"a sum of {exact(total)} over {count} outcomes", instead=f"each lies in [{exact(low)}, {exact(high)}]"
            )

    def most_squares(self, count: int, total: float, *, low: float, high: float) -> float:
        """Return the largest possible sum of squares: outcomes have ``(x - low) * (high - x) >= 0``."""
        if count == 1:
            return total * total
        return max((low + high) * total - count * low * high, total * total / count)

    def assumed_squares(self, least: float, most: float) -> float:
        """Return the largest sum of squares: evidence depends on the variance."""
        return most

    def strengths(self, question: Question, seen: Statistics, shares: Floats) -> Floats:
        """Return the equivalent number of 0/1 outcomes of each arm: outcomes that vary less say more."""
        return np.asarray(seen.counts / _dispersions(question, seen, shares))

    def variances(self, question: Question, seen: Statistics) -> Floats:
        """Return the variances, drawn towards those of all arms; never 0."""
        return spreads_of(question, seen) ** 2

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits: half of α goes to those from the mean alone, half to those that use the variance."""
        width = question.high - question.low
        totals = (seen.totals - question.low * seen.counts) / width
        low, high = bernoulli_limits(seen.counts, totals, 0.5 * alpha, *mixture_of(0.5 * alpha))
        means = totals / np.maximum(seen.counts, 1.0)
        radius = bernstein_radius(seen.counts, seen.variances(question) / width**2, 0.5 * alpha)
        counted = seen.counts > 0.0
        low = np.where(counted, np.maximum(low, means - radius), 0.0)
        high = np.where(counted, np.minimum(high, means + radius), 1.0)
        return question.low + width * low, question.low + width * high

    def noise_limits(self, question: Question, counts: Floats, totals: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits from the mean alone: those of 0/1 outcomes, by convexity."""
        width = question.high - question.low
        shares = (totals - question.low * counts) / width
        low, high = bernoulli_limits(counts, shares, alpha, *mixture_of(alpha))
        return question.low + width * low, question.low + width * high

    def pool_limits(self, question: Question, seen: Statistics, sizes: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits by Hoeffding's inequality, within the range that the remaining items allow."""
        low, high = super().pool_limits(question, seen, sizes, alpha)
        left = sizes - seen.counts
        least, most = (seen.totals + left * end for end in (question.low, question.high))
        low, high = np.maximum(low, least / sizes), np.minimum(high, most / sizes)
        is_seen = seen.counts > 0.0
        return np.where(is_seen, low, question.low), np.where(is_seen, high, question.high)

    def pool_refutation(
        self, question: Question, counts: Floats, totals: Floats, sizes: Floats, sums: Floats, alpha: float, side: int
    ) -> Floats:
        """Return the log of the normal mixture, by Hoeffding's inequality."""
        is_open = (counts > 0.0) & (counts < sizes)
        known, pools = np.where(is_open, counts, 1.0), np.where(is_open, sizes, 3.0)
        gaps = np.maximum(side * (totals / known - sums / sizes), 0.0)
        # In units of the largest σ, which is half the range.
        means, spread = 2.0 * gaps, self._pool_variances(known, pools, known)
        found = log_mixtures_of_sums(effective_counts(known, pools) * means, spread, mixture_of(alpha))
        return np.where(is_open, found, 0.0)

    def _pool_variances(self, counts: Floats, pools: Floats, samples: Floats) -> Floats:
        return hoeffding_variances(counts, pools)

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        r"""Return the log of the mean of two mixtures: one of the mean alone, one that also uses the variance.

        The second is that of :func:`thresher.martingales.bernstein.log_e_of_bounded_sums` with
        :math:`\xi = (X - b)/(b - \text{low}) \ge -1`.
        """
        width = question.high - question.low
        places = (bars - question.low) / width
        totals = np.clip((seen.totals - question.low * seen.counts) / width, 0.0, seen.counts)
        sums, squares = seen.about(question, bars)
        unit = bars - question.low
        steep = log_e_of_bounded_sums(sums / unit, squares / unit**2)
        return np.asarray(np.logaddexp(log_e_of_shares(seen.counts, totals, places, rho), steep) - math.log(2.0))


def spreads_of(question: Question, seen: Statistics) -> Floats:
    """Return the standard deviation of the outcomes of each ``bounded`` arm, shape (K,); never 0."""
    width = question.high - question.low
    shares = np.clip((seen.totals / np.maximum(seen.counts, 1.0) - question.low) / width, 0.0, 1.0)
    smooth = (seen.counts * shares + 0.5) / (seen.counts + 1.0)
    return np.asarray(width * np.sqrt(_dispersions(question, seen, shares) * smooth * (1.0 - smooth)))


def _dispersions(question: Question, seen: Statistics, shares: Floats) -> Floats:
    r"""Return how much less than 0/1 outcomes those of each arm vary, :math:`\phi_k = \sigma_k^2 / (p_k q_k) \le 1`.

    Each arm's own estimate is drawn towards that of all arms together, as if this one rested on `BORROWED` outcomes.
    That of all arms begins at 1, where 0/1 outcomes are, as if `AS_BINARY` outcomes said so: with few arms and few
    outcomes that happen to be alike it would be far too small.
    """
    spreads = shares * (1.0 - shares)
    squares = seen.counts * seen.variances(question) / (question.high - question.low) ** 2
    more = np.maximum(seen.counts - 1.0, 0.0)
    prior = AS_BINARY * float(spreads.sum()) / max(int(np.count_nonzero(seen.counts)), 1)
    most = float((more * spreads).sum()) + prior
    common = min((float(squares.sum()) + prior) / most, 1.0) if most > 0.0 else 1.0
    own = (squares + BORROWED * common * spreads) / np.maximum((more + BORROWED) * spreads, 1e-12)
    return np.where(spreads > 0.0, np.clip(own, 0.01, 1.0), max(common, 0.01))
