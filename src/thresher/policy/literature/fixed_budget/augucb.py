"""AugUCB, which uses variances and eliminates arms whose side is clear."""

from __future__ import annotations

import math

from thresher.jit import formula, njit
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.policy import Traits
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least, step, variance_of
from thresher.problem import Problem

ROUND, EPSILON, END, FACTOR = 0, 1, 2, 3  # places in the memory
FEWEST = 5  # arms: near four of them the factor ψ has a pole


@njit(cache=True)
def augucb_psi(epsilon: float, n_arms: int, horizon: int) -> float:
    r"""Return :math:`\psi_m = T \epsilon_m / \big(128\, (\log(\tfrac{3}{16} K \log K))^2\big)`."""
    logarithm = math.log(3.0 / 16.0 * n_arms * math.log(n_arms))
    return horizon * epsilon / (128.0 * logarithm * logarithm)


@njit(cache=True)
def augucb_width(count: float, variance: float, factor: float) -> float:
    r"""Return :math:`s = \sqrt{\rho \psi_m \log(T \epsilon_m) (\hat v + 1) / (4n)}`, the first three as a factor."""
    return math.sqrt(factor * (variance + 1.0) / (4.0 * count))


@step
def augucb_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the active arm of least :math:`|\hat\mu - \theta| - 2s`; arms clear of the bar by 2s are left.

    :cite:p:`mukherjee2017`, Algorithm 1: in round m :math:`\epsilon_m = 2^{-m}`, and a round of
    :math:`\lceil 2 \psi_m \log(T\epsilon_m)/\epsilon_m \rceil` pulls of each active arm ends with new widths; there are
    :math:`\lfloor \tfrac12 \log_2(T/e) \rfloor` of them. Not verified in the paper: all of this was read in an
    implementation that was written from it. Outcomes are treated as numbers in [0, 1], those of a bounded family
    divided by their range. When no arm is active the rest of the budget is not spent.
    """
    n_arms, everything = known.thresholds.size, turn.is_first
    if everything:
        state.memory[EPSILON] = 1.0
        _begin_round(known, state, turn)
    else:
        for i in range(turn.n_changed):
            _update(known, state, state.changed[i])
    rounds = math.floor(0.5 * math.log2(known.horizon / math.e))
    if turn.pulls >= state.memory[END] and state.memory[ROUND] <= rounds:
        state.memory[EPSILON] *= 0.5
        state.memory[ROUND] += 1.0
        _begin_round(known, state, turn)
        everything = True
    if everything:
        for k in range(n_arms):
            _update(known, state, k)
    return least(state)


@formula
def _begin_round(known: RuleSetup, state: State, turn: Turn) -> None:
    """Set the factor of the widths and the pull at which the round ends."""
    epsilon, n_arms, active = state.memory[EPSILON], known.thresholds.size, 0
    for k in range(n_arms):
        active += state.is_open[k]
    psi, logarithm = augucb_psi(epsilon, n_arms, known.horizon), math.log(known.horizon * epsilon)
    first = 0 if turn.is_first else turn.pulls
    state.memory[END] = first + active * math.ceil(2.0 * psi * logarithm / epsilon)
    state.memory[FACTOR] = known.parameters[0] * psi * logarithm


@formula
def _update(known: RuleSetup, state: State, k: int) -> None:
    """Rank an arm, or eliminate it if it is clear of the bar."""
    gap = abs(gap_of(known, state, k)) / known.width
    variance = variance_of(known, state, k) / (known.width * known.width)
    width = augucb_width(float(state.counts[k]), variance, state.memory[FACTOR])
    state.keys[k] = gap - 2.0 * width
    if state.keys[k] > 0.0:
        state.is_open[k] = False


def _why_not(problem: Problem) -> str | None:
    return None if problem.n_arms >= FEWEST else f"it needs at least {FEWEST} arms"


AUGUCB = Algorithm(
    "augucb",
    choose=augucb_choose,
    source="mukherjee2017, Algorithm 1",
    parameters=(Parameter("rho", 1.0 / 3.0),),
    why_not=_why_not,
    traits=Traits(needs_horizon=True, in_flight=False),
)
