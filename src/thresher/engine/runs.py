"""Many runs of one policy on one problem: losses by run and budget, and where the pulls went."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from thresher.engine.draws import Arms, arm_of, has_sample, mean_of, outcome_at
from thresher.engine.judge import judge
from thresher.engine.streams import arm_key, run_key, uniform, word_at
from thresher.engine.sweep import Peak, State, new_peak, new_scratch, new_state, open_every_arm, spend
from thresher.policy.ranking import Ranking
from thresher.types import Floats, Ints

CHOICES = 1 << 41  # the "arm" whose stream draws which arm is pulled, far from every real one


class Question(NamedTuple):
    """What is asked of every run.

    Attributes
    ----------
    budgets : ndarray of int64, shape (B,)
        In ticks, increasing.
    at_peak : bool
        Judge at the paper's t_max instead of at the end.
    loss : int
        Code of the loss.
    tolerance : float
        Arms this close to the bar are forgiven.
    ceiling : float
        Stop once every index is this large.
    """

    budgets: Ints
    at_peak: bool
    loss: int
    tolerance: float
    ceiling: float


class Counted(NamedTuple):
    """What came out of a range of runs; B budgets, K arms.

    Attributes
    ----------
    losses, any_mistakes : ndarray of float64, shape (runs, B)
    spent : ndarray of int64, shape (runs, B)
        In ticks.
    pulls, pulls_squared : ndarray of int64, shape (B, K)
        Sums over the runs: whole numbers, so that no order of adding changes them.
    """

    losses: Floats
    any_mistakes: Floats
    spent: Ints
    pulls: Ints
    pulls_squared: Ints


@njit(cache=True, nogil=True)
def _new_counted(runs: int, n_budgets: int, n_arms: int) -> Counted:
    return Counted(
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
    )


@njit(cache=True, nogil=True)
def _count(
    counted: Counted, run: int, b: int, ranking: Ranking, arms: Arms, state: State, question: Question, spent: int
) -> None:
    """Judge the state of a run at a budget and note it."""
    judged = judge(ranking, arms, state.means, state.counts, state.totals, question.loss, question.tolerance)
    counted.losses[run, b], counted.any_mistakes[run, b] = judged.loss, judged.any_mistake
    counted.spent[run, b] = spent
    for k in range(state.counts.size):
        counted.pulls[b, k] += state.counts[k]
        counted.pulls_squared[b, k] += state.counts[k] ** 2


@njit(cache=True, nogil=True)
def _swap_peak(state: State, peak: Peak) -> None:
    """Exchange the arm that moved since the peak with what it was then; a second call takes it back."""
    arm = peak.arm[0]
    if arm >= 0:
        peak.count[0], state.counts[arm] = state.counts[arm], peak.count[0]
        peak.total[0], state.totals[arm] = state.totals[arm], peak.total[0]


@njit(cache=True, nogil=True)
def run_index_policy(
    ranking: Ranking, arms: Arms, question: Question, seed: int, first_run: int, runs: int
) -> Counted:
    """Run an index policy and judge it at every budget; one pass serves all budgets."""
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted = _new_counted(runs, n_budgets, n_arms)
    state, scratch, peak = new_state(n_arms), new_scratch(n_arms), new_peak()
    for run in range(runs):
        left = -open_every_arm(ranking, arms, state, seed, first_run + run)
        peak.level[0], peak.arm[0] = -np.inf, -1
        for b in range(n_budgets):
            left += question.budgets[b] - (question.budgets[b - 1] if b > 0 else 0)
            left = spend(ranking, arms, state, scratch, peak, left, question.ceiling)
            if question.at_peak:
                _swap_peak(state, peak)
            _count(counted, run, b, ranking, arms, state, question, question.budgets[b] - left)
            if question.at_peak:
                _swap_peak(state, peak)
    return counted


@njit(cache=True, nogil=True)
def _meet(arms: Arms, state: State, seed: int, run: int) -> int:
    """Reset a state to the start of a run, without pulls; return the run's key."""
    key = run_key(seed, run)
    for k in range(state.counts.size):
        state.keys[k] = arm_key(key, k)
        state.means[k] = mean_of(arms, k, state.keys[k])
        state.counts[k], state.totals[k] = 0, 0.0
    return key


@njit(cache=True, nogil=True)
def _pull_to(arms: Arms, state: State, k: int, count: int) -> None:
    """Pull one arm until it has been pulled `count` times, or its pool is dry."""
    arm, pool = arm_of(arms, k, state.means[k], state.keys[k]), arms.pool
    while state.counts[k] < count and has_sample(arm, state.counts[k]):
        state.totals[k] += outcome_at(arm, pool, state.counts[k])
        state.counts[k] += 1


@njit(cache=True, nogil=True)
def run_allocation(
    ranking: Ranking, arms: Arms, question: Question, allocations: Ints, seed: int, first_run: int, runs: int
) -> Counted:
    """Run a policy whose pulls are fixed beforehand, shape (B, K), and judge it at every budget."""
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted = _new_counted(runs, n_budgets, n_arms)
    state = new_state(n_arms)
    for run in range(runs):
        for b in range(n_budgets):  # an allocation may shrink as the budget grows: start again each time
            _meet(arms, state, seed, first_run + run)
            spent = 0
            for k in range(n_arms):
                _pull_to(arms, state, k, allocations[b, k])
                spent += state.counts[k] * arms.ticks[k]
            _count(counted, run, b, ranking, arms, state, question, spent)
    return counted


@njit(cache=True, nogil=True)
def run_at_random(
    ranking: Ranking, arms: Arms, question: Question, seed: int, first_run: int, runs: int
) -> Counted:
    """Run the policy that draws the arm of every pull at random, and judge it at every budget."""
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted = _new_counted(runs, n_budgets, n_arms)
    state = new_state(n_arms)
    for run in range(runs):
        key = arm_key(_meet(arms, state, seed, first_run + run), CHOICES)
        spent = place = 0
        for b in range(n_budgets):
            while True:
                k = np.int64(uniform(word_at(key, place)) * n_arms)
                if spent + arms.ticks[k] > question.budgets[b]:
                    break
                place += 1
                before = state.counts[k]
                _pull_to(arms, state, k, before + 1)
                if state.counts[k] == before and _all_dry(arms, state):
                    break
                spent += (state.counts[k] - before) * arms.ticks[k]
            _count(counted, run, b, ranking, arms, state, question, spent)
    return counted


@njit(cache=True, nogil=True)
def _all_dry(arms: Arms, state: State) -> bool:
    """Return whether no arm has a sample left."""
    for k in range(state.counts.size):
        if has_sample(arm_of(arms, k, state.means[k], state.keys[k]), state.counts[k]):
            return False
    return True
