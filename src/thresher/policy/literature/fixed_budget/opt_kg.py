"""Opt-KG, the optimistic knowledge gradient: the largest gain that one more outcome may bring."""

from __future__ import annotations

from thresher.jit import njit
from thresher.policy.algorithm import BINARY, Algorithm, Parameter
from thresher.policy.literature.fixed_budget.gain import conclude_by_posterior, gains_of
from thresher.policy.rule import RuleSetup, State, Turn, least, step


@njit(cache=True)
def opt_kg_formula(a: float, b: float, threshold: float) -> float:
    r"""Return the gain of the better outcome, :math:`\max(R_1, R_2)`: always positive."""
    by_one, by_zero = gains_of(a, b, threshold)
    return max(by_one, by_zero)


@step
def opt_kg_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose next outcome may gain most: the optimistic knowledge gradient.

    :cite:p:`chen2013`, Algorithm 1, for 0/1 outcomes and the prior Beta(a, b); equals go to the lowest arm. A bar other
    than ½ was added here. The verdict is the likelier side under the posterior; where both are equally likely, below
    (in the paper above).
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        a = known.parameters[0] + state.totals[k]
        b = known.parameters[1] + state.counts[k] - state.totals[k]
        state.keys[k] = -opt_kg_formula(a, b, known.thresholds[k])
    return least(state)


OPT_KG = Algorithm(
    "opt-kg",
    choose=opt_kg_choose,
    conclude=conclude_by_posterior,
    source="chen2013, Algorithm 1",
    parameters=(Parameter("a", 1.0), Parameter("b", 1.0)),
    families=BINARY,
)
