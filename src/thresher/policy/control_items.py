"""Which arm next where a control is the bar and all arms answer the same items.

As :mod:`thresher.policy.control_rule`, with the means of arms and control adjusted for the items that they were told
(:mod:`thresher.policy.shared_items`): on an item that both were told, its difficulty drops out of the difference, and
where only one of them was told an item, the answers of all arms say how hard it is.
"""

from __future__ import annotations

import numpy as np

from thresher.jit import kernel
from thresher.policy.control_rule import control_verdict, most_worth_arm, told_in_run
from thresher.policy.rule import Known, Rule, State, Turn, step
from thresher.policy.shared_items import (
    DUE,
    FIRST_FIT,
    GROWTH,
    SHARE,
    Room,
    effects_on,
    fit_items,
    leaves_in,
    note_item,
    refit_arms,
    room_of,
)
from thresher.policy.tournament import leaves_of


def control_items_rule(known: Known, *, first_pulls: int) -> Rule:
    """Return the rule that pulls what is worth most, adjusted for items, with the pull costs as its parameters."""
    n_arms, n_items = known.items.shape
    return Rule(
        choose=most_worth_adjusted,
        known=known,
        origin=np.zeros(n_arms),
        learn=note_item,
        conclude=judge_by_adjusted_difference,
        first_pulls=first_pulls,
        memory=room_of(leaves_of(n_arms), n_arms, n_items).end + 2 * n_arms,
        shares_items=True,
        has_control=True,
    )


@step
def most_worth_adjusted(known: Known, state: State, turn: Turn) -> int:
    """Return what is worth most to pull, or -1 if all keys are at the ceiling; fit the items when it is time."""
    n_arms, n_items = state.outcomes.shape
    room, memory = room_of(leaves_in(n_arms), n_arms, n_items), state.memory
    if turn.is_first:
        memory[room.head + SHARE], memory[room.head + DUE] = 1.0, FIRST_FIT * n_arms
    is_due = turn.pulls >= memory[room.head + DUE]
    if is_due:
        refit_arms(known, state, room)
        memory[room.head + DUE] = GROWTH * turn.pulls
    terms, excess, share = room.end, room.end + n_arms, memory[room.head + SHARE]
    for k in range(n_arms):
        memory[excess + k] = state.counts[k] * memory[room.centres + k] - memory[room.told + k]
    return most_worth_arm(known, state, turn, terms, excess, share, turn.is_first or is_due)


@step
def judge_by_adjusted_difference(known: Known, state: State) -> None:
    """Fill in the verdicts by the side of the adjusted difference, of items fitted to all that was told by now."""
    n_arms, n_items = state.outcomes.shape
    room = room_of(leaves_in(n_arms), n_arms, n_items)
    _adjust(known, state, room, room.end + n_arms)
    memory, place, ranking = state.memory, known.control.arm, known.ranking
    other = told_in_run(known, state, place, memory[room.end + n_arms + place], 1.0)
    for k in range(n_arms):
        arm = told_in_run(known, state, k, memory[room.end + n_arms + k], 1.0)
        side = control_verdict(arm, other, known.control, ranking.low, ranking.high)
        state.verdicts[k] = 0 if k == place else side


@kernel
def _adjust(known: Known, state: State, room: Room, excess: int) -> None:
    """Fit the items to all that was told by now; fill in what they add to the sum of each arm."""
    (n_arms, n_items), memory = state.outcomes.shape, state.memory
    means = memory[room.spare_means : room.spare_means + n_arms]
    sums = memory[room.spare_sums : room.spare_sums + n_items]
    counts = memory[room.spare_counts : room.spare_counts + n_items]
    slopes = memory[room.spare_slopes : room.spare_slopes + n_arms]
    fit = fit_items(state.outcomes, state.counts, known.signals, means, sums, counts, slopes)
    for k in range(n_arms):
        effects = effects_on(
            k, state.outcomes, known.items, known.signals.scores, means[k], sums, counts, fit.slope, slopes
        )
        memory[excess + k] = state.counts[k] * effects.mean - effects.told
