r"""How well a distance from the bar explains what was seen of an arm, for every family.

Distances are on a scale of the family on which the bar is 0 and the standard error of an arm is about :math:`1/\sqrt n`
wherever its mean is, so that arms with thresholds and σ of their own can be compared:

* ``gaussian``: the effect :math:`\delta = (\mu - \theta)/\sigma`;
* ``gaussian-unknown-variance``: :math:`\sqrt2 \operatorname{asinh}(\delta/\sqrt2)`;
* ``bernoulli``: the angle :math:`2 \arcsin \sqrt\mu - 2 \arcsin \sqrt\theta`;
* ``bounded``: the same of the places of mean and threshold within the range.

Adaptive sampling does not change a likelihood: which arm is pulled next depends on outcomes already seen, and that
factor is the same for all means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.errors import InvalidInputError
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.problem.family import BOUNDED, GAUSSIAN, UNKNOWN_VARIANCE
from thresher.types import Bools, Floats, Ints

BORROWED = 10.0  # outcomes that what all bounded arms show of their spread is worth beside an arm's own
FARTHEST = 10.0  # on the scale of unknown variances; an arm whose outcomes are all equal is put here


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The likelihoods of K arms, on the scale of their family; every array has shape (K,).

    Parameters
    ----------
    family : str
    places : ndarray of float64
        Where the likelihood is largest; its standard error there is ``strengths ** -0.5``.
    strengths : ndarray of float64
        Outcomes that it is worth; 0 if the arm says nothing.
    leans : ndarray of float64
        Which way they lean: the effect, the mean, or for unknown variances a correlation.
    lows, highs : ndarray of float64
        The least and the largest distance from its bar that an arm can have.
    """

    family: str
    places: Floats
    strengths: Floats
    leans: Floats
    lows: Floats
    highs: Floats

    def part(self, chosen: Ints | Bools | slice) -> Likelihood:
        """Return the likelihood of some of the arms."""
        arrays = (self.places, self.strengths, self.leans, self.lows, self.highs)
        return Likelihood(self.family, *(array[chosen] for array in arrays))

    def at(self, points: Floats) -> Floats:
        """Return the likelihood of each arm at each of G points, the largest of an arm being 1; shape (K, G)."""
        logs = _LOG_LIKELIHOODS[self.family](self, points)
        logs -= logs.max(axis=1, keepdims=True)
        return np.asarray(np.exp(logs, out=logs))


def likelihood_of(question: Question, seen: Seen) -> Likelihood:
    """Return the likelihood of every arm; one without outcomes is as likely to be anywhere.

    Raises
    ------
    InvalidInputError
        If the family is ``two-point``, whose arms tell all or nothing.
    """
    if question.kind is GAUSSIAN:
        return _gaussian(question, seen)
    if question.kind is UNKNOWN_VARIANCE:
        return _student(question, seen)
    if question.kind.has_range:
        return _angular(question, seen)
    raise InvalidInputError("family", question.family, rule="has no likelihood: one outcome decides an arm")


def means_at(question: Question, seen: Seen, points: Floats, arms: Ints | slice) -> Floats:
    """Return the means that some arms have at G distances from their bars, the same or their own, shape (arms, G).

    Where the variance is unknown it is the empirical one that tells how far a distance is.
    """
    bars, part = question.thresholds[arms, None], seen.part(arms)
    if question.kind is GAUSSIAN:
        return np.asarray(bars + question.sigma[arms, None] * points)
    if question.kind is UNKNOWN_VARIANCE:
        counts = np.maximum(part.counts, 1.0)
        gaps = part.totals / counts - question.thresholds[arms]
        spreads = np.sqrt(np.maximum(part.squares / counts - gaps**2, 0.0))
        return np.asarray(bars + spreads[:, None] * np.sqrt(2.0) * np.sinh(points / np.sqrt(2.0)))
    width = question.high - question.low
    angles = 2.0 * np.arcsin(np.sqrt((bars - question.low) / width)) + points
    return np.asarray(question.low + width * np.sin(0.5 * np.clip(angles, 0.0, np.pi)) ** 2)


def _gaussian(question: Question, seen: Seen) -> Likelihood:
    gaps = seen.totals / np.maximum(seen.counts, 1.0) - question.thresholds
    effects = np.where(seen.counts > 0.0, gaps / question.sigma, 0.0)
    ends = np.full(question.n_arms, np.inf)
    return Likelihood(question.family, effects, seen.counts, effects, -ends, ends)


def _gaussian_logs(arms: Likelihood, points: Floats) -> Floats:
    r"""Return :math:`-\frac n2 (\hat\delta - \delta)^2`."""
    return np.asarray(-0.5 * arms.strengths[:, None] * (arms.leans[:, None] - points) ** 2)


def _student(question: Question, seen: Seen) -> Likelihood:
    """Below three outcomes an arm says nothing, as in the evidence of this family."""
    counts = np.where(seen.counts < 3.0, 0.0, seen.counts)
    totals = seen.totals - seen.counts * question.thresholds
    leans = np.clip(totals / np.sqrt(np.maximum(counts * seen.squares, 1e-300)), -1.0, 1.0)
    leans = np.where(counts > 0.0, leans, 0.0)
    effects = leans / np.sqrt(np.maximum(1.0 - leans**2, 1e-300))
    places = np.clip(np.sqrt(2.0) * np.arcsinh(effects / np.sqrt(2.0)), -FARTHEST, FARTHEST)
    ends = np.full(question.n_arms, FARTHEST)
    return Likelihood(question.family, places, counts, leans, -ends, ends)


def _student_logs(arms: Likelihood, points: Floats) -> Floats:
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


def _angular(question: Question, seen: Seen) -> Likelihood:
    width = question.high - question.low
    shares = np.clip((seen.totals / np.maximum(seen.counts, 1.0) - question.low) / width, 0.0, 1.0)
    bars = 2.0 * np.arcsin(np.sqrt((question.thresholds - question.low) / width))
    strengths = seen.counts / _dispersions(question, seen, shares) if question.kind is BOUNDED else seen.counts
    places = np.where(seen.counts > 0.0, 2.0 * np.arcsin(np.sqrt(shares)) - bars, 0.0)
    return Likelihood(question.family, places, strengths, shares, -bars, np.pi - bars)


def spreads_of(question: Question, seen: Seen) -> Floats:
    """Return the standard deviation of the outcomes of each ``bounded`` arm, shape (K,); never 0."""
    width = question.high - question.low
    shares = np.clip((seen.totals / np.maximum(seen.counts, 1.0) - question.low) / width, 0.0, 1.0)
    smooth = (seen.counts * shares + 0.5) / (seen.counts + 1.0)
    return np.asarray(width * np.sqrt(_dispersions(question, seen, shares) * smooth * (1.0 - smooth)))


def _dispersions(question: Question, seen: Seen, shares: Floats) -> Floats:
    r"""Return how much less than 0/1 outcomes those of each arm vary, :math:`\phi_k = \sigma_k^2 / (p_k q_k) \le 1`.

    Each arm's own estimate is drawn towards that of all arms together, as if this one rested on `BORROWED` outcomes.
    """
    spreads = shares * (1.0 - shares)
    squares = seen.counts * seen.variances(question) / (question.high - question.low) ** 2
    more = np.maximum(seen.counts - 1.0, 0.0)
    most = float((more * spreads).sum())
    common = min(float(squares.sum()) / most, 1.0) if most > 0.0 else 1.0
    own = (squares + BORROWED * common * spreads) / np.maximum((more + BORROWED) * spreads, 1e-12)
    return np.where(spreads > 0.0, np.clip(own, 0.01, 1.0), max(common, 0.01))


def _angular_logs(arms: Likelihood, points: Floats) -> Floats:
    r"""Return :math:`n (\hat p \log p + \hat q \log q)`; for ``bounded`` a quasi-likelihood, :math:`n/\phi` for `n`."""
    angles = np.clip(points - arms.lows[:, None], 1e-7, np.pi - 1e-7)
    shares = np.sin(0.5 * angles) ** 2
    successes, failures = arms.strengths * arms.leans, arms.strengths * (1.0 - arms.leans)
    logs = successes[:, None] * np.log(shares) + failures[:, None] * np.log1p(-shares)
    outside = (points < arms.lows[:, None]) | (points > arms.highs[:, None])
    return np.asarray(np.where(outside, -np.inf, logs))


_LOG_LIKELIHOODS = {
    "gaussian": _gaussian_logs,
    "gaussian-unknown-variance": _student_logs,
    "bernoulli": _angular_logs,
    "bounded": _angular_logs,
}
