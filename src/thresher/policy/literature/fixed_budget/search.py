"""A binary search for the bar among arms in the order of their means, with steps back: what MTB and UTB share."""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import formula, kernel, njit
from thresher.policy.rule import State

# Places in the memory; those before are the policy's. Arms of a search are numbered from 1 here, in the direction of
# increasing means; 0 and SIZE + 1 are those of mean -∞ and +∞ that the paper adds.
ORIGIN, DIRECTION, SIZE, PULLS, STEP, PART, DONE, BASE, LEFT, RIGHT, DEPTH = range(16, 27)
PATH, DEEPEST = 28, 64  # the nodes above the present one, as pairs of left and right
NOTES, NOTE = PATH + 2 * DEEPEST, 5  # of every step: left, right, and the means of left, middle and right


@njit(cache=True)
def search_steps(n_arms: int) -> int:
    r"""Return :math:`T_1 = \lceil 6 \log K \rceil`, the steps of a search among K arms; at least one."""
    return max(math.ceil(6.0 * math.log(float(n_arms))), 1)


def search_memory(n_arms: int, *_: float) -> int:
    """Return the number of values that a policy keeps when it searches among this many arms."""
    return NOTES + NOTE * int(search_steps(n_arms))


@formula
def begin_search(state: State, origin: int, direction: int, size: int, pulls: int) -> None:
    r"""Begin a search with this many pulls in all, among `size` arms from the origin in a direction (1 or -1).

    In each of :math:`T_1` steps three arms are pulled :math:`T_2 = \lfloor T/(3 T_1) \rfloor` times.
    """
    state.memory[ORIGIN:] = 0.0
    state.memory[ORIGIN], state.memory[DIRECTION], state.memory[SIZE] = float(origin), float(direction), float(size)
    state.memory[PULLS] = float(pulls // (3 * search_steps(size)))
    state.memory[RIGHT] = size + 1.0


@formula
def next_in_search(bar: float, state: State) -> int:
    """Return the next arm to pull, or -1 when the search is over."""
    steps = search_steps(int(state.memory[SIZE]))
    while state.memory[STEP] < steps:
        place = _place(state)
        k = int(state.memory[ORIGIN] + state.memory[DIRECTION] * (place - 1))
        if 1 <= place <= state.memory[SIZE] and state.is_open[k] and state.memory[DONE] < state.memory[PULLS]:
            if state.memory[DONE] == 0.0:
                state.memory[BASE] = state.totals[k]
            state.memory[DONE] += 1.0
            return k
        _note(state, place, k)
        if state.memory[PART] == 3.0:
            _move(bar, state)
    return -1


@formula
def _place(state: State) -> int:
    """Return the position of the arm for the current part of a step: left, middle or right."""
    left, right, part = int(state.memory[LEFT]), int(state.memory[RIGHT]), int(state.memory[PART])
    return left if part == 0 else right if part == 2 else (left + right) // 2


@formula
def _note(state: State, place: int, k: int) -> None:
    """Note the mean of the pulls of this part of the step, and go on to the next part."""
    done, row = state.memory[DONE], NOTES + NOTE * int(state.memory[STEP])
    if place == 0 or place > state.memory[SIZE]:
        mean = -math.inf if place == 0 else math.inf
    elif done > 0.0:
        mean = (state.totals[k] - state.memory[BASE]) / done
    else:  # the pool was exhausted before
        mean = state.totals[k] / state.counts[k]
    state.memory[row], state.memory[row + 1] = state.memory[LEFT], state.memory[RIGHT]
    state.memory[row + 2 + int(state.memory[PART])] = mean
    state.memory[PART] += 1.0
    state.memory[DONE] = 0.0


@formula
def _move(bar: float, state: State) -> None:
    """Go to the node of the next step: back if the bar is not between left and right, else to the half that has it."""
    row, path = NOTES + NOTE * int(state.memory[STEP]), PATH + 2 * int(state.memory[DEPTH])
    low, middle, high = state.memory[row + 2], state.memory[row + 3], state.memory[row + 4]
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


@kernel
def crossing(bar: float, state: State) -> int:
    r"""Return the first place above the bar, from 1 to one more than there are arms: the median of what the steps name.

    :cite:p:`cheshire2020`, Choose: every step names at most one arm, that whose mean is nearest to the bar if it is
    within ε, or the right one of two neighbours with the bar between them and ε from both. ε is the larger of
    :math:`2\sqrt{2 \log 48 / T_2}` and the least with which some step names an arm (printed there with μ for the bar).
    Which of several arms within ε a step names, and which of two medians counts (the upper one), are our choice.
    """
    steps, nearest = int(state.memory[STEP]), math.inf
    epsilon = 2.0 * math.sqrt(2.0 * math.log(48.0) / max(state.memory[PULLS], 1.0))
    for i in range(steps):
        for look in range(3):
            nearest = min(nearest, abs(state.memory[NOTES + NOTE * i + 2 + look] - bar))
    named, many = np.empty(max(steps, 1), np.int64), 0
    for attempt in range(2):
        for i in range(steps):
            place = _named(state, i, bar, epsilon)
            if place >= 0:
                named[many] = place
                many += 1
        if many > 0 or attempt == 1:
            break
        epsilon = max(epsilon, nearest)
    return int(np.sort(named[:many])[many // 2]) if many > 0 else int(state.memory[SIZE]) + 1


@formula
def _named(state: State, i: int, bar: float, epsilon: float) -> int:
    """Return the place of the arm that a step names, or -1."""
    row = NOTES + NOTE * i
    left, right = int(state.memory[row]), int(state.memory[row + 1])
    low, middle, high = state.memory[row + 2], state.memory[row + 3], state.memory[row + 4]
    nearest = min(abs(low - bar), abs(middle - bar), abs(high - bar))
    if nearest <= epsilon:
        if abs(low - bar) == nearest:
            return left
        return right if abs(high - bar) == nearest else (left + right) // 2
    if right == left + 1 and low + epsilon < bar <= high - epsilon:
        return right
    return -1
