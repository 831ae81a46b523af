"""The reference engine: Algorithm 1 of the paper as it stands there, to be read.

Nothing here is fast and nothing is clever; every faster engine is checked against it to the last bit. Formulas,
evidence and luck are the shared ones: what is written again here is the loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.engine.draws import Arm, Arms, arm_of, arms_of, has_sample, mean_of, outcome_at, ticks_of
from thresher.policy import IndexPolicy, rule_of, urgency_in_flight, urgency_of
from thresher.problem import Problem
from thresher.streams import RETURNS, arm_key, run_key, uniform, word_at
from thresher.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Spent:
    """Where the budget went: pulls and sums of every arm, at the end and at the peak; arrays of shape (K,)."""

    counts: Ints
    totals: Floats
    peak_counts: Ints
    peak_totals: Floats


class Play:
    """One run as far as it has gone: how each arm draws and is ranked, and what was seen of it."""

    def __init__(self, policy: IndexPolicy, problem: Problem, seed: int, run: int) -> None:
        ranking = policy.rank(problem)
        self.arms, self.n_arms = arms_of(problem), problem.n_arms
        self.drawn = drawn_arms(self.arms, seed, run)
        self.rules = [rule_of(ranking, k) for k in range(self.n_arms)]
        self.counts = np.zeros(self.n_arms, np.int64)
        self.totals, self.squares = np.zeros(self.n_arms), np.zeros(self.n_arms)

    def tell(self, k: int, place: int) -> None:
        """See the outcome of a pull."""
        outcome = outcome_at(self.drawn[k], self.arms.pool, place)
        self.counts[k] += 1
        self.totals[k] += outcome
        self.squares[k] += (outcome - self.drawn[k].threshold) ** 2

    def urgency(self, k: int) -> float:
        """Return the index of an arm; infinite once it has run dry."""
        if not has_sample(self.drawn[k], self.counts[k]):
            return math.inf
        return urgency_of(self.rules[k], float(self.counts[k]), self.totals[k], self.squares[k])

    def urgency_in_flight(self, k: int, asked: int) -> float:
        """Return the index of an arm of which so many pulls were asked for, some of them still outstanding."""
        if asked < self.arms.first_pulls:
            return -math.inf
        if not has_sample(self.drawn[k], asked):
            return math.inf
        outstanding = float(asked - self.counts[k])
        return urgency_in_flight(self.rules[k], float(self.counts[k]), self.totals[k], self.squares[k], outstanding)


def drawn_arms(arms: Arms, seed: int, run: int) -> list[Arm]:
    """Return how each arm draws in a run."""
    key = np.uint64(run_key(seed, run))
    keys = [np.uint64(arm_key(key, k)) for k in range(arms.means.size)]
    # A key that comes back from compiled code is a Python integer, which may be too large for a signed one.
    return [arm_of(arms, k, mean_of(arms, k, own), own)._replace(key=own) for k, own in enumerate(keys)]


def spend(
    policy: IndexPolicy, problem: Problem, *, budget: float, seed: int, run: int, ceiling: float = math.inf
) -> Spent:
    r"""Return where one run of an index policy spends the budget.

    :cite:p:`ouhamma2021`, Algorithm 1: every arm once (or as often as its family demands), then the arm of least index;
    ties go to the lowest arm, the budget is spent when that arm cannot be paid. The peak is the paper's
    :math:`t_{\max}`, the last time at which the least index was largest. A run stops early once every index is at the
    ceiling.
    """
    play, money = Play(policy, problem, seed, run), ticks_of(budget)
    for k in range(play.n_arms):
        for _ in range(play.arms.first_pulls):
            if has_sample(play.drawn[k], play.counts[k]):
                play.tell(k, play.counts[k])
                money -= int(play.arms.ticks[k])
    urgencies = np.array([play.urgency(k) for k in range(play.n_arms)])
    highest, peak_counts, peak_totals = urgencies.min(), play.counts.copy(), play.totals.copy()
    while True:
        k = int(np.argmin(urgencies))  # the first of equals: ties go to the lowest arm
        if play.arms.ticks[k] > money or urgencies[k] >= ceiling:
            return Spent(play.counts, play.totals, peak_counts, peak_totals)
        play.tell(k, play.counts[k])
        money -= int(play.arms.ticks[k])
        urgencies[k] = play.urgency(k)
        if urgencies.min() >= highest:
            highest, peak_counts, peak_totals = urgencies.min(), play.counts.copy(), play.totals.copy()


def spend_in_flight(
    policy: IndexPolicy,
    problem: Problem,
    *,
    budget: float,
    in_flight: int,
    asynchronous: bool,
    seed: int,
    run: int,
    ceiling: float = math.inf,
) -> tuple[Ints, Floats]:
    """Return pulls and sums of every arm, shape (K,) each, when several pulls are outstanding at a time.

    A pull is paid when it is asked for. Either all outcomes of a batch come back before the next batch is asked for, or
    one outstanding pull at a time comes back, whichever, and another one is asked for.
    """
    play, money = Play(policy, problem, seed, run), ticks_of(budget)
    asked, flying = np.zeros(play.n_arms, np.int64), list[tuple[int, int]]()
    returns, returned = np.uint64(arm_key(np.uint64(run_key(seed, run)), RETURNS)), 0
    while True:
        while len(flying) < in_flight:
            urgencies = [play.urgency_in_flight(k, asked[k]) for k in range(play.n_arms)]
            k = int(np.argmin(urgencies))
            if play.arms.ticks[k] > money or urgencies[k] >= ceiling:
                break
            flying.append((k, asked[k]))
            asked[k] += 1
            money -= int(play.arms.ticks[k])
        if not flying:
            return play.counts, play.totals
        back = len(flying)
        if asynchronous:
            place = int(uniform(np.uint64(word_at(returns, returned))) * len(flying))
            flying[place], flying[-1] = flying[-1], flying[place]
            returned, back = returned + 1, 1
        for _ in range(back):
            play.tell(*flying.pop())
