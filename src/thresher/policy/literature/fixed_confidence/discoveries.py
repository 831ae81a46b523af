r"""Discoveries: which arms are above the bar, with few false ones among those output.

:cite:p:`jamieson2018`, Algorithm 1. The arms output at any time are those that the procedure of Benjamini and Hochberg
rejects with anytime-valid p-values; the arm pulled is the one outside of them with the highest upper limit. The rule
goes on forever: the paper asks how many pulls it takes until most arms above the bar are found, and simulations end
when all are. Formulas and constants were read in a public implementation, not in the paper.
"""

from __future__ import annotations

import math

from thresher.errors import InvalidInputError
from thresher.jit import formula, njit
from thresher.policy.algorithm import Parameter
from thresher.policy.literature.fixed_confidence.outputs import gap_at, output
from thresher.policy.policy import Stop
from thresher.policy.rule import RuleSetup, State, Turn
from thresher.problem import Problem

STEP, TURN, RANKS = 0, 1, 2  # places in the memory: the size of S, whose turn it is, and the rank of each arm
FIND = Parameter("find", 0.0, words=("most", "all"))


def discovery_memory(n_arms: int, *_: float) -> int:
    """Return how many numbers the rules keep for themselves."""
    return RANKS + n_arms


def check_target(problem: Problem, stop: Stop, values: tuple[float, ...]) -> tuple[float, ...]:  # noqa: ARG001
    """Return the parameters, after checking that they allow this error rate."""
    if values[0] == 1.0 and stop.alpha >= 0.25:
        raise InvalidInputError("alpha", stop.alpha, rule="must be below 0.25 to find all arms", fix="or use find=most")
    return values


@njit(cache=True)
def discovery_radius(count: float, sigma: float, delta: float) -> float:
    r"""Return half the width of the intervals, valid for all n at once.

    .. math:: \phi(n, \delta) = \sigma \sqrt{\frac{2 \log \frac1\delta + 6 \log\log \frac1\delta
              + 3 \log\log \frac{e n}{2}}{n}}

    :cite:p:`jamieson2018`, section 4 (experiments), there for :math:`\sigma = 1`. Where δ is so close to 1 that the
    numerator is negative it is set to 0.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    sigma : float
        :math:`\sigma > 0`, sub-Gaussian.
    delta : float
        δ in (0, 1).
    """
    level = math.log(1.0 / delta)
    square = 2.0 * level + 6.0 * math.log(level) + 3.0 * math.log(1.0 + math.log(0.5 * count))
    return sigma * math.sqrt(max(square, 0.0) / count)


@njit(cache=True)
def corrected(delta: float) -> float:
    r"""Return :math:`\delta' = \delta / (6.4 \log(36/\delta))`, with which the share of false outputs is at most δ."""
    return delta / (6.4 * math.log(36.0 / delta))


@njit(cache=True)
def rank_of(gap: float, count: float, sigma: float, delta: float, n_arms: int) -> int:
    r"""Return the least k at which the lower limit :math:`\hat\mu - \phi(n, \delta' k / K)` clears the bar.

    K + 1 if there is none. It is the anytime-valid p-value of the arm, rounded up to the next of the levels that
    Benjamini and Hochberg compare it with.
    """
    if gap <= 0.0 or gap < discovery_radius(count, sigma, delta):
        return n_arms + 1
    low, high = 0, n_arms
    while high - low > 1:
        middle = (low + high) // 2
        if gap >= discovery_radius(count, sigma, delta * middle / n_arms):
            high = middle
        else:
            low = middle
    return high


@njit(cache=True)
def family_level(n_arms: int, discovered: int, delta: float) -> float:
    r"""Return by how much δ is divided for an output that is false with probability at most δ in all.

    .. math:: \chi = K - (1 - 2 \delta' (1 + 4 \delta')) |S|
              + \tfrac43 (1 + 4 \delta') \log \frac{5 \log_2(K/\delta')}{\delta'}

    :cite:p:`jamieson2018`, Algorithm 1 (FWER), with δ' in place of δ as in the public implementation.
    """
    corrections = 1.0 + 4.0 * delta
    return (
        n_arms
        - (1.0 - 2.0 * delta * corrections) * discovered
        + 4.0 / 3.0 * corrections * math.log(5.0 * math.log2(n_arms / delta) / delta)
    )


@njit(cache=True)
def discovery_level(delta: float, discovered: int, is_inside: bool, for_all: bool) -> float:
    r"""Return by how much δ is divided in the limits by which arms are pulled.

    1 if a share of the arms above the bar is to be found; if all of them are (the paper's FWPD), outside of S and
    inside

    .. math:: \xi = \max\Big(2 |S|, \frac{5}{3 (1 - 4\delta)} \log \frac1\delta\Big), \qquad \nu = \max(|S|, 1)
    """
    if not for_all:
        return 1.0
    if is_inside:
        return max(float(discovered), 1.0)
    return max(2.0 * discovered, 5.0 / (3.0 * (1.0 - 4.0 * delta)) * math.log(1.0 / delta))


@formula
def is_discovered(state: State, k: int) -> bool:
    """Return whether an arm is in the set S."""
    return bool(0.0 < state.memory[RANKS + k] <= state.memory[STEP])


@formula
def largest_step(state: State) -> int:
    """Return the largest k such that at least k arms have a rank of at most k: where Benjamini and Hochberg stop."""
    for k in range(state.keys.size, 0, -1):
        at_most = 0
        for j in range(state.keys.size):
            if 0.0 < state.memory[RANKS + j] <= k:
                at_most += 1
        if at_most >= k:
            return k
    return 0


@formula
def settle_discovery(known: RuleSetup, state: State, turn: Turn, k: int, for_family: bool) -> bool:
    """Update the set S after a pull and output arms; return whether all arms are output.

    Parameters
    ----------
    known : RuleSetup
    state : State
    turn : Turn
    k : int
        The arm just pulled.
    for_family : bool
        Output an arm of S only if it clears the bar at the level of the whole family.
    """
    n_arms, alpha = state.keys.size, corrected(known.alpha)
    rank = float(rank_of(gap_at(state, k), float(state.counts[k]), known.sigma[k], alpha, n_arms))
    moved = rank != state.memory[RANKS + k]
    state.memory[RANKS + k] = rank
    if moved:
        state.memory[STEP] = largest_step(state)
    discovered, waiting = 0, 0
    for j in range(n_arms):
        if is_discovered(state, j):
            discovered += 1
    if for_family:
        waiting = _output_sure(known, state, discovered, alpha)
    else:
        _output_all(state)
    for j in range(n_arms):
        if (moved or j == k) and state.counts[j] > 0:
            state.keys[j] = _score(known, state, j, discovered)
    is_first = state.memory[TURN] == 0.0 and turn.pulls > n_arms
    state.memory[TURN] = 1.0 if is_first and waiting > 0 else 0.0
    return bool(state.outputs[0] == n_arms)


@formula
def _output_all(state: State) -> None:
    """Output every arm of S."""
    for j in range(state.keys.size):
        if state.verdicts[j] == 0 and is_discovered(state, j):
            output(state, j)


@formula
def _output_sure(known: RuleSetup, state: State, discovered: int, alpha: float) -> int:
    """Output the arms of S that clear the bar at the level of the whole family; return how many of S are left."""
    level, waiting = family_level(state.keys.size, discovered, alpha), 0
    for j in range(state.keys.size):
        if state.verdicts[j] == 0 and is_discovered(state, j):
            radius = discovery_radius(float(state.counts[j]), known.sigma[j], known.alpha / level)
            if gap_at(state, j) >= radius:
                output(state, j)
            else:
                waiting += 1
    return waiting


@formula
def _score(known: RuleSetup, state: State, j: int, discovered: int) -> float:
    """Return the upper limit by which an arm is pulled."""
    level = discovery_level(known.alpha, discovered, is_discovered(state, j), known.parameters[0] == 1.0)
    return gap_at(state, j) + discovery_radius(float(state.counts[j]), known.sigma[j], known.alpha / level)


@formula
def next_to_discover(state: State) -> int:
    """Return the arm of highest score outside of S; on the other turn, in S but not output (ties: lowest arm).

    Where there is no such arm, one of the others.
    """
    best, other = -1, -1
    for j in range(state.keys.size):
        if state.verdicts[j] == 0:
            if is_discovered(state, j) == (state.memory[TURN] == 1.0):
                if best < 0 or state.keys[j] > state.keys[best]:
                    best = j
            elif other < 0 or state.keys[j] > state.keys[other]:
                other = j
    return best if best >= 0 else other
