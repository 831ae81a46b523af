"""UTB, for arms whose means rise and then fall: the top first, then a search on each side of it."""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import formula, kernel
from thresher.policy.algorithm import Algorithm
from thresher.policy.literature.fixed_budget.search import (
    begin_search,
    crossing,
    next_in_search,
    search_memory,
    search_steps,
)
from thresher.policy.policy import Traits
from thresher.policy.rule import RuleSetup, State, Turn, noise_of, random_number, step
from thresher.problem import Problem

# Places in the memory: the part under way, the top, the first and the last arm above, and the probes.
PART, TOP, FIRST, LAST, PROBE, DONE, BASE, MEANS = 0, 1, 2, 3, 4, 5, 6, 7
PROBES = 5


@kernel  # it makes arrays
def utb_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the next arm in the search for a hill above the bar: its top, both its flanks, then a second look.

    :cite:p:`cheshire2020`, UTB: a quarter of the budget finds the top (MOSS, and then an arm drawn in proportion to its
    pulls), an eighth each goes to MTB on the arms up to it and, mirrored, on those from it on, and a tenth to each of
    the top, the first and last arm above, and their neighbours. MOSS is the paper's example; its bonus is scaled by 2σ,
    1 for outcomes in [0, 1]. There is one bar for all arms, whose means must rise and then fall. The paper has no
    experiments, so that no number could be checked.
    """
    n_arms, bar = state.counts.size, known.thresholds[0]
    if state.memory[PART] == 0.0:
        if turn.pulls < known.horizon // 4:
            return _moss(known, state, known.horizon // 4)
        state.memory[PART], state.memory[TOP] = 1.0, float(_drawn(state, random_number(turn)))
        begin_search(state, 0, 1, int(state.memory[TOP]) + 1, known.horizon // 8)
    if state.memory[PART] == 1.0:
        k = next_in_search(bar, state)
        if k >= 0:
            return k
        state.memory[PART], state.memory[FIRST] = 2.0, crossing(bar, state) - 1.0
        begin_search(state, n_arms - 1, -1, n_arms - int(state.memory[TOP]), known.horizon // 8)
    if state.memory[PART] == 2.0:
        k = next_in_search(bar, state)
        if k >= 0:
            return k
        state.memory[PART], state.memory[LAST] = 3.0, float(n_arms - crossing(bar, state))
    return _probe(state, known.horizon // 10)


@formula
def _moss(known: RuleSetup, state: State, horizon: int) -> int:
    """Return the open arm of largest MOSS index; arms never pulled come first."""
    best, highest = -1, -math.inf
    for k in range(state.counts.size):
        if not state.is_open[k]:
            continue
        count = float(state.counts[k])
        if count == 0.0:
            return k
        bonus = math.sqrt(max(math.log(horizon / (state.counts.size * count)), 0.0) / count)
        index = state.totals[k] / count + 2.0 * noise_of(known, state, k) * bonus
        if index > highest:
            best, highest = k, index
    return best


@formula
def _drawn(state: State, number: float) -> int:
    """Return an arm drawn in proportion to its pulls."""
    left = number * state.counts.sum()
    for k in range(state.counts.size):
        left -= state.counts[k]
        if left < 0.0:
            return k
    return state.counts.size - 1


@formula
def _probed(state: State, i: int) -> int:
    """Return the arm of a probe: the top, the first and the last above, and the ones before and after those."""
    if i == 0:
        return int(state.memory[TOP])
    end = FIRST if i % 2 == 1 else LAST
    beyond = 0 if i < 3 else -1 if end == FIRST else 1
    return int(state.memory[end]) + beyond


@formula
def _probe(state: State, pulls: int) -> int:
    """Return the arm to be looked at once more, or -1 when all were; an arm beyond either end has mean -∞."""
    while state.memory[PROBE] < PROBES:
        place = MEANS + int(state.memory[PROBE])
        k = _probed(state, int(state.memory[PROBE]))
        exists = 0 <= k < state.counts.size
        if exists and state.is_open[k] and state.memory[DONE] < pulls:
            if state.memory[DONE] == 0.0:
                state.memory[BASE] = state.totals[k]
            state.memory[DONE] += 1.0
            return k
        if not exists:
            state.memory[place] = -math.inf
        elif state.memory[DONE] > 0.0:
            state.memory[place] = (state.totals[k] - state.memory[BASE]) / state.memory[DONE]
        else:
            state.memory[place] = state.totals[k] / max(state.counts[k], 1)
        state.memory[PROBE] += 1.0
        state.memory[DONE] = 0.0
    return -1


@step
def utb_conclude(known: RuleSetup, state: State) -> None:
    r"""Fill in the verdicts: above from the first to the last arm found, if both ends bear a second look, else none.

    An end does if the bar lies between it and the arm beyond, or if it is at most as far from the bar as the top is
    above it. On the right the paper prints the first test with both arms exchanged.
    """
    bar, m = known.thresholds[0], state.memory[MEANS:]
    top = m[0] - bar
    left = m[3] < bar < m[1] or abs(m[1] - bar) <= top
    right = m[4] < bar < m[2] or abs(m[2] - bar) <= top
    for k in range(state.verdicts.size):
        is_inside = state.memory[FIRST] <= k <= state.memory[LAST]
        state.verdicts[k] = 1 if left and right and is_inside else -1


def _why_not(problem: Problem) -> str | None:
    if (problem.thresholds != problem.thresholds[0]).any():
        return "it needs one bar for all arms"
    turns = np.diff(np.sign(np.diff(problem.means)))
    if problem.population is not None or (turns > 0).any():
        return "it needs arms whose means rise and then fall"
    return None


UTB = Algorithm(
    "utb",
    choose=utb_choose,
    conclude=utb_conclude,
    source="cheshire2020, UTB",
    first_pulls=0,
    least_pulls=lambda n_arms: max(24 * int(search_steps(n_arms)) + 8, 4 * n_arms + 4),
    memory=search_memory,
    why_not=_why_not,
    traits=Traits(needs_horizon=True, in_flight=False),
)
