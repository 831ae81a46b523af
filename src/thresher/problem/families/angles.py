r"""Outcomes within a range: the distance of a mean from its bar is an angle.

It is :math:`2 \arcsin \sqrt p - 2 \arcsin \sqrt b` of the places of mean and bar within the range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.problem.families.family import Family
from thresher.problem.families.likelihood import Likelihood
from thresher.problem.statistics import Statistics
from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class Ranged(Family):
    """A family whose outcomes are between two known numbers."""

    has_range: ClassVar[bool] = True

    def strengths(self, question: Question, seen: Statistics, shares: Floats) -> Floats:
        """Return the equivalent number of 0/1 outcomes of each arm; `shares` are the places of the means."""
        return seen.counts

    def likelihood(self, question: Question, seen: Statistics) -> Likelihood:
        """Return the likelihood of every arm."""
        width = question.high - question.low
        shares = np.clip((seen.totals / np.maximum(seen.counts, 1.0) - question.low) / width, 0.0, 1.0)
        bars = 2.0 * np.arcsin(np.sqrt((question.thresholds - question.low) / width))
        places = np.where(seen.counts > 0.0, 2.0 * np.arcsin(np.sqrt(shares)) - bars, 0.0)
        return Likelihood(angular_logs, places, self.strengths(question, seen, shares), shares, -bars, np.pi - bars)

    def means_at(self, question: Question, seen: Statistics, points: Floats, arms: Ints | slice) -> Floats:
        """Return the means at some distances from the bars."""
        bars, width = question.thresholds[arms, None], question.high - question.low
        angles = 2.0 * np.arcsin(np.sqrt((bars - question.low) / width)) + points
        return np.asarray(question.low + width * np.sin(0.5 * np.clip(angles, 0.0, np.pi)) ** 2)


def angular_logs(arms: Likelihood, points: Floats) -> Floats:
    r"""Return :math:`n (\hat p \log p + \hat q \log q)`; for ``bounded`` a quasi-likelihood, :math:`n/\phi` for `n`."""
    angles = np.clip(points - arms.lows[:, None], 1e-7, np.pi - 1e-7)
    shares = np.sin(0.5 * angles) ** 2
    successes, failures = arms.strengths * arms.leans, arms.strengths * (1.0 - arms.leans)
    logs = successes[:, None] * np.log(shares) + failures[:, None] * np.log1p(-shares)
    outside = (points < arms.lows[:, None]) | (points > arms.highs[:, None])
    return np.asarray(np.where(outside, -np.inf, logs))
