r"""Arms that answer the same items: what the other arms' answers say about the items that an arm has drawn.

Hard items are hard for every arm. With outcomes :math:`y_{ki}` told, the mean :math:`\bar y_k` of what an arm was told,
and residuals :math:`d_{ki} = y_{ki} - \bar y_k`, item `i` has the sum :math:`s_i` and the number :math:`c_i` of its
residuals over all arms. Its effect on arm `k` leaves out the arm's own residual and shrinks:

.. math:: e_{ki} = \beta \frac{s_i - d_{ki}}{c_i - 1 + \lambda} \text{ if } k \text{ has answered } i, \qquad
          e_{ki} = \beta \frac{s_i}{c_i + \lambda} \text{ if not}, \qquad \lambda = 2.

The adjusted mean of an arm takes the effects off its outcomes and adds their mean over all :math:`N_k` items of the
arm, so that with every item answered it is the plain mean:

.. math:: \tilde\mu_k = \frac{1}{n_k} \sum_{i \text{ told}} (y_{ki} - e_{ki}) + \frac{1}{N_k} \sum_i e_{ki}.

A fit runs over arms and items in their order, so it does not depend on the order of the outcomes. With a history
(:mod:`thresher.policy.signals`) the sums and numbers start from those of past arms. With a proxy
(:mod:`thresher.policy.proxies`) the effect of an item on an arm has the part :math:`\beta_{2k} z_{ki}` of its score
too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.jit import formula, kernel, njit
from thresher.policy.proxies import STEEPEST, fit_scores
from thresher.policy.ranking import (
    ArmRule,
    is_certain,
    rule_of,
    structured_urgency,
    urgency_in_flight,
    verdict_of,
)
from thresher.policy.rule import Known, Rule, State, Turn, step
from thresher.policy.signals import LESS_SCORED, SHRINKAGE, Signals
from thresher.policy.tournament import leaves_of, play_again, start, winner
from thresher.problem.sampling import certain_side
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
    r"""Return how much items matter; fill in the means of the arms, and the sums and numbers of items' residuals.

    .. math:: \beta = \frac{\sum d\,l}{\sum l^2}, \qquad r = 1 - \beta \frac{2\sum d\,l - \beta \sum l^2}{\sum d^2}

    over the residuals :math:`d` of all arms with two or more outcomes and the effects :math:`l` with :math:`\beta = 1`.
    Items count as not mattering unless :math:`\sum d\,l` is two standard deviations above 0, with the variance
    :math:`2 \sum d^2 l^2`: each pair of arms counts twice.

    Parameters
    ----------
    outcomes : ndarray of float64, shape (K, N)
        NaN where an arm was not told the item.
    told : ndarray of int64, shape (K,)
        How many outcomes each arm was told.
    signals : Signals
        Of past arms, whose regression on each other is added, and of a proxy.
    means : ndarray of float64, shape (K,)
        Filled in; 0 for an arm that was told nothing.
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
    """What the items do to one arm: the sum of the effects of the items it was told, and the mean over all it has."""

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
        Of the outcomes that the arm was told.
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
    """Return what the score of an arm on an item adds to its effect; 0 without a proxy."""
    return float(slopes[k] * scores[k, i]) if scores.shape[0] > 0 else 0.0


@formula
def adjusted_total(count: float, total: float, effects: Effects) -> float:
    """Return the sum of the outcomes of an arm as it would be if its items were as hard as those of its pool."""
    return total - effects.told + count * effects.mean


@njit(cache=True)
def adjusted_urgency(
    rule: ArmRule, count: float, total: float, squares: float, outstanding: float, effects: Effects, share: float
) -> float:
    """Return the index of one arm of a pool, adjusted for its items; infinite once its side is certain.

    Parameters
    ----------
    rule : ArmRule
    count, total, squares : float
        Pulls told, their sum, and their squares about the bar.
    outstanding : float
        Pulls outstanding; not all that are left.
    effects : Effects
        Of the items on the arm, as of the last fit.
    share : float
        Of the variance of outcomes, what their items leave unexplained.
    """
    if count == 0.0:
        return urgency_in_flight(rule, 0.0, 0.0, 0.0, outstanding)
    if is_certain(rule, count, total):
        return math.inf
    return structured_urgency(rule, count, adjusted_total(count, total, effects), squares, outstanding, share)


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
    """Return how much items matter; fill in what they do to every arm.

    Parameters
    ----------
    outcomes : ndarray of float64, shape (K, N)
        NaN where an arm was not told the item.
    items : ndarray of bool, shape (K, N)
        Which items each arm has.
    told : ndarray of int64, shape (K,)
        How many outcomes each arm was told.
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


# The memory of the rule: the tournament, the fit, when the next one is due, then the arrays of two fits. By the first
# arms are ranked, by the second they are judged: a verdict is fitted again and must not change what is pulled next.
_HEAD = 3
SLOPE, SHARE, DUE = range(_HEAD)


class Room(NamedTuple):
    """Where the rule stores the effects of items: offsets in its memory."""

    head: int
    ranked: int
    judged: int
    end: int


@formula
def room_of(leaves: int, n_arms: int, n_items: int) -> Room:
    """Return the places in the memory of a rule."""
    first, size = 2 * leaves + _HEAD, 5 * n_arms + 2 * n_items
    return Room(2 * leaves, first, first + size, first + 2 * size)


# Inlined, because it returns arrays: steps are compiled without reference counts, kernels with them, and one compiled
# function cannot serve both.
@formula
def fitted_at(memory: Floats, place: int, n_arms: int, n_items: int) -> FittedItems:
    """Return the arrays of a fit that begin at a place in the memory of a rule."""
    items = place + 5 * n_arms
    return FittedItems(
        memory[place : place + n_arms],
        memory[place + n_arms : place + 2 * n_arms],
        memory[place + 2 * n_arms : place + 3 * n_arms],
        memory[place + 3 * n_arms : place + 4 * n_arms],
        memory[place + 4 * n_arms : items],
        memory[items : items + n_items],
        memory[items + n_items : items + 2 * n_items],
    )


def shared_items_rule(known: Known) -> Rule:
    """Return the rule that pulls the arm of least index, adjusted for the items that arms share."""
    n_arms, n_items = known.items.shape
    leaves = leaves_of(n_arms)
    return Rule(
        choose=least_adjusted_index,
        known=known,
        origin=np.zeros(n_arms),
        learn=note_item,
        conclude=judge_by_adjusted_mean,
        first_pulls=0,
        memory=room_of(leaves, n_arms, n_items).end,
        shares_items=True,
    )


@formula
def leaves_in(n_arms: int) -> int:
    """Return what :func:`thresher.policy.tournament.leaves_of` does, in compiled code."""
    leaves = 1
    while leaves < n_arms:
        leaves *= 2
    return leaves


@step
def least_adjusted_index(known: Known, state: State, turn: Turn) -> int:
    """Return the arm of least adjusted index, or -1 if all are at the ceiling; fit the items when it is time."""
    n_arms, n_items = state.outcomes.shape
    leaves = leaves_in(n_arms)
    room = room_of(leaves, n_arms, n_items)
    if turn.is_first:
        start(state, leaves)
    is_due = refit_if_due(known, state, turn, room)
    ranked = fitted_at(state.memory, room.ranked, n_arms, n_items)
    for i in range(n_arms if is_due else turn.n_changed):
        k = i if is_due else state.changed[i]
        state.keys[k] = _key_of(known, state, ranked, state.memory[room.head + SHARE], k)
        play_again(state, leaves, k)
    return winner(state, known.ceiling)


@kernel
def refit_if_due(known: Known, state: State, turn: Turn, room: Room) -> bool:
    """Fit the items again, and adjust every arm for them, if it is time; return whether it was."""
    (n_arms, n_items), memory = state.outcomes.shape, state.memory
    if turn.is_first:
        memory[room.head + SHARE], memory[room.head + DUE] = 1.0, FIRST_FIT * n_arms
    ranked = fitted_at(memory, room.ranked, n_arms, n_items)
    if turn.is_first:
        ranked.unevenness[:] = 1.0
    if turn.pulls < memory[room.head + DUE]:
        return False
    fit = fit_arms(state.outcomes, known.items, state.counts, known.signals, ranked)
    memory[room.head + SLOPE], memory[room.head + SHARE] = fit.slope, fit.share
    memory[room.head + DUE] = GROWTH * turn.pulls
    return True


@njit(cache=True)
def _key_of(known: Known, state: State, fitted: FittedItems, share: float, k: int) -> float:
    """Return the adjusted index of an arm, with its outstanding pulls; infinite once it is certain or used up."""
    if not state.is_open[k]:
        return math.inf
    told, outstanding, rule = float(state.counts[k]), float(state.asked[k] - state.counts[k]), rule_of(known.ranking, k)
    effects, left = Effects(fitted.told[k], fitted.centres[k]), share * fitted.unevenness[k]
    return adjusted_urgency(rule, told, state.totals[k], state.squares[k], outstanding, effects, left)


@step
def note_item(known: Known, state: State, turn: Turn, k: int) -> bool:  # noqa: ARG001
    """Add the last fitted effect of an arm's new item; return False, to continue."""
    n_arms, n_items = state.outcomes.shape
    room = room_of(leaves_in(n_arms), n_arms, n_items)
    item, ranked = state.last_items[k], fitted_at(state.memory, room.ranked, n_arms, n_items)
    # At the last fit the arm had not answered it, so that its own residual is not in the sum.
    effect = effect_on_others(state.memory[room.head + SLOPE], ranked.sums[item], ranked.counts[item])
    ranked.told[k] += effect + score_effect(k, item, known.signals.scores, ranked.slopes)
    return False


@step
def judge_by_adjusted_mean(known: Known, state: State) -> None:
    """Fill in the verdicts by the side of the adjusted mean, of items fitted to all that was told by now."""
    judged = fit_by_now(known, state)
    for k in range(state.counts.size):
        effects, told = Effects(judged.told[k], judged.centres[k]), float(state.counts[k])
        state.verdicts[k] = adjusted_verdict(rule_of(known.ranking, k), told, state.totals[k], effects)


@formula  # inlined as above
def fit_by_now(known: Known, state: State) -> FittedItems:
    """Return a fit of the items to all that was told by now, for verdicts."""
    n_arms, n_items = state.outcomes.shape
    judged = fitted_at(state.memory, room_of(leaves_in(n_arms), n_arms, n_items).judged, n_arms, n_items)
    fit_arms(state.outcomes, known.items, state.counts, known.signals, judged)
    return judged


@formula
def adjusted_verdict(rule: ArmRule, count: float, total: float, effects: Effects) -> int:
    """Return the side of an arm: the certain one if there is one, else that of the adjusted mean."""
    side = certain_side(count, total, rule.threshold, rule.size, rule.low, rule.high)
    return side if side != 0 else verdict_of(rule, count, adjusted_total(count, total, effects))
