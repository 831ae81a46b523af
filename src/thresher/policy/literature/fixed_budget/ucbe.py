"""UCBE, an upper-confidence rule that is given the complexity of the problem."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.policy import Traits
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least, step


@njit(cache=True)
def ucbe_formula(gap: float, count: float, a: float, epsilon: float) -> float:
    r"""Return the UCBE index of one arm; the least is pulled next.

    .. math:: |\hat\mu - \theta| + \epsilon - \sqrt{a / n}
    """
    return abs(gap) + epsilon - math.sqrt(a / count)


@step
def ucbe_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm nearest to the bar less a bonus for few pulls, which is set by the true difficulty.

    .. math:: a = s\,\frac{T - K}{H_\epsilon}, \qquad H_\epsilon = \sum_k (|\mu_k - \theta_k| + \epsilon)^{-2}

    :cite:p:`locatelli2016`: UCBE(4^i) has :math:`s = 4^i`; their experiments have i = -1, 0 and 4. An arm
    on its bar makes :math:`H_0` infinite and the bonus 0.
    """
    scale, epsilon = known.parameters[0], known.parameters[1]
    if turn.is_first:
        difficulty = 0.0
        for k in range(known.gaps.size):
            gap = known.gaps[k] + epsilon
            difficulty += 1.0 / (gap * gap) if gap > 0.0 else math.inf
        state.memory[0] = scale * (known.horizon - known.gaps.size) / difficulty
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = ucbe_formula(gap_of(known, state, k), float(state.counts[k]), state.memory[0], epsilon)
    return least(state)


UCBE = Algorithm(
    "ucbe",
    choose=ucbe_choose,
    source="locatelli2016",
    parameters=(Parameter("scale", 1.0), Parameter("epsilon", 0.0, is_open=False)),
    traits=Traits(needs_truth=True, needs_horizon=True),
)
