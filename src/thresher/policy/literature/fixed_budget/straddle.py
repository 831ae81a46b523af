"""Straddle, the rule of level-set estimation, for independent arms."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least, noise_of, step


@njit(cache=True)
def straddle_formula(gap: float, noise: float, count: float, width: float) -> float:
    r"""Return minus the ambiguity of one arm, :math:`|\hat\mu - \theta| - w \sigma / \sqrt n`; the least is next."""
    return abs(gap) - width * noise / math.sqrt(count)


@step
def straddle_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose interval reaches farthest beyond the bar.

    The straddle rule as :cite:p:`gotovos2013` quotes it, with w = 1.96; second-hand. There the arms share a Gaussian
    process; independent arms with a flat prior, as here, have :math:`\hat\mu` and :math:`\sigma/\sqrt n`.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        gap, noise = gap_of(known, state, k), noise_of(known, state, k)
        state.keys[k] = straddle_formula(gap, noise, float(state.counts[k]), known.parameters[0])
    return least(state)


STRADDLE = Algorithm(
    "straddle",
    choose=straddle_choose,
    source="gotovos2013",
    parameters=(Parameter("width", 1.96),),
)
