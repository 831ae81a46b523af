"""Normal outcomes of unknown variance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.errors import InvalidOutcomeError
from thresher.martingales import Mixture, lifted, log_side, radius_per_deviation, single
from thresher.problem.families.family import Family
from thresher.problem.families.likelihood import Likelihood
from thresher.problem.statistics import Statistics
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question

FARTHEST = 10.0  # an arm whose outcomes are all equal is put at this distance


class UnknownVariance(Family):
    r"""``gaussian-unknown-variance``: the distance from the bar is :math:`\sqrt2 \operatorname{asinh}(\delta/\sqrt2)`.

    σ is that of a simulation, and hidden from the policies.
    """

    name: ClassVar[str] = "gaussian-unknown-variance"
    summary: ClassVar[str] = "N(μ, σ²), σ hidden from the policies"
    draw: ClassVar[str] = "normal"
    law: ClassVar[str] = "normal"
    first_pulls: ClassVar[int] = 3
    takes_sigma: ClassVar[bool] = True
    knows_sigma: ClassVar[bool] = False
    is_normal: ClassVar[bool] = True
    evidences: ClassVar[tuple[str, ...]] = ("student",)

    def assumed_squares(self, least: float, most: float) -> float:
        """Raise: the sum of squares is needed."""
        raise InvalidOutcomeError("no sum of squares", instead="give it: the variance is not known otherwise")

    def likelihood(self, question: Question, seen: Statistics) -> Likelihood:
        """Return the likelihood of every arm; below three outcomes an arm says nothing, as in its evidence."""
        counts = np.where(seen.counts < 3.0, 0.0, seen.counts)
        totals = seen.totals - seen.counts * question.thresholds
        leans = np.clip(totals / np.sqrt(np.maximum(counts * seen.squares, 1e-300)), -1.0, 1.0)
        leans = np.where(counts > 0.0, leans, 0.0)
        effects = leans / np.sqrt(np.maximum(1.0 - leans**2, 1e-300))
        places = np.clip(np.sqrt(2.0) * np.arcsinh(effects / np.sqrt(2.0)), -FARTHEST, FARTHEST)
        ends = np.full(question.n_arms, FARTHEST)
        return Likelihood(student_logs, places, counts, leans, -ends, ends)

    def means_at(self, question: Question, seen: Statistics, points: Floats, arms: Ints | slice) -> Floats:
        """Return the means at some distances, in empirical deviations; those of all arms for an arm without any."""
        bars = question.thresholds[arms, None]
        return np.asarray(
            bars + _known_deviations(question, seen)[arms, None] * np.sqrt(2.0) * np.sinh(points / np.sqrt(2.0))
        )

    def variances(self, question: Question, seen: Statistics) -> Floats:
        """Return the empirical variances, infinite below three outcomes."""
        own = seen.variances(question) * seen.counts / np.maximum(seen.counts - 1.0, 1.0)
        return np.where(seen.counts >= 3.0, np.maximum(own, 1e-300), np.inf)

    def spreads(self, question: Question, seen: Statistics) -> Floats:
        """Return the empirical deviations."""
        return np.sqrt(seen.variances(question))

    def precisions(self, question: Question) -> Floats:
        """Return the inverse variances of a simulation; equal ones in a campaign."""
        return question.sigma**-2.0

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits by Student's test martingale."""
        radius = np.sqrt(seen.variances(question)) * radius_per_deviation(seen.counts, alpha)
        means = np.where(seen.counts > 0.0, seen.means, 0.0)
        return means - radius, means + radius

    def _open_radius(
        self, question: Question, seen: Statistics, counts: Floats, pools: Floats, samples: Floats, alpha: float
    ) -> Floats:
        return np.asarray(np.sqrt(seen.variances(question)) * radius_per_deviation(counts, alpha, samples))

    def mixture(self, risk: float) -> Mixture:
        """Return a single part: the martingale has a mixture of its own."""
        return single(math.nan)

    def joint_log_e(self, own: Floats, other: Floats) -> Floats:
        """Return the log of the mean: e-values at any time that are not supermartingales together."""
        return np.asarray(np.logaddexp(own, other) - math.log(2.0))

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value by the one-sided test martingale, lifted to every random time."""
        return lifted(_log_sides(question, seen, bars))

    def pool_log_e(
        self, question: Question, seen: Statistics, counts: Floats, totals: Floats, pools: Floats, samples: Floats,
        bars: Floats, rho: float,
    ) -> Floats:  # fmt: skip
        """Return the log of the e-value of arms with a finite pool."""
        return lifted(_log_sides(question, seen, bars, samples))


def _log_sides(question: Question, seen: Statistics, bars: Floats, samples: Floats | None = None) -> Floats:
    counts = np.maximum(seen.counts, 1.0)
    gaps = seen.totals / counts - bars
    deviations = np.sqrt(seen.variances(question))
    with np.errstate(divide="ignore", invalid="ignore"):
        effects = np.where(gaps == 0.0, 0.0, gaps / deviations)
    # One outcome has no spread, and does not determine the unit.
    return np.where(seen.counts >= 2.0, log_side(counts, effects, samples), 0.0)


def _known_deviations(question: Question, seen: Statistics) -> Floats:
    """Return the empirical deviations, shape (K,); of equal outcomes such that the farthest distance is their mean."""
    counts = np.maximum(seen.counts, 1.0)
    gaps = np.abs(seen.totals / counts - question.thresholds)
    variances = np.maximum(seen.squares / counts - gaps**2, 0.0)
    own = np.maximum(np.sqrt(variances), gaps / (np.sqrt(2.0) * np.sinh(FARTHEST / np.sqrt(2.0))))
    is_known = (seen.counts >= 3.0) & (own > 0.0)
    common = np.sqrt(np.mean(own[is_known] ** 2)) if is_known.any() else 1.0
    return np.where(is_known, own, common)


def student_logs(arms: Likelihood, points: Floats) -> Floats:
    r"""Return the logs for unknown σ: of the outcomes up to their unit, hence of the effect δ alone.

    .. math:: \log \int_0^\infty v^{n-1} e^{-v^2/2 + v r \sqrt n \delta} dv - \tfrac n2 \delta^2, \qquad
              r = \frac{\sum (X_i - \theta)}{\sqrt{n \sum (X_i - \theta)^2}}

    by Laplace's method, which is within 5 % of the integral at three outcomes and better after.
    """
    effects = np.sqrt(2.0) * np.sinh(points / np.sqrt(2.0))
    counts = arms.strengths[:, None]
    more = np.maximum(counts - 1.0, 1.0)
    slopes = arms.leans[:, None] * np.sqrt(counts) * effects
    # The positive root of v² - slope v - (n - 1) = 0, without cancellation.
    far = 0.5 * (np.abs(slopes) + np.sqrt(slopes**2 + 4.0 * more))
    peak = np.where(slopes >= 0.0, far, more / far)
    logs = more * np.log(peak) - 0.5 * peak**2 + slopes * peak - 0.5 * np.log1p(more / peak**2)
    return np.asarray(np.where(counts > 0.0, logs - 0.5 * counts * effects**2, 0.0))
