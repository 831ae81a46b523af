"""What a policy that looks at all arms is told before it starts, and what it has seen, as compiled code takes it."""

from __future__ import annotations

import math
from typing import NamedTuple

from thresher.jit import njit
from thresher.types import Bools, Floats, Ints

# A step is called by compiled code only. Without an entry from Python it takes half the time to compile.
step = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


class Known(NamedTuple):
    r"""What a policy is told before the first pull; arrays have shape (K,).

    Attributes
    ----------
    is_binary : bool
        Outcomes are 0 and 1.
    thresholds : ndarray of float64
    sigma : ndarray of float64
        :math:`\sigma_k`; 0 where nobody knows it.
    gaps : ndarray of float64
        :math:`|\mu_k - \theta_k|`, in the unit of the outcomes; 0 for every policy that does not need the truth.
    width : float
        Of the range of outcomes, by which rules made for [0, 1] divide; 1 where the range is not bounded.
    parameters : ndarray of float64, shape (P,)
        In the order of the algorithm's own.
    """

    is_binary: bool
    thresholds: Floats
    sigma: Floats
    gaps: Floats
    width: float
    parameters: Floats


class State(NamedTuple):
    r"""What was seen of every arm, and what the policy keeps for itself; arrays have shape (K,) unless said otherwise.

    Attributes
    ----------
    counts, totals, squares : ndarray
        Pulls that have come back, :math:`\sum_i X_i` and :math:`\sum_i (X_i - \theta)^2`.
    is_open : ndarray of bool
        False once all samples in the pool of an arm were asked for, or the policy has done with it.
    keys : ndarray of float64
        The policy's own; mostly a number by which arms are ranked, the least next.
    memory : ndarray of float64, shape (M,)
        The policy's own; zeros at the start of a run.
    """

    counts: Ints
    totals: Floats
    squares: Floats
    is_open: Bools
    keys: Floats
    memory: Floats


class Turn(NamedTuple):
    """When a policy is asked.

    Attributes
    ----------
    pulls, horizon : int
        How many have come back, and how many the budget pays for.
    last : int
        The one arm that may have shown something since the policy was asked last; -1 where several may have, as when it
        is asked for the first time in a run. One pull at a time, it is the arm that was pulled last.
    luck : float
        A number in [0, 1) of this turn's own, for policies that toss coins.
    """

    pulls: int
    horizon: int
    last: int
    luck: float


@njit(cache=True, inline="always")
def first_stale(turn: Turn) -> int:
    """Return the first arm whose key is out of date: the last one to show something, or arm 0 where several have."""
    return max(turn.last, 0)


@njit(cache=True, inline="always")
def end_stale(state: State, turn: Turn) -> int:
    """Return the arm after the last one whose key is out of date."""
    return turn.last + 1 if turn.last >= 0 else state.counts.size


@njit(cache=True, inline="always")
def gap_of(known: Known, state: State, k: int) -> float:
    r"""Return :math:`\hat\mu_k - \theta_k` of an arm that was pulled."""
    return float(state.totals[k] / state.counts[k] - known.thresholds[k])


@njit(cache=True, inline="always")
def variance_of(known: Known, state: State, k: int) -> float:
    r"""Return :math:`\frac1n \sum_i (X_i - \hat\mu)^2` of an arm that was pulled."""
    gap = gap_of(known, state, k)
    return float(max(state.squares[k] / state.counts[k] - gap * gap, 0.0))


@njit(cache=True, inline="always")
def noise_of(known: Known, state: State, k: int) -> float:
    r"""Return :math:`\sigma_k`, or its estimate where nobody knows it."""
    return float(known.sigma[k]) if known.sigma[k] > 0.0 else math.sqrt(variance_of(known, state, k))


@step
def least(state: State) -> int:
    """Return the open arm of least key, the first of equals; -1 if none is open."""
    best, lowest = -1, math.inf
    for k in range(state.keys.size):
        if state.is_open[k] and (state.keys[k] < lowest or best < 0):
            best, lowest = k, state.keys[k]
    return best


@step
def least_pulled(state: State) -> int:
    """Return the open arm with the fewest pulls, the first of equals; -1 if none is open."""
    best, fewest = -1, 0
    for k in range(state.counts.size):
        if state.is_open[k] and (state.counts[k] < fewest or best < 0):
            best, fewest = k, state.counts[k]
    return best
