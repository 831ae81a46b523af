"""Shared parts of fixed-confidence rules: sums relative to the bar, and arms that are output one by one.

Everything is counted from the bar: the gap of an arm is its empirical mean minus its own threshold, so that bars may
differ from arm to arm where the papers have one for all.
"""

from __future__ import annotations

from thresher.jit import formula
from thresher.policy.rule import State


@formula
def gap_at(state: State, k: int) -> float:
    """Return the empirical mean of an arm that was pulled, counted from its bar."""
    return float(state.totals[k] / state.counts[k])


@formula
def output(state: State, k: int) -> None:
    """Output an arm as above its bar."""
    state.verdicts[k] = 1
    state.outputs[0] += 1
