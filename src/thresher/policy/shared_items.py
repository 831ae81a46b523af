"""The rule for arms that share items: pull the arm of least index, adjusted for the items.

The effects of the items are those of :mod:`thresher.inference.item_effects`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.inference import (
    FIRST_FIT,
    GROWTH,
    Effects,
    FittedItems,
    adjusted_total,
    effect_on_others,
    fit_arms,
    score_effect,
)
from thresher.jit import formula, kernel, njit
from thresher.policy.ranking import (
    ArmRule,
    index_in_flight,
    is_certain,
    rule_of,
    structured_index,
    verdict_of,
)
from thresher.policy.rule import Rule, RuleSetup, State, Turn, step
from thresher.policy.tournament import leaves_of, play_again, start, winner
from thresher.problem.sampling import certain_side
from thresher.types import Floats


@kernel
def adjusted_index(
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
        return index_in_flight(rule, 0.0, 0.0, 0.0, outstanding)
    if is_certain(rule, count, total):
        return math.inf
    return structured_index(rule, count, adjusted_total(count, total, effects), squares, outstanding, share)


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


def shared_items_rule(known: RuleSetup) -> Rule:
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
def least_adjusted_index(known: RuleSetup, state: State, turn: Turn) -> int:
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
def refit_if_due(known: RuleSetup, state: State, turn: Turn, room: Room) -> bool:
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
def _key_of(known: RuleSetup, state: State, fitted: FittedItems, share: float, k: int) -> float:
    """Return the adjusted index of an arm, with its outstanding pulls; infinite once it is certain or used up."""
    if not state.is_open[k]:
        return math.inf
    told, outstanding, rule = float(state.counts[k]), float(state.asked[k] - state.counts[k]), rule_of(known.ranking, k)
    effects, left = Effects(fitted.told[k], fitted.centres[k]), share * fitted.unevenness[k]
    return adjusted_index(rule, told, state.totals[k], state.squares[k], outstanding, effects, left)


@step
def note_item(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:  # noqa: ARG001
    """Add the last fitted effect of an arm's new item; return False, to continue."""
    n_arms, n_items = state.outcomes.shape
    room = room_of(leaves_in(n_arms), n_arms, n_items)
    item, ranked = state.last_items[k], fitted_at(state.memory, room.ranked, n_arms, n_items)
    # At the last fit the arm had not answered it, so that its own residual is not in the sum.
    effect = effect_on_others(state.memory[room.head + SLOPE], ranked.sums[item], ranked.counts[item])
    ranked.told[k] += effect + score_effect(k, item, known.signals.scores, ranked.slopes)
    return False


@step
def judge_by_adjusted_mean(known: RuleSetup, state: State) -> None:
    """Fill in the verdicts by the side of the adjusted mean, of items fitted to all outcomes so far."""
    judged = fit_by_now(known, state)
    for k in range(state.counts.size):
        effects, told = Effects(judged.told[k], judged.centres[k]), float(state.counts[k])
        state.verdicts[k] = adjusted_verdict(rule_of(known.ranking, k), told, state.totals[k], effects)


@formula  # inlined as above
def fit_by_now(known: RuleSetup, state: State) -> FittedItems:
    """Return a fit of the items to all outcomes so far, for verdicts."""
    n_arms, n_items = state.outcomes.shape
    judged = fitted_at(state.memory, room_of(leaves_in(n_arms), n_arms, n_items).judged, n_arms, n_items)
    fit_arms(state.outcomes, known.items, state.counts, known.signals, judged)
    return judged


@formula
def adjusted_verdict(rule: ArmRule, count: float, total: float, effects: Effects) -> int:
    """Return the side of an arm: the certain one if there is one, else that of the adjusted mean."""
    side = certain_side(count, total, rule.threshold, rule.size, rule.low, rule.high)
    return side if side != 0 else verdict_of(rule, count, adjusted_total(count, total, effects))
