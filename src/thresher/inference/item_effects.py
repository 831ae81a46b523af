r"""Arms that answer the same items: the effects of the items that an arm has drawn, from the answers of the other arms.

Hard items are hard for every arm. With outcomes :math:`y_{ki}`, their mean :math:`\bar y_k` for an arm,
and residuals :math:`d_{ki} = y_{ki} - \bar y_k`, item `i` has the sum :math:`s_i` and the number :math:`c_i` of its
residuals over all arms. Its effect on arm `k` leaves out the arm's own residual and shrinks:

.. math:: e_{ki} = \beta \frac{s_i - d_{ki}}{c_i - 1 + \lambda} \text{ if } k \text{ has answered } i, \qquad
          e_{ki} = \beta \frac{s_i}{c_i + \lambda} \text{ if not}, \qquad \lambda = 2.

The adjusted mean of an arm takes the effects off its outcomes and adds their mean over all :math:`N_k` items of the
arm, so that with every item answered it is the plain mean:

.. math:: \tilde\mu_k = \frac{1}{n_k} \sum_{i \text{ told}} (y_{ki} - e_{ki}) + \frac{1}{N_k} \sum_i e_{ki}.

A fit runs over arms and items in their order, so it does not depend on the order of the outcomes. With a history
(:mod:`thresher.inference.signals`) the sums and numbers start from those of past arms. With a proxy
(:mod:`thresher.inference.proxies`) the effect of an item on an arm has the part :math:`\beta_{2k} z_{ki}` of its score
too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from thresher.inference.proxies import STEEPEST, fit_scores
from thresher.inference.signals import LESS_SCORED, SHRINKAGE, Signals
from thresher.jit import formula, kernel
from thresher.types import Bools, Floats, Ints

LEAST_SHARE = 0.2  # the least that is left of the variance
ERRORS = 2.0  # standard deviations above 0 from which items count as mattering
FIRST_FIT, GROWTH = 2.0, 1.5  # outcomes per arm before the first fit; outcomes over those of the last fit


class ItemFit(NamedTuple):
    r"""How much items matter.

    Attributes
    ----------
    slope : float
        :math:`\beta`, from 0 (they do not) to 1.5: how much of the shrunken effects the outcomes show.
    share : float
        :math:`r`, from 0.2 to 1: the share of the variance of outcomes that is left.
    """

    slope: float
    share: float


@kernel
def fit_items(
    outcomes: Floats,
    told: Ints,
    signals: Signals,
    means: Floats,
    sums: Floats,
    counts: Floats,
    slopes: Floats,
    unevenness: Floats,
) -> ItemFit:
    r"""Return how much items explain; fill in the means of the arms, and the sums and numbers of items' residuals.

    .. math:: \beta = \frac{\sum d\,l}{\sum l^2}, \qquad r = 1 - \beta \frac{2\sum d\,l - \beta \sum l^2}{\sum d^2}

    over the residuals :math:`d` of all arms with two or more outcomes and the effects :math:`l` with :math:`\beta = 1`.
    Items count as not mattering unless :math:`\sum d\,l` is two standard deviations above 0, with the variance
    :math:`2 \sum d^2 l^2`: each pair of arms counts twice.

    Parameters
    ----------
    outcomes : ndarray of float64, shape (K, N)
        NaN where an arm was not told the item.
    told : ndarray of int64, shape (K,)
        How many outcomes each arm has.
    signals : Signals
        Of past arms, whose regression on each other is added, and of a proxy.
    means : ndarray of float64, shape (K,)
        Filled in; 0 for an arm without outcomes.
    sums, counts : ndarray of float64, shape (N,)
        Filled in: :math:`s_i` and :math:`c_i`.
    slopes, unevenness : ndarray of float64, shape (K,)
        Filled in: the coefficients of the proxy, 0 without one, and what it leaves of the variance of each arm over
        what it leaves of all, 1 without one.
    """
    n_arms, n_items = outcomes.shape
    slopes[:], unevenness[:] = 0.0, 1.0
    for i in range(n_items):  # one by one: a copy of a whole array would make another
        sums[i], counts[i] = signals.past_sums[i], signals.past_counts[i]
    for k in range(n_arms):
        total = 0.0
        for i in range(n_items):
            total += outcomes[k, i] if not math.isnan(outcomes[k, i]) else 0.0
        means[k] = total / told[k] if told[k] > 0 else 0.0
        for i in range(n_items):
            if not math.isnan(outcomes[k, i]):
                sums[i] += outcomes[k, i] - means[k]
                counts[i] += 1.0
    products, squares = signals.moments[0], signals.moments[1]
    residuals, spread = signals.moments[2], signals.moments[3]
    for k in range(n_arms):
        for i in range(n_items):
            if told[k] > 1 and not math.isnan(outcomes[k, i]):
                d = outcomes[k, i] - means[k]
                effect = effect_on_answerer(1.0, sums[i], counts[i], d)
                products += d * effect
                squares += effect * effect
                residuals += d * d
                spread += d * d * effect * effect
    fit = fit_of(products, squares, residuals, spread)
    if signals.scores.shape[0] == 0:
        return fit
    is_on = 1.0 if fit.slope > 0.0 else 0.0
    products = is_on * (products - LESS_SCORED * signals.moments[0])
    squares = is_on * (squares - LESS_SCORED * signals.moments[1])
    both = fit_scores(
        outcomes, told, signals.scores, means, sums, counts, slopes, unevenness, products, squares
    )  # fmt: skip
    return ItemFit(both.slope, both.share)


@kernel
def fit_of(products: float, squares: float, residuals: float, spread: float) -> ItemFit:
    """Return the fit that the sums of d·l, l², d² and d²·l² give."""
    if squares <= 0.0 or residuals <= 0.0 or products <= ERRORS * math.sqrt(2.0 * spread):
        return ItemFit(0.0, 1.0)
    slope = min(products / squares, STEEPEST)
    share = 1.0 - slope * (2.0 * products - slope * squares) / residuals
    return ItemFit(slope, min(max(share, LEAST_SHARE), 1.0))


@formula
def effect_on_answerer(slope: float, total: float, count: float, own: float) -> float:
    """Return the effect of an item on an arm that has answered it, whose own residual is left out."""
    return slope * (total - own) / (count - 1.0 + SHRINKAGE)


@formula
def effect_on_others(slope: float, total: float, count: float) -> float:
    """Return the effect of an item on an arm that has not answered it, from the residuals of those that have."""
    return slope * total / (count + SHRINKAGE)


class Effects(NamedTuple):
    """Effects of items on one arm: their sum over the items that it has answered, their mean over all that it has."""

    told: float
    mean: float


@kernel
def effects_on(
    k: int,
    outcomes: Floats,
    items: Bools,
    scores: Floats,
    mean: float,
    sums: Floats,
    counts: Floats,
    slope: float,
    slopes: Floats,
) -> Effects:
    """Return the effects of the items on an arm.

    Parameters
    ----------
    k : int
        The arm.
    outcomes : ndarray of float64, shape (K, N)
    items : ndarray of bool, shape (K, N)
        Which items each arm has.
    scores : ndarray of float64, shape (K, N) or (0, N)
        Of a proxy, centred.
    mean : float
        Of the outcomes of the arm.
    sums, counts : ndarray of float64, shape (N,)
        Of the residuals of each item.
    slope : float
    slopes : ndarray of float64, shape (K,)
        Of the proxy.
    """
    told = whole = size = 0.0
    for i in range(outcomes.shape[1]):
        if not math.isnan(outcomes[k, i]):
            effect = effect_on_answerer(slope, sums[i], counts[i], outcomes[k, i] - mean)
            effect += score_effect(k, i, scores, slopes)
            told += effect
            whole += effect
            size += 1.0
        elif items[k, i]:
            whole += effect_on_others(slope, sums[i], counts[i]) + score_effect(k, i, scores, slopes)
            size += 1.0
    return Effects(told, whole / size)


@formula
def score_effect(k: int, i: int, scores: Floats, slopes: Floats) -> float:
    """Return the contribution of the score of an arm on an item to its effect; 0 without a proxy."""
    return float(slopes[k] * scores[k, i]) if scores.shape[0] > 0 else 0.0


@formula
def adjusted_total(count: float, total: float, effects: Effects) -> float:
    """Return the sum of the outcomes of an arm as it would be if its items were as hard as those of its pool."""
    return total - effects.told + count * effects.mean


class FittedItems(NamedTuple):
    """Where a fit of the items is written.

    Attributes
    ----------
    means, told, centres, slopes, unevenness : ndarray of float64, shape (K,)
        Of each arm: the mean of its outcomes, its :class:`Effects`, the coefficient of its scores (0 without a proxy),
        and the share of its variance that is left over that of all arms (1 without a proxy).
    sums, counts : ndarray of float64, shape (N,)
        Of each item: the sum and the number of its residuals.
    """

    means: Floats
    told: Floats
    centres: Floats
    slopes: Floats
    unevenness: Floats
    sums: Floats
    counts: Floats


@kernel
def fit_arms(outcomes: Floats, items: Bools, told: Ints, signals: Signals, fitted: FittedItems) -> ItemFit:
    """Return how much items explain; fill in the effects on every arm.

    Parameters
    ----------
    outcomes : ndarray of float64, shape (K, N)
        NaN where an arm was not told the item.
    items : ndarray of bool, shape (K, N)
        Which items each arm has.
    told : ndarray of int64, shape (K,)
        How many outcomes each arm has.
    signals : Signals
        Of past arms and of a proxy.
    fitted : FittedItems
    """
    fit = fit_items(
        outcomes, told, signals, fitted.means, fitted.sums, fitted.counts, fitted.slopes, fitted.unevenness
    )  # fmt: skip
    put_effects(outcomes, items, signals, fit.slope, fitted)
    return fit


@kernel
def put_effects(outcomes: Floats, items: Bools, signals: Signals, slope: float, fitted: FittedItems) -> None:
    """Fill in the effects on every arm that a slope gives."""
    for k in range(outcomes.shape[0]):
        effects = effects_on(
            k, outcomes, items, signals.scores, fitted.means[k], fitted.sums, fitted.counts, slope, fitted.slopes
        )
        fitted.told[k], fitted.centres[k] = effects.told, effects.mean
