"""Uniform sampling at random: every pull goes to an arm drawn at random."""

from __future__ import annotations

from thresher.policy.algorithm import ALL, Algorithm
from thresher.policy.policy import Traits
from thresher.policy.rule import RuleSetup, State, Turn, step
from thresher.streams import uniform, word_at

PLACE = 0  # place in the memory: of the next random number


@step
def uniform_iid_choose(known: RuleSetup, state: State, turn: Turn) -> int:  # noqa: ARG001
    """Return an arm drawn uniformly at random among the open arms."""
    n_arms, is_any_open = state.counts.size, False
    if turn.n_changed > 0:
        state.memory[PLACE] += 1.0
    while True:
        k = int(uniform(word_at(turn.choices, int(state.memory[PLACE]))) * n_arms)
        if state.is_open[k]:
            return k
        for j in range(n_arms):
            is_any_open = is_any_open or state.is_open[j]
        if not is_any_open:
            return -1
        state.memory[PLACE] += 1.0


UNIFORM_IID = Algorithm(
    "uniform-iid",
    choose=uniform_iid_choose,
    source="locatelli2016, baseline UA",
    families=(*ALL, "two-point"),
    traits=Traits(in_flight=False, peak=True),
    first_pulls=0,
)
