"""The readable twin of :mod:`thresher.engine.field`: one run of a policy that looks at all arms, in plain Python.

Choice, verdicts and luck are the shared ones; what is written again is the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.engine.draws import arms_of, has_sample, outcome_at, ticks_of
from thresher.engine.reference import drawn_arms
from thresher.engine.streams import CHOICES, arm_key, run_key, uniform, word_at
from thresher.policy.field import FieldPolicy, State, Turn, choose, conclude
from thresher.problem import Problem
from thresher.types import Ints


@dataclass(frozen=True, eq=False)
class Played:
    """One run: what was seen, the verdicts, the arms in the order of their pulls, and what is left of the budget."""

    state: State
    verdicts: Ints
    order: list[int]
    money: int


def play(policy: FieldPolicy, problem: Problem, *, budget: float, seed: int, run: int) -> Played:
    """Return one run of a policy: every arm as often as it must be first, then whatever it chooses.

    The run ends when the policy stops, or when the arm that it chooses cannot be paid.
    """
    arms, known, code = arms_of(problem), policy.brief(problem), policy.algorithm.code
    drawn, horizon = drawn_arms(arms, seed, run), policy.horizon(problem, budget)
    choices, money = np.uint64(arm_key(np.uint64(run_key(seed, run)), CHOICES)), ticks_of(budget)
    n_arms, order = problem.n_arms, list[int]()
    state = State(
        counts=np.zeros(n_arms, np.int64),
        totals=np.zeros(n_arms),
        squares=np.zeros(n_arms),
        is_open=np.ones(n_arms, np.bool_),
        keys=np.zeros(n_arms),
        memory=np.zeros(policy.memory(problem)),
    )

    def pull(k: int) -> None:
        nonlocal money
        outcome = outcome_at(drawn[k], arms.pool, state.counts[k])
        state.counts[k] += 1
        state.totals[k] += outcome
        state.squares[k] += (outcome - problem.thresholds[k]) ** 2
        state.is_open[k] &= has_sample(drawn[k], state.counts[k])
        money -= int(arms.ticks[k])
        order.append(k)

    for k in range(n_arms):
        for _ in range(policy.first_pulls(problem)):
            if state.is_open[k]:
                pull(k)
    last = -1
    while True:
        coin = uniform(np.uint64(word_at(choices, len(order))))
        k = choose(code, known, state, Turn(len(order), horizon, last, coin))
        if k < 0 or arms.ticks[k] > money:
            break
        pull(k)
        last = k
    verdicts = np.zeros(n_arms, np.int64)
    conclude(code, known, state, horizon, verdicts)
    return Played(state, verdicts, order, money)
