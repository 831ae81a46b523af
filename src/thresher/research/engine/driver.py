"""Runs of any rule, with one or several pulls outstanding at a time: one loop for all of them.

The readable reference is :mod:`thresher.research.engine.reference`; the two agree bit for bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from thresher.jit import kernel
from thresher.policy import RuleSetup, State, Turn, new_state
from thresher.problem.sampling import turn_at
from thresher.research.engine.counted import RunCounts, new_counted, note, note_mistakes
from thresher.research.engine.draws import (
    ENDLESS,
    REPEATING,
    REPLACING,
    REPLAYING,
    Arms,
    arm_at,
    draw_ahead,
    is_plain,
    mean_of,
    other_outcome_at,
    plain_outcome_at,
    repeated_outcome,
    truth_of,
)
from thresher.research.engine.losses import judge
from thresher.research.engine.schedule import Schedule
from thresher.streams import CHOICES, RETURNS, arm_key, run_key, uniform, word_at
from thresher.types import Bools, Floats, Ints, Words


class NoSuchArmError(Exception):
    """A rule has chosen an arm that does not exist, or has no samples left."""


class Streams(NamedTuple):
    """The random streams of one run, the means of its draws and those it is judged by; arrays of shape (K,)."""

    keys: Words
    means: Floats
    truths: Floats


@kernel
def _start(arms: Arms, state: State, streams: Streams, seed: int, number: int) -> int:
    """Set everything to the start of a run, without pulls; return how many arms are above the bar."""
    key, above = run_key(seed, number), 0
    state.memory[:] = 0.0
    state.outputs[0] = 0
    state.outcomes[:] = np.nan
    for k in range(state.counts.size):
        streams.keys[k] = arm_key(key, k)
        streams.means[k] = mean_of(arms, k, streams.keys[k])
        streams.truths[k] = truth_of(arm_at(arms, k, streams.means[k], streams.keys[k]))
        above += 1 if streams.truths[k] > arms.thresholds[k] else 0
        state.counts[k] = state.asked[k] = state.verdicts[k] = 0
        state.totals[k] = state.squares[k] = state.keys[k] = 0.0
        state.is_open[k] = True
    return above


@kernel
def _is_all_found(arms: Arms, state: State, streams: Streams, above: int) -> bool:
    """Return whether every arm above the bar has been output, if there is any."""
    found = 0
    for k in range(state.verdicts.size):
        if state.verdicts[k] > 0 and streams.truths[k] > arms.thresholds[k]:
            found += 1
    return above > 0 and found == above


@kernel
def _supplies(arms: Arms) -> Ints:
    """Return how often each arm can be pulled in all, shape (K,)."""
    has_end = arms.sizes.size > 0 and arms.draw != REPLACING
    return arms.sizes * arms.repeats if has_end else np.full(arms.means.size, ENDLESS)


@kernel
def _close_unaffordable(ticks: Ints, hidden: Bools, state: State, money: int, n_changed: int) -> int:
    """Close the arms that the money left cannot pay, unless it can pay none; return how many arms have changed.

    `hidden` marks the arms that are closed for this reason alone. They are opened again when no arm can be paid: a rule
    that is asked for the last time sees every arm.
    """
    can_pay = False
    for k in range(ticks.size):
        can_pay = can_pay or ((state.is_open[k] or hidden[k]) and ticks[k] <= money)
    for k in range(ticks.size):
        is_hidden = can_pay and ticks[k] > money and (state.is_open[k] or hidden[k])
        if is_hidden != hidden[k]:
            hidden[k], state.is_open[k] = is_hidden, not is_hidden
            state.changed[n_changed] = k
            n_changed += 1
    return n_changed


@kernel
def drive(
    choose: Any,
    learn: Any,
    conclude: Any,
    schedule: Schedule,
    known: RuleSetup,
    origin: Floats,
    arms: Arms,
    seed: int,
    first_run: int,
    runs: int,
) -> RunCounts:
    """Play a rule and judge it at the end of every budget.

    The loop is one function on plain arrays: to hand them to a function costs more than a draw.

    Parameters
    ----------
    choose, learn, conclude : pointers to compiled functions
        The steps of the rule.
    schedule : Schedule
    known : RuleSetup
        What the rule is told.
    origin : ndarray of float64, shape (K,)
        From where the sums of outcomes are counted.
    arms : Arms
    seed, first_run, runs : int
    """
    n_arms, budgets = arms.means.size, schedule.budgets
    counted = new_counted(runs, budgets.size, n_arms, schedule.n_outputs, schedule.n_judged)
    # An arm is noted as changed when it is asked for, told, closed or opened: at most this often between two choices.
    room = 2 * n_arms * max(schedule.first_pulls, 1) + 2 * schedule.in_flight + n_arms
    state = new_state(n_arms, schedule.memory, room, arms.n_items)
    streams = Streams(np.zeros(n_arms, np.uint64), np.zeros(n_arms), np.zeros(n_arms))
    asked, is_open, changed, supplies, ticks = state.asked, state.is_open, state.changed, _supplies(arms), arms.ticks
    hidden, dearest = np.zeros(n_arms, np.bool_), ticks.max()
    # The outstanding pulls: of which arm, and which pull of the arm. The last of them comes back next.
    flown, places = np.zeros(schedule.in_flight, np.int64), np.zeros(schedule.in_flight, np.int64)
    drawn, order = np.zeros(n_arms, np.int64), np.empty(arms.pool.size, np.uint64)
    for i in range(runs):
        drawn[:] = 0
        run = run_key(seed, first_run + i)
        choices, returns = arm_key(run, CHOICES), arm_key(run, RETURNS)
        above = _start(arms, state, streams, seed, first_run + i)
        hidden[:] = False
        pulls = n_asked = n_changed = money = opened = 0
        is_opening = is_first = True
        for b in range(budgets.size):
            # A run goes on from the smaller budget: what that one left is part of the larger one.
            money += budgets[b] - (budgets[b - 1] if b > 0 else 0)
            flying, stopped = 0, False  # with a larger budget, a rule is asked again
            while True:
                while flying < schedule.in_flight and not stopped:
                    # Arms are opened in their order; `opened` only grows, so that later pulls do not search again.
                    while opened < n_arms and (not is_open[opened] or asked[opened] >= schedule.first_pulls):
                        opened += 1
                    k = opened
                    if k == n_arms:
                        if is_opening and flying > 0:
                            break  # a rule cannot rank an arm that has shown nothing
                        # While every arm can be paid no arm is hidden, and this search costs nothing.
                        if money < dearest:
                            n_changed = _close_unaffordable(ticks, hidden, state, money, n_changed)
                        k = choose(known, state, Turn(pulls, n_asked, n_changed, is_first, choices, money))
                        is_opening, is_first, n_changed = False, False, 0
                        # With pulls in flight -1 may mean that the rule waits: what comes back can change its choice.
                        stopped = k < 0 and flying == 0
                        if k < 0 or (k < n_arms and ticks[k] > money):
                            break
                        if k >= n_arms or not is_open[k]:
                            raise NoSuchArmError
                    flown[flying], places[flying] = k, asked[k]
                    asked[k] += 1
                    if asked[k] == supplies[k]:
                        is_open[k] = False
                    # Only the last entry is compared: an arm twice in the list is ranked twice, which changes nothing.
                    if n_changed == 0 or changed[n_changed - 1] != k:
                        changed[n_changed] = k
                        n_changed += 1
                    n_asked, flying, money = n_asked + 1, flying + 1, money - ticks[k]
                if flying == 0:
                    break
                back = flying
                if schedule.asynchronous:
                    # Any outstanding pull may be next: it changes places with the last one, which comes back.
                    place, last, back = int(uniform(word_at(returns, pulls)) * flying), flying - 1, 1
                    flown[place], flown[last] = flown[last], flown[place]
                    places[place], places[last] = places[last], places[place]
                for _ in range(back):
                    flying -= 1
                    k = flown[flying]
                    arm = arm_at(arms, k, streams.means[k], streams.keys[k])
                    if is_plain(arm):
                        outcome = plain_outcome_at(arm, places[flying])
                    elif arm.draw == REPLAYING:
                        # Without replacement, the order of the pool is shuffled only as far as it is needed.
                        while drawn[k] <= places[flying]:
                            drawn[k] = draw_ahead(arm, drawn[k], order)
                        sample = arm.start + np.int64(order[arm.start + places[flying]])
                        outcome = arms.pool[sample]
                        if arms.n_items > 0:
                            state.outcomes[k, arms.items[sample]], state.last_items[k] = outcome, arms.items[sample]
                    elif arm.draw == REPEATING:
                        rank = turn_at(places[flying], arm.size, arms.repeats).rank
                        while drawn[k] <= rank:
                            drawn[k] = draw_ahead(arm, drawn[k], order)
                        sample = arm.start + np.int64(order[arm.start + rank])
                        outcome = repeated_outcome(arm, arms.pool[sample], places[flying])
                        state.outcomes[k, arms.items[sample]], state.last_items[k] = outcome, arms.items[sample]
                    else:
                        outcome = other_outcome_at(arm, arms.pool, places[flying])
                    state.counts[k] += 1
                    state.totals[k] += outcome - origin[k]
                    distance = outcome - arm.threshold
                    state.squares[k] += distance * distance
                    pulls += 1
                    if n_changed == 0 or changed[n_changed - 1] != k:
                        changed[n_changed] = k
                        n_changed += 1
                    if schedule.learns:
                        before = state.outputs[0]
                        turn = Turn(pulls, n_asked, n_changed, is_first, choices, money)
                        stopped = learn(known, state, turn, k) > 0
                        if state.outputs[0] > before:
                            counted.outputs[i, before : state.outputs[0]] = pulls
                            if schedule.ends_when_found and _is_all_found(arms, state, streams, above):
                                stopped = True
            conclude(known, state)
            judged = judge(arms, streams.truths, state.verdicts, schedule.loss)
            note(counted, i, b, judged, state.counts, budgets[b] - money, stopped)
            note_mistakes(counted, i, b, arms, streams.truths, state.verdicts, schedule.loss)
    return counted
