r"""The fast engine: raise a level, let every arm run alone until it passes, settle the exact order only around a budget.

For every index policy the state at the first time when all indices are at least :math:`C` is the set of first passages
:math:`\tau_k(C)`: an arm that has passed is not pulled again before all have (:cite:p:`ouhamma2021`, appendix C). So the arms
can be run one after the other, each in a tight loop, with no search for the least index. A level that would cost more than the
budget is taken back, a smaller one tried; what is left of the budget in the end is spent pull by pull from a heap.

Its twin, to be read, is :mod:`thresher.engine.reference`; the two agree to the last bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from thresher.engine.draws import Arms, arm_of, has_sample, mean_of, outcome_at
from thresher.engine.streams import arm_key, run_key
from thresher.policy.ranking import Ranking, rule_of, urgency_of
from thresher.types import Floats, Ints, Words

SETTLE = 4.0  # a budget is settled pull by pull once there is money for at most this many pulls per arm
SHARE = 0.25  # of the money left, that one step aims to spend
PATIENCE = 2  # levels taken back in a row before the rest of the budget is settled pull by pull


class State(NamedTuple):
    """What was seen of every arm in one run; arrays of shape (K,)."""

    counts: Ints
    totals: Floats
    squares: Floats
    urgencies: Floats
    keys: Words
    means: Floats


class Scratch(NamedTuple):
    """Room for taking a level back, and for the heap; arrays of shape (K,)."""

    touched: Ints
    counts: Ints
    totals: Floats
    squares: Floats
    urgencies: Floats
    heap: Ints


class Peak(NamedTuple):
    """The last time at which the least index was largest; one arm at most has moved since. Arrays of shape (1,)."""

    level: Floats
    arm: Ints
    count: Ints
    total: Floats


@njit(cache=True, nogil=True)
def new_state(n_arms: int) -> State:
    """Return a state without pulls."""
    return State(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms, np.uint64),
        np.zeros(n_arms),
    )


@njit(cache=True, nogil=True)
def new_scratch(n_arms: int) -> Scratch:
    """Return room for one run."""
    return Scratch(
        np.empty(n_arms, np.int64),
        np.empty(n_arms, np.int64),
        np.empty(n_arms),
        np.empty(n_arms),
        np.empty(n_arms),
        np.empty(n_arms, np.int64),
    )


@njit(cache=True, nogil=True)
def new_peak() -> Peak:
    """Return a peak that any level passes."""
    return Peak(np.full(1, -np.inf), np.full(1, -1), np.zeros(1, np.int64), np.zeros(1))


@njit(cache=True, nogil=True)
def open_every_arm(ranking: Ranking, arms: Arms, state: State, seed: int, run: int) -> int:
    """Pull every arm as often as it must be first; return what that cost, in ticks."""
    key = run_key(seed, run)
    spent = 0
    for k in range(state.counts.size):
        state.keys[k] = arm_key(key, k)
        state.means[k] = mean_of(arms, k, state.keys[k])
        state.counts[k], state.totals[k], state.squares[k], state.urgencies[k] = 0, 0.0, 0.0, -math.inf
        spent += arms.ticks[k] * _pull_below(ranking, arms, state, k, math.inf, False, arms.first_pulls).pulls
    return spent


class Pulled(NamedTuple):
    """How often an arm was pulled in a row, and the last time its index was highest on the way."""

    pulls: int
    highest: float
    count: int
    total: float


@njit(cache=True, nogil=True)
def _pull_below(
    ranking: Ranking, arms: Arms, state: State, k: int, bar: float, wins_ties: bool, most: int
) -> Pulled:
    """Pull one arm while its index is below the bar (or on it, if it wins ties), at most `most` times.

    This is the hot loop. It works on scalars: an array or a tuple of arrays in a call would be counted up and down at every pull.
    """
    arm, rule, pool = arm_of(arms, k, state.means[k], state.keys[k]), rule_of(ranking, k), arms.pool
    first = count = state.counts[k]
    total, squares, urgency = state.totals[k], state.squares[k], state.urgencies[k]
    highest, high_count, high_total = -math.inf, count, total
    last = count + most
    while count < last and (urgency < bar or (wins_ties and urgency == bar)):
        outcome = outcome_at(arm, pool, count)
        total += outcome
        squares += (outcome - arm.threshold) ** 2
        count += 1
        # A pool that has run dry has nothing more to ask.
        urgency = urgency_of(rule, float(count), total, squares) if has_sample(arm, count) else math.inf
        if urgency >= highest:
            highest, high_count, high_total = urgency, count, total
    state.counts[k], state.totals[k], state.squares[k], state.urgencies[k] = count, total, squares, urgency
    return Pulled(count - first, highest, high_count, high_total)


@njit(cache=True, nogil=True)
def _raise_all(ranking: Ranking, arms: Arms, state: State, scratch: Scratch, level: float, money: int) -> int:
    """Bring every arm to the level and return what it cost; if that is more than the money, change nothing and return -1."""
    spent = touched = 0
    for arm in range(state.counts.size):
        if state.urgencies[arm] >= level:
            continue
        scratch.touched[touched] = arm
        scratch.counts[touched], scratch.totals[touched] = state.counts[arm], state.totals[arm]
        scratch.squares[touched], scratch.urgencies[touched] = state.squares[arm], state.urgencies[arm]
        touched += 1
        ticks = arms.ticks[arm]
        spent += ticks * _pull_below(ranking, arms, state, arm, level, False, (money - spent) // ticks + 1).pulls
        if spent > money:
            for i in range(touched):
                back = scratch.touched[i]
                state.counts[back], state.totals[back] = scratch.counts[i], scratch.totals[i]
                state.squares[back], state.urgencies[back] = scratch.squares[i], scratch.urgencies[i]
            return -1
    return spent


@njit(cache=True, nogil=True)
def _least_finite(urgencies: Floats) -> float:
    """Return the least index that is finite, or 0."""
    least = math.inf
    for urgency in urgencies:
        if -math.inf < urgency < least:
            least = urgency
    return least if least < math.inf else 0.0


@njit(cache=True, nogil=True)
def _sweep(
    ranking: Ranking, arms: Arms, state: State, scratch: Scratch, peak: Peak, money: int, ceiling: float
) -> int:
    """Raise the level while that can be paid; return what is left of the money, in ticks.

    Each step aims at doubling what was spent, and at no more than a share of what is left: a level that is taken back has cost
    as many draws as there was money for. How far to go is read off the last step.
    """
    cycle = float(arms.ticks.sum())
    # Never from below the peak: a level reached then is a new one, and what came before it can be forgotten.
    level = max(_least_finite(state.urgencies), peak.level[0])
    step, rate, failures, spent = 0.5, 0.0, 0, 0
    while money > SETTLE * cycle and failures < PATIENCE and level < ceiling:
        target = min(SHARE * money, max(float(spent), 2.0 * cycle))
        if rate > 0.0:
            step = min(max(target / rate, 0.125 * step), 8.0 * step)
        step = min(step, ceiling - level)
        cost = _raise_all(ranking, arms, state, scratch, level + step, money)
        if cost < 0:
            failures += 1
            step *= 0.25
            rate = 0.0
            continue
        level += step
        failures = 0
        money -= cost
        spent += cost
        rate = cost / step
        if cost > 0:
            peak.level[0] = -math.inf
        else:
            step *= 4.0
            if level + step == level or step == math.inf:
                break
    return money


@njit(cache=True, inline="always")
def _before(urgencies: Floats, one: int, other: int) -> bool:
    """Return whether arm `one` is pulled before arm `other`: the lesser index, ties to the lowest arm."""
    return urgencies[one] < urgencies[other] or (urgencies[one] == urgencies[other] and one < other)


@njit(cache=True, nogil=True)
def _sift_down(heap: Ints, urgencies: Floats, place: int) -> None:
    """Move the arm at a place of the heap down to where it belongs."""
    arm, size = heap[place], heap.size
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _before(urgencies, heap[child + 1], heap[child]):
            child += 1
        if not _before(urgencies, heap[child], arm):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = arm


@njit(cache=True, nogil=True)
def _heapify(heap: Ints, urgencies: Floats) -> None:
    """Make the arms a heap whose first is pulled next."""
    for arm in range(heap.size):
        heap[arm] = arm
    for place in range(heap.size // 2 - 1, -1, -1):
        _sift_down(heap, urgencies, place)


@njit(cache=True, inline="always")
def _second(heap: Ints, urgencies: Floats) -> int:
    """Return the arm that is pulled next if the first of the heap is left out, or -1 if there is no other."""
    if heap.size < 2:
        return -1
    if heap.size > 2 and _before(urgencies, heap[2], heap[1]):
        return heap[2]
    return heap[1]


@njit(cache=True, nogil=True)
def _lead(ranking: Ranking, arms: Arms, state: State, heap: Ints, peak: Peak, most: int, ceiling: float) -> int:
    """Pull the first arm of the heap while it stays the first, at most `most` times; return the number of pulls.

    While it leads, its index is the least one; once it has passed the second, that one's is.
    """
    k, second = heap[0], _second(heap, state.urgencies)
    if peak.arm[0] < 0:
        peak.arm[0], peak.count[0], peak.total[0] = k, state.counts[k], state.totals[k]
    bar = math.inf if second < 0 else state.urgencies[second]
    pulled = _pull_below(ranking, arms, state, k, min(bar, ceiling), k < second and bar < ceiling, most)
    now = min(state.urgencies[k], bar)
    if now >= max(peak.level[0], min(pulled.highest, bar)):
        peak.level[0], peak.arm[0] = now, -1
    elif pulled.highest >= peak.level[0]:
        peak.level[0], peak.arm[0], peak.count[0], peak.total[0] = pulled.highest, k, pulled.count, pulled.total
    return pulled.pulls


@njit(cache=True, nogil=True)
def _settle(
    ranking: Ranking, arms: Arms, state: State, heap: Ints, peak: Peak, money: int, ceiling: float
) -> int:
    """Spend the money pull by pull on the arm of least index; return what is left when it is not paid any more."""
    _heapify(heap, state.urgencies)
    if state.urgencies[heap[0]] >= peak.level[0]:
        peak.level[0], peak.arm[0] = state.urgencies[heap[0]], -1
    while True:
        arm = heap[0]
        ticks = arms.ticks[arm]
        if ticks > money or state.urgencies[arm] >= ceiling:
            return money
        money -= ticks * _lead(ranking, arms, state, heap, peak, money // ticks, ceiling)
        _sift_down(heap, state.urgencies, 0)


@njit(cache=True, nogil=True)
def spend(
    ranking: Ranking, arms: Arms, state: State, scratch: Scratch, peak: Peak, money: int, ceiling: float
) -> int:
    """Spend the money, each pull on the arm of least index (ties: lowest arm); return what is left, in ticks.

    It ends when the arm of least index cannot be paid, or when the least index has reached the ceiling (infinite: never, except
    that an arm without samples left has an infinite index). The state may be one where an earlier budget ended: an index policy
    does not know its budget, so one run serves all.
    """
    money = _sweep(ranking, arms, state, scratch, peak, money, ceiling)
    return _settle(ranking, arms, state, scratch.heap, peak, money, ceiling)
