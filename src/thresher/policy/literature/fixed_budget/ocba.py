"""OCBA for feasibility: track the allocation that ranking and selection calls optimal."""

from __future__ import annotations

from thresher.jit import njit
from thresher.policy.algorithm import Algorithm
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, noise_of, step

LEAST = 1e-12  # least squared gap in units of the variance: without it an arm at its bar would get all pulls


@njit(cache=True)
def ocba_weight(gap: float, noise: float) -> float:
    r"""Return the weight of one arm in the allocation, :math:`\sigma^2 / (\hat\mu - \theta)^2`."""
    variance = max(noise * noise, LEAST)
    return variance / max(gap * gap, LEAST * variance)


@step
def ocba_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm that is farthest behind its share of the plug-in allocation of feasibility determination.

    A share p of T pulls makes a verdict wrong with a chance of about :math:`e^{-p T (\mu - \theta)^2 / (2 \sigma^2)}`;
    the slowest of these falls fastest if all exponents are equal, so that shares are in proportion to
    :math:`\sigma_k^2/(\mu_k - \theta_k)^2`. The problem is that of :cite:p:`szechtman2008`; this derivation of its
    solution is new here. Empirical means are put in, and of :math:`t + 1` pulls the arm that lacks most is next. σ is
    the family's, or the estimate where it is not known.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = ocba_weight(gap_of(known, state, k), noise_of(known, state, k))
    whole = 0.0
    for k in range(state.keys.size):
        whole += state.keys[k] if state.is_open[k] else 0.0
    best, most = -1, 0.0
    for k in range(state.keys.size):
        if state.is_open[k]:
            lack = (turn.pulls + 1) * state.keys[k] / whole - state.counts[k]
            if best < 0 or lack > most:
                best, most = k, lack
    return best


OCBA = Algorithm("ocba", choose=ocba_choose, source="thresher, for the problem of szechtman2008")
