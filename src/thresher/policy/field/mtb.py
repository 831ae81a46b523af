"""MTB, for arms in the order of their means: a binary search that takes steps back."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from thresher.policy.field.base import Algorithm
from thresher.policy.field.state import Known, State, Turn, step
from thresher.problem import Problem
from thresher.types import Ints

# Places in the memory. Arms are numbered from 1 here; 0 and K + 1 are those of mean -∞ and +∞ that the paper adds.
STEP, PART, DONE, BASE, LEFT, RIGHT, DEPTH = 0, 1, 2, 3, 4, 5, 6
PATH, DEEPEST = 8, 64  # the nodes above the present one, as pairs of left and right
NOTES, NOTE = PATH + 2 * DEEPEST, 5  # of every step: left, right, and the means of left, middle and right


@njit(cache=True)
def mtb_steps(n_arms: int) -> int:
    r"""Return :math:`T_1 = \lceil 6 \log K \rceil`, the steps of the search; at least one."""
    return max(math.ceil(6.0 * math.log(float(n_arms))), 1)


@step
def mtb_choose(known: Known, state: State, turn: Turn) -> int:
    r"""Return the next arm of a binary search for the bar among arms in increasing order, with steps back.

    :cite:p:`cheshire2020`, Explore: in each of :math:`T_1` steps the left, middle and right arm of a node are pulled
    :math:`T_2 = \lfloor T / (3 T_1) \rfloor` times. If the bar is not between the means of left and right the search
    goes back to the node above, at a leaf (neighbours) it stays, else it goes to the half that has the bar. Arms of
    mean :math:`\pm\infty` beyond both ends take no pulls. There is one bar for all arms, whose means must not
    decrease.
    """
    n_arms = state.counts.size
    steps = mtb_steps(n_arms)
    pulls = turn.horizon // (3 * steps)
    if turn.last < 0:
        state.memory[RIGHT] = n_arms + 1.0
    while state.memory[STEP] < steps:
        arm = _arm_of(state)
        if 1 <= arm <= n_arms and state.is_open[arm - 1] and state.memory[DONE] < pulls:
            if state.memory[DONE] == 0.0:
                state.memory[BASE] = state.totals[arm - 1]
            state.memory[DONE] += 1.0
            return arm - 1
        _note(state, arm)
        if state.memory[PART] == 3.0:
            _move(known.thresholds[0], state)
    return -1


@step
def _arm_of(state: State) -> int:
    """Return the arm that the present part of a step looks at: left, middle or right."""
    left, right, part = int(state.memory[LEFT]), int(state.memory[RIGHT]), int(state.memory[PART])
    return left if part == 0 else right if part == 2 else (left + right) // 2


@step
def _note(state: State, arm: int) -> None:
    """Note the mean of the pulls of this part of the step, and go on to the next part."""
    n_arms, done = state.counts.size, state.memory[DONE]
    place = NOTES + NOTE * int(state.memory[STEP])
    if arm == 0 or arm == n_arms + 1:
        mean = -math.inf if arm == 0 else math.inf
    elif done > 0.0:
        mean = (state.totals[arm - 1] - state.memory[BASE]) / done
    else:  # the pool had run dry before
        mean = state.totals[arm - 1] / state.counts[arm - 1]
    state.memory[place], state.memory[place + 1] = state.memory[LEFT], state.memory[RIGHT]
    state.memory[place + 2 + int(state.memory[PART])] = mean
    state.memory[PART] += 1.0
    state.memory[DONE] = 0.0


@step
def _move(bar: float, state: State) -> None:
    """Go to the node of the next step."""
    place, path = NOTES + NOTE * int(state.memory[STEP]), PATH + 2 * int(state.memory[DEPTH])
    low, middle, high = state.memory[place + 2], state.memory[place + 3], state.memory[place + 4]
    left, right = state.memory[LEFT], state.memory[RIGHT]
    if bar < low or bar > high:
        if state.memory[DEPTH] > 0.0:
            state.memory[DEPTH] -= 1.0
            state.memory[LEFT], state.memory[RIGHT] = state.memory[path - 2], state.memory[path - 1]
    elif right > left + 1.0:
        state.memory[path], state.memory[path + 1] = left, right
        state.memory[DEPTH] += 1.0
        half = math.floor(0.5 * (left + right))
        if middle <= bar <= high:
            state.memory[LEFT] = half
        else:
            state.memory[RIGHT] = half
    state.memory[PART] = 0.0
    state.memory[STEP] += 1.0


@step
def mtb_conclude(known: Known, state: State, horizon: int, verdicts: Ints) -> None:
    r"""Fill in the verdicts: above from the arm on which the steps agree, which is their median.

    :cite:p:`cheshire2020`, Choose: every step names at most one arm, that whose mean is nearest to the bar if it is
    within ε, or the right one of two neighbours with the bar between them and ε from both. ε is the larger of
    :math:`2\sqrt{2 \log 48 / T_2}` and the least with which some step names an arm (printed there with μ for the bar).
    Which of several arms within ε a step names, and which of two medians counts (the upper one), are our choice.
    """
    n_arms, bar, steps = state.counts.size, known.thresholds[0], int(state.memory[STEP])
    pulls = max(horizon // (3 * mtb_steps(n_arms)), 1)
    epsilon, nearest = 2.0 * math.sqrt(2.0 * math.log(48.0) / pulls), math.inf
    for i in range(steps):
        for part in range(3):
            nearest = min(nearest, abs(state.memory[NOTES + NOTE * i + 2 + part] - bar))
    named, many = np.empty(steps, np.int64), 0
    for attempt in range(2):
        for i in range(steps):
            arm = _named(state, i, bar, epsilon)
            if arm >= 0:
                named[many] = arm
                many += 1
        if many > 0 or attempt == 1:
            break
        epsilon = max(epsilon, nearest)
    first = np.sort(named[:many])[many // 2] if many > 0 else n_arms + 1
    for k in range(n_arms):
        verdicts[k] = 1 if k + 1 >= first else -1


@step
def _named(state: State, i: int, bar: float, epsilon: float) -> int:
    """Return the arm that a step names, or -1."""
    place = NOTES + NOTE * i
    left, right = int(state.memory[place]), int(state.memory[place + 1])
    low, middle, high = state.memory[place + 2], state.memory[place + 3], state.memory[place + 4]
    nearest = min(abs(low - bar), abs(middle - bar), abs(high - bar))
    if nearest <= epsilon:
        if abs(low - bar) == nearest:
            return left
        return right if abs(high - bar) == nearest else (left + right) // 2
    if right == left + 1 and low + epsilon < bar <= high - epsilon:
        return right
    return -1


def _why_not(problem: Problem) -> str | None:
    if (problem.thresholds != problem.thresholds[0]).any():
        return "needs one bar for all arms"
    if problem.population is None and (np.diff(problem.means) < 0.0).any():
        return "needs arms in the order of their means"
    return "needs arms in the order of their means" if problem.population is not None else None


MTB = Algorithm(
    "mtb",
    code=14,
    choose=mtb_choose,
    source="cheshire2020, Explore and Choose",
    needs_horizon=True,
    first_pulls=0,
    least_pulls=lambda n_arms: 3 * int(mtb_steps(n_arms)),
    memory=lambda n_arms: NOTES + NOTE * int(mtb_steps(n_arms)),
    why_not=_why_not,
)
