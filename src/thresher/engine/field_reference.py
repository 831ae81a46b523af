"""The readable twins of :mod:`thresher.engine.field` and :mod:`thresher.engine.field_in_flight`, in plain Python.

One run of a policy that looks at all arms, one pull at a time or with several outstanding. Choice, verdicts and luck
are the shared ones; what is written again is the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.engine.draws import arms_of, has_sample, outcome_at, ticks_of
from thresher.engine.reference import drawn_arms
from thresher.policy.field import FieldPolicy, State, Turn, choose, conclude
from thresher.problem import Problem
from thresher.streams import CHOICES, RETURNS, arm_key, run_key, uniform, word_at
from thresher.types import Ints


@dataclass(frozen=True, eq=False)
class Played:
    """One run: what was seen, the verdicts, the arms in the order of their pulls, and what is left of the budget."""

    state: State
    verdicts: Ints
    order: list[int]
    money: int


class Play:
    """One run as far as it has gone: what was asked for, what was seen, and what is left of the budget."""

    def __init__(self, policy: FieldPolicy, problem: Problem, budget: float, seed: int, run: int) -> None:
        self.arms, self.known, self.code = arms_of(problem), policy.brief(problem), policy.algorithm.code
        self.drawn, self.horizon = drawn_arms(self.arms, seed, run), policy.horizon(problem, budget)
        self.run, self.money, self.order = np.uint64(run_key(seed, run)), ticks_of(budget), list[int]()
        n_arms = problem.n_arms
        self.state = State(
            counts=np.zeros(n_arms, np.int64),
            totals=np.zeros(n_arms),
            squares=np.zeros(n_arms),
            is_open=np.ones(n_arms, np.bool_),
            keys=np.zeros(n_arms),
            memory=np.zeros(policy.memory(problem)),
        )

    def coin(self, stream: int, place: int) -> float:
        """Return the number in [0, 1) at a place of one of the run's own streams."""
        return uniform(np.uint64(word_at(np.uint64(arm_key(self.run, stream)), place)))

    def choose(self, last: int) -> int:
        """Return the arm that the policy chooses from what it has seen; -1 if it stops or cannot pay that arm."""
        turn = Turn(int(self.state.counts.sum()), self.horizon, last, self.coin(CHOICES, len(self.order)))
        k = choose(self.code, self.known, self.state, turn)
        return k if k >= 0 and self.arms.ticks[k] <= self.money else -1

    def ask(self, k: int) -> int:
        """Pay a pull of an arm; close the arm if its pool has no other; return the how manieth of the arm it is."""
        place = self.order.count(k)
        self.order.append(k)
        self.money -= int(self.arms.ticks[k])
        self.state.is_open[k] &= has_sample(self.drawn[k], place + 1)
        return place

    def tell(self, k: int, place: int) -> None:
        """See the outcome of a pull."""
        outcome = outcome_at(self.drawn[k], self.arms.pool, place)
        self.state.counts[k] += 1
        self.state.totals[k] += outcome
        self.state.squares[k] += (outcome - self.drawn[k].threshold) ** 2

    def end(self) -> Played:
        """Return the run with its verdicts."""
        verdicts = np.zeros(self.state.counts.size, np.int64)
        conclude(self.code, self.known, self.state, verdicts)
        return Played(self.state, verdicts, self.order, self.money)


def play(policy: FieldPolicy, problem: Problem, *, budget: float, seed: int, run: int) -> Played:
    """Return one run of a policy: every arm as often as it must be first, then whatever it chooses.

    The run ends when the policy stops, or when the arm that it chooses cannot be paid.
    """
    game = Play(policy, problem, budget, seed, run)
    for k in range(problem.n_arms):
        for _ in range(policy.first_pulls(problem)):
            if game.state.is_open[k]:
                game.tell(k, game.ask(k))
    last = -1
    while (k := game.choose(last)) >= 0:
        game.tell(k, game.ask(k))
        last = k
    return game.end()


def play_in_flight(
    policy: FieldPolicy, problem: Problem, *, budget: float, in_flight: int, asynchronous: bool, seed: int, run: int
) -> Played:
    """Return one run of a policy without phases when several pulls are outstanding at a time.

    A pull is paid when it is asked for. The policy chooses by what has come back, once the first pulls of every arm
    have; meanwhile nothing else is asked for. Either all outcomes of a batch come back before the next batch is asked
    for, or one outstanding pull at a time comes back, whichever, and another one is asked for.
    """
    game, flying, returned = Play(policy, problem, budget, seed, run), list[tuple[int, int]](), 0
    first = [k for k in range(problem.n_arms) for _ in range(policy.first_pulls(problem))]
    is_asked = False
    while True:
        while len(flying) < in_flight:
            first = [k for k in first if game.state.is_open[k]]
            if first:
                k = first.pop(0)
            elif is_asked or not flying:
                is_asked, k = True, game.choose(last=-1)
            else:
                break
            if k < 0:
                break
            flying.append((k, game.ask(k)))
        if not flying:
            return game.end()
        back = len(flying)
        if asynchronous:
            place = int(game.coin(RETURNS, returned) * len(flying))
            flying[place], flying[-1] = flying[-1], flying[place]
            returned, back = returned + 1, 1
        for _ in range(back):
            game.tell(*flying.pop())
