r"""Arms that answer the same items, each of which may be asked several times.

As :mod:`thresher.policy.shared_items`, with the mean outcome of an arm on an item in place of its outcome. How much
outcomes of one item vary is fitted to all arms together: :mod:`thresher.inference.repeated_samples`.
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
    ItemFit,
    Variance,
    adjusted_total,
    answered,
    effect_on_others,
    evidence_of,
    fit_items,
    fit_rho,
    put_effects,
    repeated_in_flight,
    score_effect,
)
from thresher.jit import formula, kernel
from thresher.policy.index import index_of
from thresher.policy.ranking import LARGEST, ArmRule, index_in_flight, rule_of, verdict_of
from thresher.policy.rule import Rule, RuleSetup, State, Turn, step
from thresher.policy.shared_items import DUE, SHARE, SLOPE, fitted_at, leaves_in, room_of
from thresher.policy.tournament import leaves_of, play_again, start, winner
from thresher.types import Floats, Ints


class CellRoom(NamedTuple):
    """Offsets of the outcomes of each arm on each item in the memory of a rule, after those of shared items."""

    rho: int
    sums: int
    counts: int
    end: int


@formula
def cells_of(start_: int, n_arms: int, n_items: int) -> CellRoom:
    """Return the places in the memory of a rule."""
    sums = start_ + 1
    return CellRoom(start_, sums, sums + n_arms * n_items, sums + 2 * n_arms * n_items)


def repeated_items_rule(known: RuleSetup, repeats: int, *, shares_items: bool) -> Rule:
    """Return the rule that pulls the arm of least index, whose items may be asked so often.

    Parameters
    ----------
    known : RuleSetup
    repeats : int
    shares_items : bool
        Whether arms are adjusted for what others answered.
    """
    n_arms, n_items = known.items.shape
    room = room_of(leaves_of(n_arms), n_arms, n_items)
    return Rule(
        choose=least_repeated_index,
        known=known._replace(parameters=np.array([float(repeats), float(shares_items)])),
        origin=np.zeros(n_arms),
        learn=note_repeat,
        conclude=judge_by_item_means,
        first_pulls=0,
        memory=cells_of(room.end, n_arms, n_items).end,
        shares_items=True,
        repeats_items=True,
    )


@formula  # inlined, because it returns an array: see thresher.policy.shared_items
def distinct_items(outcomes: Floats) -> Ints:
    """Return how many items each arm has answered, shape (K,)."""
    told = np.zeros(outcomes.shape[0], np.int64)
    for k in range(outcomes.shape[0]):
        for i in range(outcomes.shape[1]):
            told[k] += 0 if math.isnan(outcomes[k, i]) else 1
    return told


@kernel
def fit_item_means(known: RuleSetup, state: State, fitted: FittedItems) -> ItemFit:
    """Return how much items explain of the means of arms on them; fill in the effects on every arm."""
    told = distinct_items(state.outcomes)
    fit = fit_items(
        state.outcomes, told, known.signals, fitted.means, fitted.sums, fitted.counts, fitted.slopes, fitted.unevenness
    )  # fmt: skip
    if known.parameters[1] == 0.0:
        fit = ItemFit(0.0, 1.0)
        fitted.slopes[:] = 0.0
    put_effects(state.outcomes, known.items, known.signals, fit.slope, fitted)
    return fit


@kernel
def least_repeated_index(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the arm of least index, or -1 if all are at the ceiling; fit items and repeats when it is time."""
    n_arms, n_items = state.outcomes.shape
    leaves, memory = leaves_in(n_arms), state.memory
    room = room_of(leaves, n_arms, n_items)
    if turn.is_first:
        start(state, leaves)
        memory[room.head + SHARE], memory[room.head + DUE] = 1.0, FIRST_FIT * n_arms
    is_due = turn.pulls >= memory[room.head + DUE]
    if is_due:
        cells = cells_of(room.end, n_arms, n_items)
        sums, counts = memory[cells.sums : cells.counts], memory[cells.counts : cells.end]
        memory[cells.rho] = fit_rho(sums, sums, counts, n_arms, 0.0)  # 0/1 outcomes are their own squares
        fit = fit_item_means(known, state, fitted_at(memory, room.ranked, n_arms, n_items))
        memory[room.head + SLOPE], memory[room.head + SHARE] = fit.slope, fit.share
        memory[room.head + DUE] = GROWTH * turn.pulls
    for i in range(n_arms if is_due else turn.n_changed):
        k = i if is_due else state.changed[i]
        state.keys[k] = _key_of(known, state, k)
        play_again(state, leaves, k)
    return winner(state, known.ceiling)


@kernel
def _key_of(known: RuleSetup, state: State, k: int) -> float:
    """Return the index of an arm, with its outstanding pulls; infinite once all its items were asked for."""
    if not state.is_open[k]:
        return math.inf
    n_arms, n_items = state.outcomes.shape
    room, memory, rule = room_of(leaves_in(n_arms), n_arms, n_items), state.memory, rule_of(known.ranking, k)
    told, outstanding = state.counts[k], state.asked[k] - state.counts[k]
    ranked = fitted_at(memory, room.ranked, n_arms, n_items)
    effects = Effects(ranked.told[k], ranked.centres[k])
    variance = Variance(memory[cells_of(room.end, n_arms, n_items).rho], memory[room.head + SHARE], False)
    return repeated_index(
        rule, told, state.totals[k], state.squares[k], outstanding, int(known.parameters[0]), effects, variance
    )


@kernel
def repeated_index(
    rule: ArmRule,
    count: int,
    total: float,
    squares: float,
    outstanding: int,
    repeats: int,
    effects: Effects,
    variance: Variance,
) -> float:
    """Return the index of an arm that has something left to be asked.

    Parameters
    ----------
    rule : ArmRule
    count, total, squares : int, float, float
        Outcomes told, their sum, and their squares about the bar.
    outstanding : int
        Pulls outstanding; not all that are left.
    repeats : int
        How often an item may be asked.
    effects : Effects
        Of the items that the arm has answered, each once.
    variance : Variance
    """
    if count == 0:
        return index_in_flight(rule, 0.0, 0.0, 0.0, float(outstanding))
    size = int(rule.size)
    # The effects are those of an answer to each item; an outcome has that of its item.
    scaled = Effects(effects.told * count / answered(count, size, repeats).items, effects.mean)
    total = adjusted_total(float(count), total, scaled)
    seen = count + rule.pseudo_count
    evidence = evidence_of(rule.evidence, seen, total + rule.pseudo_total, squares, rule.threshold, rule.precision)
    known = repeated_in_flight(count, seen, evidence, outstanding, size, repeats, variance)
    if known.gain <= 0.0:
        return math.inf  # no further measurement adds information
    value = index_of(rule.code, rule.user, known.samples, known.evidence, rule.cost * known.gain, rule.parameter)
    return max(value, -LARGEST)


@step
def note_repeat(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:  # noqa: ARG001
    """Make the outcome of an arm a part of its mean on that item; return False, to continue."""
    n_arms, n_items = state.outcomes.shape
    room, item, memory = room_of(leaves_in(n_arms), n_arms, n_items), state.last_items[k], state.memory
    cells, cell = cells_of(room.end, n_arms, n_items), k * n_items + item
    if memory[cells.counts + cell] == 0.0:
        # At the last fit the arm had not answered it, so that its own residual is not in the sum.
        ranked = fitted_at(memory, room.ranked, n_arms, n_items)
        effect = effect_on_others(memory[room.head + SLOPE], ranked.sums[item], ranked.counts[item])
        ranked.told[k] += effect + score_effect(k, item, known.signals.scores, ranked.slopes)
    memory[cells.sums + cell] += state.outcomes[k, item]
    memory[cells.counts + cell] += 1.0
    state.outcomes[k, item] = memory[cells.sums + cell] / memory[cells.counts + cell]
    return False


@kernel
def judge_by_item_means(known: RuleSetup, state: State) -> None:
    """Fill in the verdicts by the side of the mean over items of the items' means, adjusted for the items told."""
    n_arms, n_items = state.outcomes.shape
    judged = fitted_at(state.memory, room_of(leaves_in(n_arms), n_arms, n_items).judged, n_arms, n_items)
    fit_item_means(known, state, judged)
    told = distinct_items(state.outcomes)
    for k in range(n_arms):
        total = 0.0
        for i in range(n_items):
            total += 0.0 if math.isnan(state.outcomes[k, i]) else state.outcomes[k, i]
        effects, count = Effects(judged.told[k], judged.centres[k]), float(told[k])
        state.verdicts[k] = verdict_of(rule_of(known.ranking, k), count, adjusted_total(count, total, effects))
