r"""The likelihood of a distance from the bar, given the outcomes of an arm.

Distances are on a scale of the family on which the bar is 0 and the standard error of an arm is about :math:`1/\sqrt n`
wherever its mean is, so that arms with thresholds and σ of their own can be compared. Adaptive sampling does not change
a likelihood: which arm is pulled next depends on outcomes already seen, and that factor is the same for all means.

Of outcomes within a range the distance is an angle, :math:`2 \arcsin \sqrt p - 2 \arcsin \sqrt b` of the places of mean
and bar within the range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.problem.families.family import Family
from thresher.problem.statistics import Statistics
from thresher.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question

WIDEST = 8.0  # times the reach of a normal likelihood: no likelihood of an arm with outcomes reaches farther
HALVINGS = 50  # of the way to an end in the search for a likelihood


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The likelihoods of K arms, on the scale of their family; every array has shape (K,).

    Parameters
    ----------
    logs : callable
        Returns the log likelihood of each arm at points of shape (G,) or (K, G), up to a constant of the arm.
    places : ndarray of float64
        Where the likelihood is largest; its standard error there is ``strengths ** -0.5``.
    strengths : ndarray of float64
        Its effective number of outcomes; 0 if the arm says nothing.
    leans : ndarray of float64
        Which way they lean: the effect, the mean, or for unknown variances a correlation.
    lows, highs : ndarray of float64
        The least and the largest distance from its bar that an arm can have.
    """

    logs: Callable[[Likelihood, Floats], Floats]
    places: Floats
    strengths: Floats
    leans: Floats
    lows: Floats
    highs: Floats

    def part(self, chosen: Ints | Bools | slice) -> Likelihood:
        """Return the likelihood of some of the arms."""
        arrays = (self.places, self.strengths, self.leans, self.lows, self.highs)
        return Likelihood(self.logs, *(array[chosen] for array in arrays))

    def at(self, points: Floats) -> Floats:
        """Return the likelihood of each arm at each of G points, the largest of an arm being 1; shape (K, G)."""
        logs = self.logs(self, points)
        logs -= logs.max(axis=1, keepdims=True)
        return np.asarray(np.exp(logs, out=logs))

    def within(self, drops: Floats) -> tuple[Floats, Floats]:
        """Return the distances between which the log likelihood is less than `drop` below its largest value.

        Parameters
        ----------
        drops : ndarray of float64, shape (K,)
            In nats. An arm that says nothing has no limits.
        """
        strengths = np.maximum(self.strengths, 1e-300)
        reach = WIDEST * np.sqrt(2.0 * drops / strengths)
        ends = np.maximum(self.lows, self.places - reach), np.minimum(self.highs, self.places + reach)
        low, high = (self._crossing(end, drops) for end in ends)
        is_known = self.strengths > 0.0
        return np.where(is_known, low, -np.inf), np.where(is_known, high, np.inf)

    def _crossing(self, end: Floats, drops: Floats) -> Floats:
        """Return where the log likelihood has dropped, between the best place and an end; the end if it has not."""
        kept, lost = self.places, end
        most = self.logs(self, kept[:, None])[:, 0] - drops
        is_crossed = self.logs(self, lost[:, None])[:, 0] <= most
        for _ in range(HALVINGS):
            middle = 0.5 * (kept + lost)
            is_lost = self.logs(self, middle[:, None])[:, 0] <= most
            kept, lost = np.where(is_lost, kept, middle), np.where(is_lost, middle, lost)
        return np.where(is_crossed, lost, end)


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
