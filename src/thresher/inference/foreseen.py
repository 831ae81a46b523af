"""Forecasts of the outcomes of each arm by cheap signals, as always-valid limits and e-values may use them.

A signal counts at a place of an arm's order if it was told before that place, or one behind it, was first asked: a
later signal may have been chosen by the order so far. Everything else that the forecasts use is the arm's own
outcomes at earlier places (:mod:`thresher.martingales.foreseen`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.inference.signals import SHRINKAGE, signals_in
from thresher.martingales import Foreseen, foresee
from thresher.problem import Question
from thresher.types import Bools, Floats, Ints

STEEPEST = 1.5  # coefficient of past arms at most
WITH_SCORES = 0.5  # factor on that coefficient, where scores carry much of the same information


class AskedItems(NamedTuple):
    """The order of the items of each arm, the asked places, and when signals were told.

    Attributes
    ----------
    order : ndarray of int64, shape (K, N)
        The item at each place of the order of each arm.
    tickets : ndarray of float64, shape (K, N)
        Number of the first ticket of each arm for each item; infinite if there was none.
    imports : ndarray of float64, shape (K,)
        Number of the first outcome of each arm that was imported; infinite if none was.
    history : ndarray of float64, shape (H,)
        Number of the last ticket before each past arm was told; infinite if that is not known.
    proxy : ndarray of float64, shape (K, N)
        The same of each score.
    """

    order: Ints
    tickets: Floats
    imports: Floats
    history: Floats
    proxy: Floats


def foreseen_of(question: Question, outcomes: Floats, asked: AskedItems) -> Foreseen | None:
    """Return the forecasts by signals; None if there are none, or limits cannot use them.

    Parameters
    ----------
    question : Question
        With history and proxy in its structure.
    outcomes : ndarray of float64, shape (K, N)
        NaN where an arm was not told the item.
    asked : AskedItems
    """
    sampling = question.sampling
    if not sampling.uses_forecasts(question):
        return None
    first = asked.tickets.min(axis=1)
    scores = np.full(outcomes.shape, np.nan) if sampling.proxy is None else sampling.proxy
    is_scored = (~np.isnan(scores) & (asked.proxy < first[:, None])).any(axis=1)
    knows = asked.history < first[:, None]
    is_used = (is_scored | knows.any(axis=1)) & (first < asked.imports)
    if not is_used.any():
        return None
    width = question.high - question.low
    told = np.take_along_axis((outcomes - question.low) / width, asked.order, axis=1)
    counts = np.where(is_used, np.logical_and.accumulate(~np.isnan(told), axis=1).sum(axis=1), 0)
    told = told[:, : counts.max()]
    told = np.where(np.arange(told.shape[1]) < counts[:, None], told, 0.0)
    past, slopes = _past(sampling.history, knows, outcomes.shape)
    slopes = np.where(is_scored, WITH_SCORES, 1.0) * slopes
    tickets = np.take_along_axis(asked.tickets, asked.order, axis=1)
    before = np.minimum.accumulate(tickets[:, ::-1], axis=1)[:, ::-1]
    past, scores, proxy = (np.take_along_axis(x, asked.order, axis=1) for x in (past / width, scores, asked.proxy))
    places = counts.astype(np.float64)
    shifts = foresee(places, told, past, slopes, scores, proxy, np.ascontiguousarray(before))
    return Foreseen(is_used, np.isinf(asked.imports), places, told.sum(axis=1), told, *shifts)


def _past(history: Floats | None, knows: Bools, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the effects of all items on each arm by the past arms that it knows, and the coefficient of these.

    The effects have the mean 0; the coefficient is that of past arms on each other, and 0 if there is one alone.
    """
    effects, slopes = np.zeros(shape), np.zeros(shape[0])
    if history is None:
        return effects, slopes
    for known in np.unique(knows, axis=0):
        if known.any():
            arms = (knows == known).all(axis=1)
            past = signals_in(np.ones((1, shape[1]), np.bool_), history[known], None)
            found = past.past_sums / (past.past_counts + SHRINKAGE)
            effects[arms] = found - found.mean()
            slopes[arms] = np.clip(past.moments[0] / past.moments[1], 0.0, STEEPEST) if past.moments[1] > 0.0 else 0.0
    return effects, slopes
