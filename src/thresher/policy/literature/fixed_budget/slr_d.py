"""SLR-D: SLR with forced exploration."""

from __future__ import annotations

import math

from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.literature.fixed_budget.slr import slr_formula
from thresher.policy.rule import RuleSetup, State, Turn, least, least_pulled, step


@step
def slr_d_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm of least likelihood ratio, or one that lags behind: fewer than √t - K/2 pulls.

    As `slr`, from the same thesis (:cite:p:`radtke2017`); the forced exploration is that of D-tracking.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = slr_formula(known, state, k, known.parameters[0])
    rarest = least_pulled(state)
    if rarest >= 0 and state.counts[rarest] < math.sqrt(float(turn.pulls)) - 0.5 * state.counts.size:
        return rarest
    return least(state)


SLR_D = Algorithm(
    "slr-d",
    choose=slr_d_choose,
    source="radtke2017",
    parameters=(Parameter("epsilon", 0.0, is_open=False),),
)
