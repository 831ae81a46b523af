"""Which arm next where a control is the bar and all arms answer the same items.

As :mod:`thresher.policy.control_rule`, with the means of arms and control adjusted for the items that they were told
(:mod:`thresher.policy.shared_items`): on an item that both were told, its difficulty drops out of the difference, and
where only one of them was told an item, the answers of all arms say how hard it is.
"""

from __future__ import annotations

import numpy as np

from thresher.policy.control_rule import control_verdict, most_worth_arm, told_in_run
from thresher.policy.rule import Rule, RuleSetup, State, Turn, step
from thresher.policy.shared_items import (
    SHARE,
    fit_by_now,
    fitted_at,
    leaves_in,
    note_item,
    refit_if_due,
    room_of,
)
from thresher.policy.tournament import leaves_of


def control_items_rule(known: RuleSetup, *, first_pulls: int) -> Rule:
    """Return the rule that makes the most valuable pull, adjusted for items, with the pull costs as its parameters."""
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
def most_worth_adjusted(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the most valuable pull, or -1 if all keys are at the ceiling; fit the items when it is time."""
    n_arms, n_items = state.outcomes.shape
    room, memory = room_of(leaves_in(n_arms), n_arms, n_items), state.memory
    is_due = refit_if_due(known, state, turn, room)
    ranked, excess = fitted_at(memory, room.ranked, n_arms, n_items), room.end + n_arms
    for k in range(n_arms):
        memory[excess + k] = state.counts[k] * ranked.centres[k] - ranked.told[k]
    return most_worth_arm(known, state, turn, room.end, excess, memory[room.head + SHARE], turn.is_first or is_due)


@step
def judge_by_adjusted_difference(known: RuleSetup, state: State) -> None:
    """Fill in the verdicts by the side of the adjusted difference, of items fitted to all outcomes so far."""
    judged, place, ranking = fit_by_now(known, state), known.control.arm, known.ranking
    other = told_in_run(known, state, place, state.counts[place] * judged.centres[place] - judged.told[place], 1.0)
    for k in range(state.counts.size):
        arm = told_in_run(known, state, k, state.counts[k] * judged.centres[k] - judged.told[k], 1.0)
        side = control_verdict(arm, other, known.control, ranking.low, ranking.high)
        state.verdicts[k] = 0 if k == place else side
