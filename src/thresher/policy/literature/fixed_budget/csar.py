"""CSAR, combinatorial successive accepts and rejects, for the question which arms are above the bar."""

from __future__ import annotations

import math

from thresher.jit import formula, njit
from thresher.policy.algorithm import Algorithm
from thresher.policy.policy import Traits
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least_pulled, step

PHASE, QUOTA = 0, 1  # places in the memory: the phase under way, and the pulls of each active arm at its end


@njit(cache=True)
def csar_quota(phase: int, n_arms: int, horizon: int) -> float:
    r"""Return how often each active arm has been pulled at the end of a phase, counted from 1.

    .. math:: n_p = \Big\lceil \frac{T - K}{\overline{\log}(K)\,(K + 1 - p)} \Big\rceil, \qquad
              \overline{\log}(K) = \sum_{i=1}^K \frac1i
    """
    harmonic = 0.0
    for i in range(1, n_arms + 1):
        harmonic += 1.0 / i
    return math.ceil((horizon - n_arms) / (harmonic * (n_arms + 1 - phase)))


@step
def csar_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the active arm with the fewest pulls; after each of K phases the arm farthest from the bar is settled.

    :cite:p:`chen2014`, for the sets of all arms: a decision about an arm is surest where
    :math:`|\hat\mu - \theta|` is largest; :cite:p:`locatelli2016` compares with it under this name. The paper was not
    read. That the phases have these lengths (:func:`csar_quota`) is confirmed by the curves that
    :cite:p:`locatelli2016` publishes, which come out (``python -m reproduction locatelli2016``). What the rounding
    leaves of the budget is not spent.
    """
    if turn.is_first:
        _begin_phase(state, 1, known.horizon)
    k = least_pulled(state)
    while k >= 0 and state.counts[k] >= state.memory[QUOTA]:
        state.is_open[_farthest(known, state)] = False
        if state.memory[PHASE] < state.counts.size:
            _begin_phase(state, int(state.memory[PHASE]) + 1, known.horizon)
        k = least_pulled(state)
    return k


@formula
def _begin_phase(state: State, phase: int, horizon: int) -> None:
    state.memory[PHASE] = float(phase)
    state.memory[QUOTA] = csar_quota(phase, state.counts.size, horizon)


@formula
def _farthest(known: RuleSetup, state: State) -> int:
    """Return the open arm whose mean is farthest from the bar, the first of equals."""
    best, largest = -1, -1.0
    for k in range(state.counts.size):
        if state.is_open[k] and abs(gap_of(known, state, k)) > largest:
            best, largest = k, abs(gap_of(known, state, k))
    return best


CSAR = Algorithm(
    "csar",
    choose=csar_choose,
    source="chen2014; locatelli2016",
    traits=Traits(needs_horizon=True, in_flight=False),
)
