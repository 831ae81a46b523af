"""The reference engine: the loop in which any rule is played, to be read.

This module is written for clarity; the compiled engines are tested against it bit for bit. Formulas, evidence and
random streams are the shared ones, interpreted: what is written again here is the loop, and for index policies the
choice of the arm, which is Algorithm 1 as it stands in the paper. Rules and samplers in the user's own Python are
played here, and simulations that end before the kernels would be compiled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.policy import Rule, State, Turn, go_on
from thresher.policy import rule as rules
from thresher.problem import Problem, sample, ticks_of
from thresher.research.engine.counted import RunCounts
from thresher.research.engine.draws import Arms, DrawnArm, arms_of, outcomes_between, truth_of
from thresher.research.engine.driver import NoSuchArmError
from thresher.research.engine.interpreted import (
    arm_at,
    index_in_flight,
    is_plain,
    judge_by_mean,
    judge_run,
    key_of_arm,
    key_of_run,
    mean_of,
    new_counted,
    new_state,
    note,
    note_mistakes,
    plain_outcomes,
    rule_of,
    sample_at,
    supply_of,
    uniform_at,
)
from thresher.research.engine.reference_control import Controlled
from thresher.research.engine.reference_items import SharedItems
from thresher.research.engine.reference_repeats import RepeatedItems
from thresher.research.engine.schedule import Schedule
from thresher.streams import CHOICES, RETURNS
from thresher.types import Floats

AHEAD = 16  # outcomes of an arm that are drawn in one call


@dataclass(frozen=True, eq=False)
class Played:
    """One run, up to a budget.

    Attributes
    ----------
    state : State
        What was seen of every arm, at the end or at the peak, with the verdicts.
    means : ndarray of float64, shape (K,)
        The true means in this run: of the distributions, or of the pools.
    order : list of int
        The arms in the order in which their pulls were asked for.
    left : int
        What is left of the budget, in millionths.
    stopped : bool
        The rule stopped by itself.
    outputs : list of int
        Pulls until the first, the second, … arm was output as above the bar.
    """

    state: State
    means: Floats
    order: list[int]
    left: int
    stopped: bool
    outputs: list[int]


def drawn_arms(arms: Arms, seed: int, run: int) -> list[DrawnArm]:
    """Return how each arm draws in a run."""
    key = key_of_run(seed, run)
    keys = [key_of_arm(key, k) for k in range(arms.means.size)]
    return [arm_at(arms, k, mean_of(arms, k, own), own) for k, own in enumerate(keys)]


class Outcomes:
    """The outcomes of one run, arm by arm: some are drawn before they are asked for, which changes nothing."""

    def __init__(self, problem: Problem, arms: Arms, drawn: list[DrawnArm]) -> None:
        self.problem, self.pool, self.arms = problem, arms.pool, drawn
        self.supplies = [supply_of(arm) for arm in drawn]
        self.values = [list[float]() for _ in drawn]
        # Each arm has a generator of its own, so that its outcomes do not depend on the policy.
        keys = [int(arm.key) for arm in drawn] if problem.truth.samplers is not None else []
        self.generators = [np.random.Generator(np.random.Philox(key=key)) for key in keys]

    def at(self, k: int, place: int) -> float:
        """Return the outcome of the pull at `place` (0, 1, 2, …) of an arm."""
        values, samplers = self.values[k], self.problem.truth.samplers
        while len(values) <= place:
            if samplers is not None:
                values.append(sample(self.problem.question, k, samplers[k], self.generators[k]))
            else:
                values += self.next_outcomes(self.arms[k], len(values), min(place + AHEAD, self.supplies[k]))
        return values[place]

    def next_outcomes(self, arm: DrawnArm, first: int, last: int) -> list[float]:
        """Return the outcomes of an arm from place `first` to before `last`."""
        drawn = plain_outcomes(arm, first, last) if is_plain(arm) else outcomes_between(arm, self.pool, first, last)
        return list(drawn)


class Play:
    """One run as far as it has gone: what was asked for, what was seen, and what is left of the budget."""

    def __init__(self, rule: Rule, problem: Problem, *, seed: int, run: int) -> None:
        self.rule, self.arms, self.left = rule, arms_of(problem), 0
        self.drawn, key = drawn_arms(self.arms, seed, run), key_of_run(seed, run)
        self.state = new_state(problem.n_arms, rule.memory, problem.n_arms, self.arms.n_items)
        self.flying, self.order, self.changed = list[tuple[int, int]](), list[int](), dict[int, None]()
        self.first = [k for k in range(problem.n_arms) for _ in range(rule.first_pulls)]
        self.hidden, self.dearest = list[int](), int(self.arms.ticks.max())
        self.outputs, self.is_opening, self.is_first, self.stopped = list[int](), True, True, False
        self.choices: Any = key_of_arm(key, CHOICES)
        self.returns: Any = key_of_arm(key, RETURNS)
        self.arm_rules = [rule_of(rule.known.ranking, k) for k in range(problem.n_arms)] if rule.by_level else []
        self.items: SharedItems | RepeatedItems | None = None
        if rule.shares_items:
            self.items = RepeatedItems(rule.known) if rule.repeats_items else SharedItems(rule.known)
        shared = self.items if isinstance(self.items, SharedItems) else None
        self.controlled = Controlled(rule.known, shared) if rule.has_control else None
        self.indices = np.full(problem.n_arms, -math.inf)
        self.highest, self.peak = -math.inf, self.state
        self.outcomes = Outcomes(problem, self.arms, self.drawn)
        self.truths = np.array([arm.mean if arm.size == 0 else truth_of(arm) for arm in self.drawn])

    @property
    def pulls(self) -> int:
        """How many outcomes were told."""
        return len(self.order) - len(self.flying)

    def turn(self) -> Turn:
        """Return when the rule is called."""
        self.state.changed[: len(self.changed)] = list(self.changed)
        return Turn(self.pulls, len(self.order), len(self.changed), self.is_first, self.choices, self.left)

    def choose(self) -> int:
        """Return the arm that the rule chooses; -1 if it stops."""
        if self.left < self.dearest:
            self.close_unaffordable()
        k = (
            self.least_index()
            if self.rule.by_level or self.rule.shares_items or self.rule.has_control
            else int(self.rule.choose(self.rule.known, self.state, self.turn()))
        )
        self.is_first = False
        self.changed.clear()
        if k >= self.state.counts.size or (k >= 0 and not self.state.is_open[k] and self.can_pay(k)):
            raise NoSuchArmError
        return k

    def can_pay(self, k: int) -> bool:
        """Return whether what is left of the budget pays a pull of an arm."""
        return bool(self.arms.ticks[k] <= self.left)

    def close_unaffordable(self) -> None:
        """Close the arms that what is left of the budget cannot pay, unless it can pay none.

        The rule then chooses the best of the arms that can be paid. When none can, it sees all of them again: it is
        asked for the last time, and may say that it would have stopped anyway.
        """
        is_open, before = self.state.is_open, self.hidden
        is_open[before] = True
        cannot = [k for k in np.flatnonzero(is_open).tolist() if not self.can_pay(k)]
        self.hidden = cannot if len(cannot) < is_open.sum() else []
        is_open[self.hidden] = False
        for k in sorted(set(before) ^ set(self.hidden)):
            self.changed[k] = None

    def least_index(self) -> int:
        """Return the open arm of least index, the first of equals; -1 if every index is at the ceiling.

        :cite:p:`ouhamma2021`, Algorithm 1: every arm once (or as often as its family demands), then the arm of least
        index. An arm with pulls outstanding is ranked by the evidence that it is expected to have.
        """
        indices = np.where(self.state.is_open, self.rank(), math.inf)
        k = int(indices.argmin())
        return k if indices[k] < self.rule.known.ceiling else -1

    def rank(self) -> Floats:
        """Return the index of every arm."""
        is_fitted = self.items is not None and self.items.refit(self.pulls)
        if self.controlled is not None:
            self.controlled.keys(self.indices, self.state)
            return self.indices
        for k in range(self.indices.size) if is_fitted else self.changed:
            self.indices[k] = self.index_of(k) if self.items is None else self.items.index_of(k, self.state)
        return self.indices

    def index_of(self, k: int) -> float:
        """Return the index of an arm: infinite once all its samples were asked for, minus infinite at first."""
        known, state = self.rule.known, self.state
        if state.asked[k] == self.outcomes.supplies[k]:
            return math.inf
        if state.asked[k] < known.parameters[0]:
            return -math.inf
        told, outstanding = float(state.counts[k]), float(state.asked[k] - state.counts[k])
        totals, squares = float(state.totals[k]), float(state.squares[k])
        return float(index_in_flight(self.arm_rules[k], told, totals, squares, outstanding))

    def ask(self, k: int) -> None:
        """Pay a pull of an arm; close the arm if its pool has no other."""
        self.flying.append((k, int(self.state.asked[k])))
        self.order.append(k)
        self.changed[k] = None
        self.state.asked[k] += 1
        self.left -= int(self.arms.ticks[k])
        if self.state.asked[k] == self.outcomes.supplies[k]:
            self.state.is_open[k] = False

    def tell(self) -> None:
        """See the outcome of the pull that comes back next."""
        (k, place), state = self.flying.pop(), self.state
        outcome = self.outcomes.at(k, place)
        if self.arms.n_items > 0:
            item = int(self.arms.items[sample_at(self.drawn[k], place)])
            state.outcomes[k, item], state.last_items[k] = outcome, item
            if self.items is not None:
                self.items.tell(k, item, outcome)
        state.counts[k] += 1
        state.totals[k] += outcome - self.rule.origin[k]
        distance = outcome - self.drawn[k].threshold
        state.squares[k] += distance * distance  # not `** 2`, of which Python has other last bits than compiled code
        self.changed[k] = None
        if self.rule.learn is not go_on and self.items is None:
            self.learn(k)

    def learn(self, k: int) -> None:
        """Pass the outcome of an arm to the rule, and stop if the rule does."""
        before = int(self.state.outputs[0])
        self.stopped = bool(self.rule.learn(self.rule.known, self.state, self.turn(), k))
        self.outputs += [self.pulls] * (int(self.state.outputs[0]) - before)
        if self.rule.ends_when_found and self.outputs and self.is_all_found():
            self.stopped = True

    def is_all_found(self) -> bool:
        """Return whether every arm above the bar has been output, if there is any."""
        above = [k for k, arm in enumerate(self.drawn) if self.truths[k] > arm.threshold]
        return bool(above) and all(self.state.verdicts[k] > 0 for k in above)

    def note_peak(self) -> None:
        r"""Keep the state at :math:`t_{\max}`, the last time at which the least index was largest."""
        lowest = self.rank().min()
        if lowest >= self.highest:
            self.highest, self.peak = lowest, State._make(array.copy() for array in self.state)

    def spend(self, money: int, *, in_flight: int, asynchronous: bool, at_peak: bool) -> None:
        """Spend so much more, in millionths: first every arm as often as it must be, then what the rule chooses.

        A pull is paid when it is asked for. Up to `in_flight` of them are outstanding: either all outcomes of a batch
        come back before the next batch is asked for, or (`asynchronous`) one outstanding pull at a time comes back,
        whichever, and another one is asked for. The rule chooses once the first pulls of every arm have come back,
        among the arms that can be paid. It ends when the rule stops, or when no arm can be paid.
        """
        self.left += money
        self.stopped = False  # with a larger budget, a rule is asked again
        while True:
            while len(self.flying) < in_flight and not self.stopped:
                k = self.next_arm()
                if k < 0 or not self.can_pay(k):
                    break
                self.ask(k)
            if not self.flying:
                return
            back = len(self.flying)
            if asynchronous:
                place = int(uniform_at(self.returns, self.pulls) * len(self.flying))
                self.flying[place], self.flying[-1] = self.flying[-1], self.flying[place]
                back = 1
            for _ in range(back):
                self.tell()
                if at_peak:
                    self.note_peak()

    def next_arm(self) -> int:
        """Return the arm that is pulled next; -1 if the rule stops, or waits for outcomes."""
        self.first = [k for k in self.first if self.state.is_open[k]]
        if self.first:
            return self.first.pop(0)
        if self.is_opening and self.flying:
            return -1  # a rule cannot rank an arm that has shown nothing
        self.is_opening, k = False, self.choose()
        self.stopped = k < 0 and not self.flying
        return k

    def end(self, *, at_peak: bool) -> Played:
        """Return the run so far with its verdicts."""
        state = self.peak if at_peak else self.state
        by_hand = self.controlled or self.items
        if by_hand is None:
            conclude = self.rule.conclude
            (judge_by_mean if conclude is rules.judge_by_mean else conclude)(self.rule.known, state)
        else:
            state.verdicts[:] = by_hand.verdicts(state)
        return Played(state, self.truths, self.order, self.left, self.stopped, self.outputs)


def play(
    rule: Rule,
    problem: Problem,
    *,
    budget: float,
    in_flight: int = 1,
    asynchronous: bool = False,
    at_peak: bool = False,
    seed: int,
    run: int,
) -> Played:
    """Return one run of a rule."""
    game = Play(rule, problem, seed=seed, run=run)
    game.spend(ticks_of(budget), in_flight=in_flight, asynchronous=asynchronous, at_peak=at_peak)
    return game.end(at_peak=at_peak)


def play_runs(rule: Rule, problem: Problem, schedule: Schedule, *, seed: int, first_run: int, runs: int) -> RunCounts:
    """Return the counts of a range of runs, judged at every budget."""
    arms, budgets = arms_of(problem), schedule.budgets
    at_peak = schedule.at_peak and rule.by_level  # where no index is compared the peak is the end
    counted: RunCounts = new_counted(runs, budgets.size, problem.n_arms, schedule.n_outputs, schedule.n_judged)
    for i in range(runs):
        game = Play(rule, problem, seed=seed, run=first_run + i)
        for b, money in enumerate(np.diff(budgets, prepend=0)):
            game.spend(int(money), in_flight=schedule.in_flight, asynchronous=schedule.asynchronous, at_peak=at_peak)
            played = game.end(at_peak=at_peak)
            judged = judge_run(arms, played.means, played.state.verdicts, schedule.loss)
            spent = int(budgets[b]) - played.left
            note(counted, i, b, judged, played.state.counts, spent, played.stopped)
            note_mistakes(counted, i, b, arms, played.means, played.state.verdicts, schedule.loss)
        counted.outputs[i, : len(game.outputs)] = game.outputs
    return counted
