"""EVT, empirical-variance-guided thresholding."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least, step, variance_of


@njit(cache=True)
def evt_formula(gap: float, variance: float, count: float, a: float) -> float:
    r"""Return the EVT index of one arm; the least is pulled next.

    .. math:: \frac{|\hat\mu - \theta|}{a/n + \sqrt{a/n}\;\hat\sigma}
    """
    share = a / count
    return abs(gap) / (share + math.sqrt(share * variance))


@step
def evt_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose mean is fewest of its own widths from the bar; widths follow the empirical variance.

    :cite:p:`zhong2017`: two pulls of every arm, then the least :func:`evt_formula`, with the variance over n. Not
    verified in the paper, nor is a value of `a` known from it: 1 is ours. Outcomes are treated as numbers in [0, 1],
    those of a bounded family divided by their range.

    With pulls in flight (``--in-flight M --delays random``) it is the same index of the outcomes that have come back,
    with n counting those alone. This form is ours; the paper has an asynchronous one, which was not read.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        variance = variance_of(known, state, k) / (known.width * known.width)
        gap = gap_of(known, state, k) / known.width
        state.keys[k] = evt_formula(gap, variance, float(state.counts[k]), known.parameters[0])
    return least(state)


EVT = Algorithm("evt", choose=evt_choose, source="zhong2017", parameters=(Parameter("a", 1.0),), first_pulls=2)
