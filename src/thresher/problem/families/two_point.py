"""The paper's toy: 0 or twice the mean, each with probability ½."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.errors import InvalidInputError
from thresher.martingales import Mixture, single
from thresher.problem.families.family import Family
from thresher.problem.families.likelihood import Likelihood
from thresher.problem.statistics import Statistics
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question

LEAST_SIGMA = 1e-300  # of an arm whose mean is 0 or not known


class TwoPoint(Family):
    """``two-point``: one outcome other than 0 tells the mean, half of it; before that nothing does."""

    name: ClassVar[str] = "two-point"
    summary: ClassVar[str] = "0 or 2μ, each with probability ½ (the paper's toy)"
    draw: ClassVar[str] = "two-point"
    tells_all: ClassVar[bool] = True
    evidences: ClassVar[tuple[str, ...]] = ("two-point",)

    def own_sigma(self, low: float, high: float) -> float:
        """Return the least σ: the mean is not known."""
        return LEAST_SIGMA

    def true_sigma(self, question: Question, means: Floats) -> Floats:
        """Return the distance of each mean from 0."""
        return np.maximum(np.abs(means), LEAST_SIGMA)

    def default_bar(self) -> float | None:
        """Return 0, the only bar."""
        return 0.0

    def check_thresholds(self, question: Question) -> None:
        """Raise unless every threshold is 0."""
        if (question.thresholds != 0).any():
            raise InvalidInputError("thresholds", question.thresholds.tolist(), rule="must be 0 in a two-point problem")

    def likelihood(self, question: Question, seen: Statistics) -> Likelihood:
        """Raise: there is none."""
        raise InvalidInputError("family", self.name, rule="has no likelihood: one outcome decides an arm")

    def means_at(self, question: Question, seen: Statistics, points: Floats, arms: Ints | slice) -> Floats:
        """Raise: there is no scale of distances."""
        raise InvalidInputError("family", self.name, rule="has no likelihood: one outcome decides an arm")

    def variances(self, question: Question, seen: Statistics) -> Floats:
        """Return the squares of σ."""
        return question.sigma**2

    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the mean where it is known, else NaN."""
        known_means = np.where(seen.totals != 0.0, known_mean(seen), np.nan)
        return known_means, known_means

    def mixture(self, risk: float) -> Mixture:
        """Return a single part: one outcome settles an arm."""
        return single(math.nan)

    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return an infinite log where the mean is known, of the sign of its distance from the bar."""
        return np.where(seen.totals != 0.0, np.where(known_mean(seen) > bars, np.inf, -np.inf), 0.0)


def known_mean(seen: Statistics) -> Floats:
    """Return half of the outcome other than 0, shape (K,); 0 where there was none."""
    return np.asarray(
        0.5 * np.divide(seen.squares, seen.totals, out=np.zeros_like(seen.totals), where=seen.totals != 0.0)
    )
