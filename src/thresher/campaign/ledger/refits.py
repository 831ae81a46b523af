"""Refits: the effects of items on arms, fitted again to all outcomes that were told.

Between two refits the sort key of an arm depends on its own row alone. What is reported never comes from here: it is
fitted to all outcomes when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np

from thresher.campaign.ledger.rows import TOLD, Item, Ledger, Pull
from thresher.campaign.ledger.signals import NOTHING, KnownSignals
from thresher.inference import (
    FIRST_FIT,
    GROWTH,
    RANKED,
    SHRINKAGE,
    FittedItems,
    ItemCells,
    effect_on_others,
    fit_arms,
    put_effects,
    uneven_share,
)
from thresher.jit import plain
from thresher.types import Floats

_effect_on_others, _uneven_share = plain(effect_on_others), plain(uneven_share)


class Answer(NamedTuple):
    """An outcome of one arm on one item, and its ordinal among these."""

    arm: int
    item: int
    value: float
    repeat: int = 1


class Refit(NamedTuple):
    """The effects of items, fitted to the outcomes of all arms.

    Attributes
    ----------
    slope, share : float
        How much items matter, see :class:`thresher.inference.item_effects.ItemFit`.
    effects, centres : list of float
        Of each arm: the sum of the effects of the items that it has answered, and the mean effect of all items.
    answers : list of int
        Of each item: how many arms were told it, past arms among them.
    residuals : list of float
        Of each item: the sum over these arms of the outcome less the mean of the arm.
    slopes : list of float
        Of each arm: the coefficient of its scores; 0 without a proxy.
    unevenness : list of float
        Of each arm: the share of its variance that is left, over that of all arms; 1 without a proxy.
    rho : float, optional
        The share of the variance of an outcome that lies between items; None where each is asked once.
    """

    slope: float
    share: float
    effects: list[float]
    centres: list[float]
    answers: list[int]
    residuals: list[float]
    slopes: list[float]
    unevenness: list[float]
    rho: float | None = None


def is_due(ledger: Ledger) -> bool:
    """Return whether enough outcomes were told since the last refit."""
    due = GROWTH * ledger.fitted if ledger.fitted else FIRST_FIT * ledger.arms
    return bool(ledger.pools) and ledger.told >= due


def answers_in(pulls: Iterable[Pull]) -> list[Answer]:
    """Return the outcomes of items among pulls that count."""
    counted = (pull for pull in pulls if pull.state == TOLD)
    return [
        Answer(pull.arm, pull.item, pull.value, pull.repeat)
        for pull in counted
        if pull.item is not None and pull.value is not None
    ]


def table_of(answers: Iterable[Answer], n_arms: int, n_items: int, repeats: int = 1) -> Floats:
    """Return the outcomes of all arms on all items, shape (K, N); NaN where there is none.

    With repeats the shape is (R, K, N), where R is the largest ordinal of an outcome.

    Raises
    ------
    ValueError
        If an answer is not that of an arm, an item and a number.
    """
    try:
        given = np.fromiter(chain.from_iterable(answers), np.float64).reshape(-1, len(Answer._fields))
    except TypeError as error:
        raise ValueError("an answer is not a number") from error
    given[:, 3] -= 1.0
    places = given[:, (3, 0, 1)].astype(np.int64)
    is_right = (given[:, (3, 0, 1)] == places) & (places >= 0) & (places < (repeats, n_arms, n_items))
    if not is_right.all() or not np.isfinite(given[:, 2]).all():
        raise ValueError("an answer has no arm, no item or no value")
    table = np.full((int(places[:, 0].max(initial=0)) + 1, n_arms, n_items), np.nan)
    table[tuple(places.T)] = given[:, 2]
    return table if repeats > 1 else table[0]


def refit_of(
    outcomes: Floats, slope: float | None = None, known: KnownSignals = NOTHING, *, cautious: float = 0.0
) -> Refit:
    """Return the effects of items fitted to outcomes of shape (K, N) or (R, K, N); with this slope if it is given.

    `known` are the history and the proxy of the campaign, `cautious` is the share of the variance between items that is
    assumed with few repeats.
    """
    cells = ItemCells.of(outcomes)
    rho = None if cells.is_single else cells.rho(cautious)
    outcomes = cells.means
    n_arms, n_items = outcomes.shape
    told = np.count_nonzero(~np.isnan(outcomes), axis=1).astype(np.int64)
    means, on_told, centres, slopes, unevenness = (np.zeros(n_arms) for _ in range(5))
    fitted = FittedItems(means, on_told, centres, slopes, unevenness, np.zeros(n_items), np.zeros(n_items))
    every, signals = np.ones(outcomes.shape, np.bool_), known.for_fit(n_arms, n_items)
    fit = fit_arms(outcomes, every, told, signals, fitted)
    if slope is not None:
        put_effects(outcomes, every, signals, slope, fitted)
    answers, residuals = fitted.counts.astype(np.int64).tolist(), fitted.sums.tolist()
    return Refit(
        float(fit.slope), float(fit.share), on_told.tolist(), centres.tolist(), answers, residuals, slopes.tolist(),
        unevenness.tolist(), rho,
    )  # fmt: skip


def earlier_unevenness(outcomes: Floats, fit: Refit, known: KnownSignals) -> list[float]:
    """Return the unevenness of a refit as earlier versions computed it, for their logs.

    They ranked an arm by the share of its variance that items and scores leave together. Sums are added one by one, as
    those versions did.
    """
    table = ItemCells.of(outcomes).means
    scores = known.for_fit(*table.shape).scores
    sums, counts = np.array(fit.residuals), np.array(fit.answers, np.float64)
    squares, left = dict[int, Floats](), dict[int, float]()
    for k, row in enumerate(table):
        places = np.flatnonzero(~np.isnan(row))
        if len(places) > 1:
            d, z = (values[places] - _total(values[places]) / len(places) for values in (row, scores[k]))
            effects = (sums[places] - d) / (counts[places] - 1.0 + SHRINKAGE)
            rests = d - fit.slope * effects - fit.slopes[k] * z
            squares[k], left[k] = d * d, _total(rests * rests)
    every = np.concatenate(list(squares.values()))
    weight, found = RANKED * (_total(every) / len(every)), [1.0] * len(table)
    for k, rest in left.items():
        found[k] = _uneven_share(rest, _total(squares[k]), fit.share, weight) / fit.share
    return found


def _total(values: Floats) -> float:
    return float(np.cumsum(values)[-1])


def effect_of(slope: float, item: Item) -> float:
    """Return the effect of an item on an arm that had not answered it at the last refit."""
    return float(_effect_on_others(slope, item.residuals, float(item.answers)))
