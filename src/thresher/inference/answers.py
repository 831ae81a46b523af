r"""What the answers of all arms to shared items say of each arm: adjusted means, and how well they are known.

An adjusted mean (:mod:`thresher.policy.shared_items`) varies less than a plain one: by the share

.. math:: r_k = \frac{\sum_i (d_{ki} - e_{ki} + \bar e_k)^2}{\sum_i d_{ki}^2}

over the items that the arm has answered. Arms far from the others are explained worse by them, and the share of such an
arm can exceed 1. The share of an arm is drawn towards that of all arms, as if the latter rested on :data:`BORROWED`
outcomes of this arm. With a proxy the share of an arm is at least that of all arms (:mod:`thresher.inference.proxies`),
and is drawn to it by :data:`SCORED` outcomes: a judge may be wrong on some arms.

With :math:`\nu_k = n_k / (r_k (1 - n_k/N))` effective samples at the adjusted mean an arm is one with independent
draws, and its chance of error that of :mod:`thresher.inference.chance_of_error`. What an arm shares with a control is
in :mod:`thresher.inference.bars.pairs`.

Where items may be asked several times, the outcome of an item is the mean of its outcomes, and the effective samples
are those of :mod:`thresher.inference.repeated_samples`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from thresher.inference.bars import shared_errors
from thresher.inference.item_effects import ItemFit, effect_on_answerer, effect_on_others, fit_items
from thresher.inference.proxies import OWN, uneven_share
from thresher.inference.repeated_samples import ItemCells
from thresher.inference.signals import signals_in
from thresher.jit import plain
from thresher.problem import Question, Statistics
from thresher.problem.sampling import ToldItems
from thresher.types import Bools, Floats

SCORED = 20.0  # prior weight, in outcomes, of the common share for that of an arm, with a proxy
BORROWED = 30.0  # prior weight of the pooled share, in outcomes

# The formulas of numbers, interpreted: they take arrays, too.
_effect_on_answerer: Callable[..., Floats] = plain(effect_on_answerer)
_effect_on_others: Callable[..., Floats] = plain(effect_on_others)
_uneven_share: Callable[..., float] = plain(uneven_share)


class Answers(NamedTuple):
    """What the answers of K arms to N items say.

    Attributes
    ----------
    seen : Statistics
        Plain sums of each arm, added in the order of the items; with repeats, its layers too.
    told : ToldItems
        How many outcomes each arm has, of how many items.
    means : ndarray of float64, shape (K,)
        Adjusted; NaN where nothing was told.
    shares : ndarray of float64, shape (K,)
        Of the variance, what the other arms' answers leave.
    effects : ndarray of float64, shape (N,)
        How much higher outcomes are on an item than on average.
    fit : ItemFit
    slopes : ndarray of float64, shape (K,)
        Coefficient of the proxy in each arm; 0 without one.
    shared : ndarray of float64, shape (K,), optional
        Covariance of the error of each adjusted mean with that of the control's; None without a control.
    """

    seen: Statistics
    told: ToldItems
    means: Floats
    shares: Floats
    effects: Floats
    fit: ItemFit
    slopes: Floats
    shared: Floats | None = None

    def effective(self, question: Question) -> Statistics:
        """Return the equivalent independent outcomes: the effective samples, at the adjusted mean."""
        counts, scale = self.seen.counts, question.sampling.samples_per_outcome(self.told, self.shares)
        means = np.where(counts > 0.0, self.means, 0.0)
        squares = self.seen.variances(question) + (means - question.thresholds) ** 2
        return Statistics(scale * counts, scale * counts * means, scale * counts * squares, self.shared)


def answers_of(question: Question, outcomes: Floats) -> Answers:
    """Return adjusted means from the answers of all arms.

    Parameters
    ----------
    question : Question
        With a structure, and perhaps a history and a proxy in it.
    outcomes : ndarray of float64, shape (K, N) or (R, K, N)
        NaN where an arm was not told the item; with repeats first the first outcome of each, then the second.
    """
    cells = ItemCells.of(outcomes)
    outcomes, is_told = cells.means, cells.is_told
    told = np.count_nonzero(is_told, axis=1).astype(np.int64)
    means, sums, counts = np.zeros(outcomes.shape[0]), np.zeros(outcomes.shape[1]), np.zeros(outcomes.shape[1])
    slopes, unevenness, sampling = np.zeros(outcomes.shape[0]), np.ones(outcomes.shape[0]), question.sampling
    signals = signals_in(np.ones(outcomes.shape, np.bool_), sampling.history, sampling.proxy)
    fit = fit_items(outcomes, told, signals, means, sums, counts, slopes, unevenness)
    seen, items = _seen_of(question, cells), told.astype(np.float64)
    residuals = np.where(is_told, outcomes - means[:, None], 0.0)
    others = np.asarray(_effect_on_others(fit.slope, sums, counts))
    own = _effect_on_answerer(fit.slope, sums, counts, residuals)
    scored = slopes[:, None] * signals.scores if signals.is_scored else np.zeros((1, 1))
    on_told = np.where(is_told, own + scored, 0.0)
    centres = (np.where(is_told, own, others) + scored).mean(axis=1)
    plain = np.where(is_told, outcomes, 0.0).sum(axis=1) / np.maximum(items, 1.0)
    adjusted = plain - on_told.sum(axis=1) / np.maximum(items, 1.0) + centres
    # With every item known, the adjusted mean is the mean, without the rounding.
    adjusted = np.where(told == outcomes.shape[1], plain, adjusted)
    adjusted = np.clip(adjusted, *question.range)
    centred = np.where(is_told, on_told - (on_told.sum(axis=1) / np.maximum(items, 1.0))[:, None], 0.0)
    left = residuals - centred
    shares = _shares(fit.share, items, residuals, left)
    if signals.is_scored:
        shares = _scored_shares(fit.share, items, residuals, left * _freedom(is_told, signals.scores))
    counted = _told_items(question, cells, seen.counts, items)
    found = Answers(seen, counted, np.where(told > 0, adjusted, np.nan), shares, others, fit, slopes)
    if question.control is None:
        return found
    return found._replace(shared=shared_errors(question.control.arm, left, is_told, shares * seen.variances(question)))


def _seen_of(question: Question, cells: ItemCells) -> Statistics:
    """Return the sums of the outcomes of each arm; with repeats those of each layer too."""
    layers = [_sums_of(question, layer) for layer in cells.table]
    if cells.is_single:
        return layers[0]
    counts, totals, squares = (sum(getattr(layer, key) for layer in layers) for key in ("counts", "totals", "squares"))
    return Statistics(counts, totals, squares, layers=tuple(layers))


def _sums_of(question: Question, table: Floats) -> Statistics:
    """Return the sums of one outcome of each arm on each item, shape (K, N), NaN where there is none."""
    is_told = ~np.isnan(table)
    squares = np.where(is_told, (table - question.thresholds[:, None]) ** 2, 0.0).sum(axis=1)
    counts = np.count_nonzero(is_told, axis=1).astype(np.float64)
    return Statistics(counts, np.where(is_told, table, 0.0).sum(axis=1), squares)


def _told_items(question: Question, cells: ItemCells, outcomes: Floats, items: Floats) -> ToldItems:
    """Return how many outcomes each arm has, of how many items."""
    if cells.is_single:
        return ToldItems(outcomes, items, items, 1.0)
    counts = cells.counts
    inverses = np.where(counts > 0.0, 1.0 / np.maximum(counts, 1.0), 0.0).sum(axis=1)
    return ToldItems(outcomes, items, inverses, cells.rho(question.sampling.cautious_rho))


def _freedom(is_told: Bools, scores: Floats) -> Floats:
    """Return the factor on residuals that allows for the proxy coefficient of each arm."""
    counts = np.count_nonzero(is_told, axis=1)[:, None]
    values = np.where(is_told, scores, 0.0)
    squares = (np.where(is_told, values - values.sum(axis=1, keepdims=True) / np.maximum(counts, 1), 0.0) ** 2).sum(
        axis=1, keepdims=True
    )
    weight = OWN * squares.sum() / max(counts.sum(), 1)
    taken = squares / np.maximum(squares + weight, 1e-300)
    return np.asarray(np.sqrt(counts / np.maximum(counts - taken, 1.0)))


def _shares(common: float, counts: Floats, residuals: Floats, left: Floats) -> Floats:
    """Return the share of the variance that is left for each arm, shape (K,)."""
    before, after = (residuals**2).sum(axis=1), (left**2).sum(axis=1)
    own = np.where(before > 0.0, after / np.maximum(before, 1e-300), common)
    return np.asarray((counts * own + BORROWED * common) / (counts + BORROWED))


def _scored_shares(common: float, counts: Floats, residuals: Floats, left: Floats) -> Floats:
    """Return the same with a proxy: at least the share of all arms, more in arms on which the judge was seen to err."""
    before, after = (residuals**2).sum(axis=1), (left**2).sum(axis=1)
    weight = SCORED * float(before.sum()) / max(float(counts.sum()), 1.0)
    rows = zip(after.tolist(), before.tolist(), strict=True)
    return np.array([_uneven_share(*row, common, weight) if weight else common for row in rows])
