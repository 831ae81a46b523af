"""MTB, for arms in the order of their means: a binary search that takes steps back."""

from __future__ import annotations

import numpy as np

from thresher.jit import kernel
from thresher.policy.algorithm import Algorithm
from thresher.policy.literature.fixed_budget.search import (
    begin_search,
    crossing,
    next_in_search,
    search_memory,
    search_steps,
)
from thresher.policy.policy import Traits
from thresher.policy.rule import RuleSetup, State, Turn, step
from thresher.problem import Problem


@step
def mtb_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the next arm of a binary search for the bar among arms in increasing order, with steps back.

    :cite:p:`cheshire2020`, Explore: in each of :math:`T_1` steps the left, middle and right arm of a node are pulled
    :math:`T_2 = \lfloor T / (3 T_1) \rfloor` times. If the bar is not between the means of left and right the search
    goes back to the node above, at a leaf (neighbours) it stays, else it goes to the half that has the bar. Arms of
    mean :math:`\pm\infty` beyond both ends take no pulls. There is one bar for all arms, whose means must not
    decrease.
    """
    if turn.is_first:
        begin_search(state, 0, 1, state.counts.size, known.horizon)
    return next_in_search(known.thresholds[0], state)


@kernel  # it makes arrays
def mtb_conclude(known: RuleSetup, state: State) -> None:
    """Fill in the verdicts: above from the arm on which the steps of the search agree."""
    first = crossing(known.thresholds[0], state)
    for k in range(state.verdicts.size):
        state.verdicts[k] = 1 if k + 1 >= first else -1


def _why_not(problem: Problem) -> str | None:
    if (problem.thresholds != problem.thresholds[0]).any():
        return "it needs one bar for all arms"
    if problem.population is not None or (np.diff(problem.means) < 0.0).any():
        return "it needs arms in the order of their means"
    return None


MTB = Algorithm(
    "mtb",
    choose=mtb_choose,
    conclude=mtb_conclude,
    source="cheshire2020, Explore and Choose",
    first_pulls=0,
    least_pulls=lambda n_arms: 3 * int(search_steps(n_arms)),
    memory=search_memory,
    why_not=_why_not,
    traits=Traits(needs_horizon=True, in_flight=False),
)
