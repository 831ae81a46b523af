r"""Cheap signals: information about items and answers before an arm is measured.

**History**: outcomes of past arms on the same items. Past arms are neither measured nor judged nor paid; their
residuals :math:`y_{hi} - \bar y_h` enter the sums and numbers of :mod:`thresher.policy.shared_items` at every fit. How
much items matter is regressed on outcomes of the arms at hand, and the regression of each past arm on the others counts
as :data:`PAST_WORTH` outcomes at most: a history that says nothing of these arms is soon outvoted by them.

**Proxy**: a score :math:`x_{ki}` of the answer of an arm to an item, such as that of an LLM judge, centred on the arm's
own scores. A missing score is as good as an average one, so that it says nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.problem.sampling import Sampling
from thresher.types import Bools, Floats

SHRINKAGE = 2.0  # λ: prior weight of average difficulty in the effect of an item, in arms
PAST_WORTH = 100.0  # weight of all past arms in the regression on items, in outcomes of the arms at hand
# The part of that which does not count with a proxy: scores carry much of the same information.
LESS_SCORED = 0.8


class Signals(NamedTuple):
    r"""History and proxy as a fit uses them.

    Attributes
    ----------
    past_sums, past_counts : ndarray of float64, shape (N,)
        Sum and number of the residuals of past arms on each item; 0 without history.
    moments : ndarray of float64, shape (4,)
        Of the regression of past arms on each other: the weighted sums of d·l, l², d² and d²·l².
    scores : ndarray of float64, shape (K, N) or (0, N)
        Centred, 0 where there is none; no row without a proxy.
    """

    past_sums: Floats
    past_counts: Floats
    moments: Floats
    scores: Floats

    @property
    def is_scored(self) -> bool:
        """Whether there is a proxy."""
        return bool(self.scores.shape[0] > 0)


NO_SIGNALS = Signals(np.zeros(0), np.zeros(0), np.zeros(4), np.zeros((0, 0)))


def signals_of(sampling: Sampling) -> Signals:
    """Return the signals of a sampling of shared items."""
    return signals_in(sampling.layout, sampling.history, sampling.proxy)


def signals_in(items: Bools, history: Floats | None, proxy: Floats | None) -> Signals:
    """Return the signals in the outcomes of past arms and in the scores of answers.

    Parameters
    ----------
    items : ndarray of bool, shape (K, N)
        Which items each arm has.
    history : ndarray of float64, shape (H, N), optional
        NaN where a past arm has no outcome.
    proxy : ndarray of float64, shape (K, N), optional
        NaN where there is no score.
    """
    n_items = items.shape[1]
    sums, counts, moments = np.zeros(n_items), np.zeros(n_items), np.zeros(4)
    if history is not None:
        history = history[~np.isnan(history).all(axis=1)]  # a past arm without an outcome says nothing
        residuals = history - np.array([row[~np.isnan(row)].mean() for row in history])[:, None]
        sums, counts = np.nansum(residuals, axis=0), np.count_nonzero(~np.isnan(history), axis=0).astype(np.float64)
        moments = _moments(residuals, sums, counts)
    scores = np.zeros((0, n_items)) if proxy is None else centred_scores(items, proxy)
    return Signals(sums, counts, moments, scores)


def _moments(residuals: Floats, sums: Floats, counts: Floats) -> Floats:
    """Return the sums of the regression of each past arm on the others, weighted."""
    is_told = ~np.isnan(residuals)
    is_told[np.count_nonzero(is_told, axis=1) < 2] = False  # the residual of a single outcome is 0 and says nothing
    d = np.where(is_told, residuals, 0.0)
    effects = np.where(is_told, (sums - d) / np.maximum(counts - 1.0 + SHRINKAGE, SHRINKAGE), 0.0)
    weight = min(1.0, PAST_WORTH / max(int(np.count_nonzero(is_told)), 1))
    return np.array([
        weight * (d * effects).sum(), weight * (effects**2).sum(), weight * (d**2).sum(),
        weight**2 * (d**2 * effects**2).sum(),
    ])  # fmt: skip


def centred_scores(items: Bools, proxy: Floats) -> Floats:
    """Return the scores of each arm less their mean, shape (K, N); 0 where there is none."""
    is_scored = items & ~np.isnan(proxy)
    values = np.where(is_scored, proxy, 0.0)
    means = values.sum(axis=1) / np.maximum(np.count_nonzero(is_scored, axis=1), 1)
    return np.where(is_scored, values - means[:, None], 0.0)
