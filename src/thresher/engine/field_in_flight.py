"""Runs of a policy that looks at all arms, with several pulls outstanding at a time.

The policy is asked with what has come back, as if nothing else had been asked for. Its twin, to be read, is
:func:`thresher.engine.field_reference.play_in_flight`.
"""

from __future__ import annotations

import numpy as np

from thresher.engine.draws import Arms, arm_of, has_sample
from thresher.engine.field import Luck, Rules, begin_run, new_state, pull
from thresher.engine.flight import Flight, hurry, launch, new_flight
from thresher.engine.judge import cost_of
from thresher.engine.runs import Counted, Question, new_counted, note
from thresher.jit import kernel, part
from thresher.policy.field import Known, State, Turn, choose, conclude
from thresher.streams import CHOICES, RETURNS, Word, arm_key, run_key, uniform, word_at


@part
def _not_begun(state: State, flight: Flight, first_pulls: int) -> int:
    """Return the first arm whose first pulls are not all asked for, or -1."""
    for k in range(flight.asked.size):
        if state.is_open[k] and flight.asked[k] < first_pulls:
            return k
    return -1


@part
def _spend(
    rules: Rules,
    known: Known,
    arms: Arms,
    state: State,
    luck: Luck,
    flight: Flight,
    choices: Word,
    returns: Word,
    asynchronous: bool,
    horizon: int,
    money: int,
) -> int:
    """Ask and tell until nothing is outstanding and nothing can be asked for; return the money left, in ticks."""
    pulls = asked = flying = 0
    last, told, is_opening = -1, 1, True  # the arm whose key is out of date, if one outcome at most was told since
    while True:
        while flying < flight.arms.size:
            k = _not_begun(state, flight, rules.first_pulls) if is_opening else -1
            if k < 0:
                if is_opening and flying > 0:
                    break  # a policy cannot rank an arm that has shown nothing
                is_opening = False
                k = choose(rules.code, known, state, Turn(pulls, horizon, last, uniform(word_at(choices, asked))))
                last, told = k, 0
                if k < 0 or arms.ticks[k] > money:
                    break
            launch(flight, flying, k)
            if not has_sample(arm_of(arms, k, luck.means[k], luck.keys[k]), flight.asked[k]):
                state.is_open[k] = False
            asked, flying, money = asked + 1, flying + 1, money - arms.ticks[k]
        if flying == 0:
            return int(money)
        back = flying
        if asynchronous:
            hurry(flight, flying, uniform(word_at(returns, pulls)))
            back = 1
        for _ in range(back):
            flying -= 1
            k = flight.arms[flying]
            pull(arms, state, luck, k, flight.places[flying])
            pulls, told = pulls + 1, told + 1
            last = k if told == 1 else -1


@kernel
def run_field_in_flight(
    rules: Rules,
    known: Known,
    arms: Arms,
    question: Question,
    in_flight: int,
    asynchronous: bool,
    seed: int,
    first_run: int,
    runs: int,
) -> Counted:
    """Run a policy that looks at all arms with pulls outstanding, and judge it at the end of every budget.

    Parameters
    ----------
    rules : Rules
        Of an algorithm without phases.
    known : Known
    arms : Arms
    question : Question
    in_flight : int
        How many pulls may be outstanding, at least one.
    asynchronous : bool
        As in :func:`thresher.engine.run_in_flight`.
    seed, first_run, runs : int
    """
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted, verdicts = new_counted(runs, n_budgets, n_arms), np.zeros(n_arms, np.int64)
    state, luck = new_state(n_arms, rules.memory), Luck(np.zeros(n_arms, np.uint64), np.zeros(n_arms))
    for i in range(runs):
        run = run_key(seed, first_run + i)
        choices, returns = arm_key(run, CHOICES), arm_key(run, RETURNS)
        for b in range(n_budgets):  # the end of a budget waits for all outstanding pulls: start again each time
            begin_run(arms, state, luck, seed, first_run + i)
            flight, money = new_flight(n_arms, in_flight), question.budgets[b]
            left = _spend(
                rules, known, arms, state, luck, flight, choices, returns, asynchronous, rules.horizons[b], money
            )
            conclude(rules.code, known, state, verdicts)
            judged = cost_of(arms, luck.means, verdicts, question.loss, question.tolerance)
            note(counted, i, b, judged, state.counts, money - left)
    return counted
