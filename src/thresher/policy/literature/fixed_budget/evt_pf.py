"""The parameter-free form of EVT, empirical-variance-guided thresholding."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least, step, variance_of


@njit(cache=True)
def evt_pf_formula(gap: float, variance: float, count: float, epsilon: float) -> float:
    r"""Return the parameter-free EVT index of one arm; the least is pulled next.

    .. math:: \sqrt n \Big( \sqrt{\hat\sigma^2 + |\hat\mu - \theta| + \epsilon} - \hat\sigma \Big)
    """
    return math.sqrt(count) * (math.sqrt(variance + abs(gap) + epsilon) - math.sqrt(variance))


@step
def evt_pf_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm of least evidence in Bernstein's sense: gaps count less where the empirical variance is large.

    :cite:p:`zhong2017`: two pulls of every arm, then the least :func:`evt_pf_formula`, with the variance over n. Not
    verified in the paper; it equals the public implementation of :cite:p:`radtke2017`, which has the ε too. Outcomes
    are treated as numbers in [0, 1], those of a bounded family divided by their range.

    With pulls in flight (``--in-flight M --delays random``) it is the same index of the outcomes that have come back,
    with n counting those alone. This form was written here; the paper has an asynchronous one, which was not read, and
    a form with a parameter, which was found in no text and is left out.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        variance = variance_of(known, state, k) / (known.width * known.width)
        gap = gap_of(known, state, k) / known.width
        state.keys[k] = evt_pf_formula(gap, variance, float(state.counts[k]), known.parameters[0])
    return least(state)


EVT_PF = Algorithm(
    "evt-pf",
    choose=evt_pf_choose,
    source="zhong2017",
    parameters=(Parameter("epsilon", 0.0, is_open=False),),
    first_pulls=2,
)
