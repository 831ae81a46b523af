"""Runs of a policy that looks at all arms before every pull: one loop for all of them.

Its twin, to be read, is :mod:`thresher.engine.field_reference`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.engine.draws import Arms, arm_of, has_sample, mean_of, outcome_at
from thresher.engine.judge import cost_of
from thresher.engine.runs import Counted, Question, new_counted, note
from thresher.jit import formula, kernel, part
from thresher.policy.field import Known, State, Turn, choose, conclude
from thresher.streams import CHOICES, arm_key, run_key, uniform, word_at
from thresher.types import Floats, Ints, Words


class Rules(NamedTuple):
    """How a policy is played.

    Attributes
    ----------
    code : int
        Of the algorithm.
    first_pulls : int
        Of every arm, before it is asked.
    restarts : bool
        Every budget has a run of its own, since the policy is told the horizon.
    memory : int
        How many numbers the policy keeps for itself.
    horizons : ndarray of int64, shape (B,)
        How many pulls each budget pays for.
    """

    code: int
    first_pulls: int
    restarts: bool
    memory: int
    horizons: Ints


class Luck(NamedTuple):
    """The streams of one run and the true means in it; arrays of shape (K,)."""

    keys: Words
    means: Floats


@formula  # so that its caller knows that nobody else holds these arrays
def new_state(n_arms: int, memory: int) -> State:
    """Return room for what a policy sees of so many arms, and for so many numbers of its own."""
    return State(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.ones(n_arms, np.bool_),
        np.zeros(n_arms),
        np.zeros(memory),
    )


@part
def begin_run(arms: Arms, state: State, luck: Luck, seed: int, run: int) -> None:
    """Set everything to the start of a run, without pulls."""
    key = run_key(seed, run)
    state.memory[:] = 0.0
    for k in range(state.counts.size):
        luck.keys[k] = arm_key(key, k)
        luck.means[k] = mean_of(arms, k, luck.keys[k])
        state.counts[k], state.totals[k], state.squares[k], state.keys[k] = 0, 0.0, 0.0, 0.0
        state.is_open[k] = True


@part
def pull(arms: Arms, state: State, luck: Luck, k: int, place: int) -> None:
    """See the outcome of the pull of an arm at a place; close the arm if that was the last sample of its pool."""
    arm = arm_of(arms, k, luck.means[k], luck.keys[k])
    outcome = outcome_at(arm, arms.pool, place)
    state.counts[k] += 1
    state.totals[k] += outcome
    state.squares[k] += (outcome - arm.threshold) ** 2
    if not has_sample(arm, place + 1):
        state.is_open[k] = False


@part
def _open_every_arm(arms: Arms, state: State, luck: Luck, first_pulls: int) -> int:
    """Pull every arm as often as it must be first, as far as its pool goes; return how many pulls that took."""
    pulls = 0
    for k in range(state.counts.size):
        for _ in range(first_pulls):
            if state.is_open[k]:
                pull(arms, state, luck, k, state.counts[k])
                pulls += 1
    return pulls


@kernel
def run_field_policy(
    rules: Rules, known: Known, arms: Arms, question: Question, seed: int, first_run: int, runs: int
) -> Counted:
    """Run a policy that looks at all arms, and judge it at every budget."""
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted, verdicts = new_counted(runs, n_budgets, n_arms), np.zeros(n_arms, np.int64)
    state = new_state(n_arms, rules.memory)
    luck = Luck(np.zeros(n_arms, np.uint64), np.zeros(n_arms))
    for i in range(runs):
        choices = arm_key(run_key(seed, first_run + i), CHOICES)
        pulls, spent, last = 0, 0, -1
        for b in range(n_budgets):
            if b == 0 or rules.restarts:
                begin_run(arms, state, luck, seed, first_run + i)
                pulls, last = _open_every_arm(arms, state, luck, rules.first_pulls), -1
                spent = (state.counts * arms.ticks).sum()
            while True:
                turn = Turn(pulls, rules.horizons[b], last, uniform(word_at(choices, pulls)))
                k = choose(rules.code, known, state, turn)
                if k < 0 or spent + arms.ticks[k] > question.budgets[b]:
                    break
                pull(arms, state, luck, k, state.counts[k])
                pulls, last = pulls + 1, k
                spent += arms.ticks[k]
            conclude(rules.code, known, state, verdicts)
            judged = cost_of(arms, luck.means, verdicts, question.loss, question.tolerance)
            note(counted, i, b, judged, state.counts, spent)
    return counted
