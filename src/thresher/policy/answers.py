r"""What the answers of all arms to shared items say of each arm: adjusted means, and how well they are known.

An adjusted mean (:mod:`thresher.policy.shared_items`) varies less than a plain one: by the share

.. math:: r_k = \frac{\sum_i (d_{ki} - e_{ki} + \bar e_k)^2}{\sum_i d_{ki}^2}

over the items that the arm was told. Arms far from the others are explained worse by them, and the share of such an arm
can exceed 1. The share of an arm is drawn towards that of all arms, as if the latter rested on :data:`BORROWED`
outcomes of this arm. With :math:`\nu_k = n_k / (r_k (1 - n_k/N))` effective samples at the adjusted mean an arm is one
with independent draws, and its chance of error that of :mod:`thresher.policy.doubt`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.policy.doubt import Doubt, doubt
from thresher.policy.pool_intervals import certain_sides
from thresher.policy.seen import Seen
from thresher.policy.shared_items import SHRINKAGE, ItemFit, fit_items
from thresher.problem import Question, sizes_of
from thresher.types import Bools, Floats, Ints

BORROWED = 30.0  # outcomes that the share of all arms is worth beside an arm's own
WHOLE = 0.5  # of an item: what is not known of a pool that is known


class Answers(NamedTuple):
    """What the answers of K arms to N items say.

    Attributes
    ----------
    seen : Seen
        Plain sums of each arm, added in the order of the items.
    means : ndarray of float64, shape (K,)
        Adjusted; NaN where nothing was told.
    shares : ndarray of float64, shape (K,)
        Of the variance, what the other arms' answers leave.
    effects : ndarray of float64, shape (N,)
        How much higher outcomes are on an item than on average.
    fit : ItemFit
    """

    seen: Seen
    means: Floats
    shares: Floats
    effects: Floats
    fit: ItemFit

    def effective(self, question: Question) -> Seen:
        """Return independent outcomes that would say as much: so many effective samples, at the adjusted mean."""
        counts, sizes = self.seen.counts, sizes_of(question.structure, question.n_arms)
        scale = 1.0 / (self.shares * np.maximum(1.0 - counts / sizes, WHOLE / sizes))
        means = np.where(counts > 0.0, self.means, 0.0)
        squares = self.seen.variances(question) + (means - question.thresholds) ** 2
        return Seen(scale * counts, scale * counts * means, scale * counts * squares)


def answers_of(question: Question, outcomes: Floats) -> Answers:
    """Return what the answers of all arms say.

    Parameters
    ----------
    question : Question
        With a structure.
    outcomes : ndarray of float64, shape (K, N)
        NaN where an arm was not told the item.
    """
    is_told = ~np.isnan(outcomes)
    told = np.count_nonzero(is_told, axis=1).astype(np.int64)
    means, sums, counts = np.zeros(outcomes.shape[0]), np.zeros(outcomes.shape[1]), np.zeros(outcomes.shape[1])
    fit = fit_items(outcomes, told, means, sums, counts)
    values = np.where(is_told, outcomes, 0.0)
    squares = np.where(is_told, (outcomes - question.thresholds[:, None]) ** 2, 0.0).sum(axis=1)
    seen = Seen(told.astype(np.float64), values.sum(axis=1), squares)
    residuals = np.where(is_told, outcomes - means[:, None], 0.0)
    others = fit.slope * sums / (counts + SHRINKAGE)
    own = fit.slope * (sums - residuals) / np.maximum(counts - 1.0 + SHRINKAGE, SHRINKAGE)
    on_told = np.where(is_told, own, 0.0)
    centres = np.where(is_told, own, others).mean(axis=1)
    plain = seen.totals / np.maximum(seen.counts, 1.0)
    adjusted = plain - on_told.sum(axis=1) / np.maximum(seen.counts, 1.0) + centres
    # With every item known, the adjusted mean is the mean, without the rounding.
    adjusted = np.where(told == outcomes.shape[1], plain, adjusted)
    if question.kind.has_range:
        adjusted = np.clip(adjusted, question.low, question.high)
    shares = _shares(fit.share, seen.counts, residuals, on_told, is_told)
    return Answers(seen, np.where(told > 0, adjusted, np.nan), shares, others, fit)


def _shares(common: float, counts: Floats, residuals: Floats, effects: Floats, is_told: Bools) -> Floats:
    """Return the share of the variance that is left for each arm, shape (K,)."""
    centred = np.where(is_told, effects - (effects.sum(axis=1) / np.maximum(counts, 1.0))[:, None], 0.0)
    before, after = (residuals**2).sum(axis=1), ((residuals - centred) ** 2).sum(axis=1)
    own = np.where(before > 0.0, after / np.maximum(before, 1e-300), common)
    return np.asarray((counts * own + BORROWED * common) / (counts + BORROWED))


def sides_of(question: Question, answers: Answers) -> Ints:
    """Return the verdict on each arm, shape (K,): the certain side, else that of the adjusted mean."""
    certain = certain_sides(question, answers.seen, question.thresholds)
    sides = np.where(answers.seen.counts > 0.0, np.where(answers.means > question.thresholds, 1, -1), 0)
    return np.where(certain != 0, certain, sides).astype(np.int64)


def doubt_of_answers(
    question: Question, answers: Answers, *, tolerance: float = 0.0, is_stopping: bool = False
) -> Doubt:
    """Return how likely either verdict on each arm would be wrong; 0 or 1 where the items left cannot change it.

    Parameters
    ----------
    question, answers
        As of :func:`answers_of`.
    tolerance, is_stopping
        As in :func:`thresher.policy.doubt.doubt`.
    """
    found = doubt(question, answers.effective(question), tolerance=tolerance, is_stopping=is_stopping)
    low = certain_sides(question, answers.seen, question.thresholds - tolerance)
    high = certain_sides(question, answers.seen, question.thresholds + tolerance)
    return Doubt(
        above=np.where(low == 0, found.above, np.where(low > 0, 0.0, 1.0)),
        below=np.where(high == 0, found.below, np.where(high < 0, 0.0, 1.0)),
    )
