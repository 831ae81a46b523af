"""The arm of least key among many: a knock-out tournament, in which an arm whose key has changed plays again.

The first places of the memory of a rule hold the winners: those of the leaves from the middle on, that of all at 1.
"""

from __future__ import annotations

import math

from thresher.jit import formula
from thresher.policy.rule import State


def leaves_of(n_arms: int) -> int:
    """Return the least power of two that is at least the number of arms: the leaves of their tournament."""
    return 1 << max(n_arms - 1, 0).bit_length()


@formula
def start(state: State, leaves: int) -> None:
    """Set all keys to minus infinity; the first arm wins."""
    state.keys[:] = -math.inf
    for i in range(leaves):
        state.memory[leaves + i] = float(i) if i < state.keys.size else -1.0
    for i in range(leaves - 1, 0, -1):
        state.memory[i] = state.memory[2 * i]


@formula
def play_again(state: State, leaves: int, k: int) -> None:
    """Play the matches of an arm whose key has changed; the first of equals wins."""
    node = (leaves + k) // 2
    while node > 0:
        left, right = int(state.memory[2 * node]), int(state.memory[2 * node + 1])
        state.memory[node] = right if right >= 0 and state.keys[right] < state.keys[left] else left
        node //= 2


@formula
def winner(state: State, ceiling: float) -> int:
    """Return the arm of least key; -1 if it is at the ceiling."""
    best = int(state.memory[1])
    return best if state.keys[best] < ceiling else -1
