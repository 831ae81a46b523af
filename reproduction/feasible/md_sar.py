"""MD-SAR: rounds of equal pulls, after each of which the arm of largest margin is left alone."""

from __future__ import annotations

import math

from reproduction.feasible.policy import MD_SAR, SOURCE, FeasiblePolicy, State
from thresher.jit import kernel
from thresher.types import Ints


def md_sar_quota(round_number: int, n_arms: int, horizon: int) -> int:
    r"""Return how often each active arm has been pulled at the end of a round, counted from 1.

    .. math:: n_k = \Big\lceil \frac{T - K}{\overline{\log}(K)\,(K + 1 - k)} \Big\rceil, \qquad
              \overline{\log}(K) = \frac12 + \sum_{i=2}^K \frac1i

    :cite:p:`katz-samuels2018`, Algorithm 2.
    """
    harmonic = 0.5 + sum(1.0 / i for i in range(2, n_arms + 1))
    return math.ceil((horizon - n_arms) / (harmonic * (n_arms + 1 - round_number)))


@kernel
def md_sar_close(state: State, quotas: Ints) -> bool:
    """End the rounds whose pulls are done, each with the arm of largest margin left alone; return whether all are over.

    :cite:p:`katz-samuels2018`, Algorithm 2: K - 1 rounds. Of equal margins the lowest arm is left alone, which the
    paper leaves open; what the rounding leaves of the budget is not spent.
    """
    n_arms = state.keys.size
    while state.rounds[0] < n_arms - 1 and state.keys.min() >= quotas[state.rounds[0]]:
        farthest = -1
        for k in range(n_arms):
            if state.keys[k] < math.inf and (farthest < 0 or state.margins[k] > state.margins[farthest]):
                farthest = k
        state.keys[farthest] = math.inf
        state.rounds[0] += 1
    return bool(state.rounds[0] >= n_arms - 1)


def md_sar(horizon: int = 0) -> FeasiblePolicy:
    """Return the active arm with the fewest pulls; after each of K - 1 rounds that of largest margin is left alone."""
    return FeasiblePolicy("md-sar", MD_SAR, f"{SOURCE}, Algorithm 2", horizon=horizon, needs_horizon=True)
