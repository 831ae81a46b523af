"""Randomised straddle: the width of the intervals is drawn again for every choice."""

from __future__ import annotations

import math

from thresher.policy.algorithm import Algorithm
from thresher.policy.literature.fixed_budget.straddle import straddle_formula
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least, noise_of, random_number, step


@step
def randomised_straddle_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose interval reaches farthest beyond the bar, with a width drawn for this choice.

    :cite:p:`inatsu2024`: :math:`\sqrt{\beta_t}\,\sigma/\sqrt n - |\hat\mu - \theta|` is largest, with
    :math:`\beta_t \sim \chi^2_2`, that is :math:`\beta_t = -2 \log U`. There the arms share a Gaussian process; here
    they are independent with a flat prior. The abstract states the rule: the straddle with :math:`\beta_t` drawn from
    the chi-squared distribution with two degrees of freedom.
    """
    width = math.sqrt(-2.0 * math.log(1.0 - random_number(turn)))
    for k in range(state.keys.size):
        gap, noise = gap_of(known, state, k), noise_of(known, state, k)
        state.keys[k] = straddle_formula(gap, noise, float(state.counts[k]), width)
    return least(state)


RANDOMISED_STRADDLE = Algorithm("randomised-straddle", choose=randomised_straddle_choose, source="inatsu2024")
