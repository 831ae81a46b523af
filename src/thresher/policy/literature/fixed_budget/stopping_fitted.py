"""The stopping index under a population that is fitted to all arms."""

from __future__ import annotations

from thresher.jit import kernel
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.goals import BY_STOPPING, evidence_by
from thresher.policy.literature.fixed_budget.fitted import GRID, Fit, Trust, weigh_by_population
from thresher.policy.policy import Traits
from thresher.policy.ranking import arm_index, rule_of
from thresher.policy.rule import RuleSetup, State, Turn, least

SIZE = GRID.size


@kernel  # it makes arrays
def stopping_fitted_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the arm of least stopping index under a population of gaps fitted to all arms and to a flat prior.

    Ours, for outcomes whose mean is about normal: near a bar of 0 or 1 the two sides of a 0/1 arm are too unlike for
    one gap. The flat prior has the weight of `arms` arms. The more of them and the less of the weights' logarithm that
    counts (`share`, 0 to 1), the closer to `stopping`;
    :func:`~thresher.policy.literature.fixed_budget.fitted.log_price_ratio` has the weights.
    """
    n, memory = state.counts.size, state.memory
    indices, sizes, evidences, logs = memory[:n], memory[n : 2 * n], memory[2 * n : 3 * n], memory[3 * n : 4 * n]
    rest = memory[4 * n :]
    fit = Fit(
        rest[:SIZE], rest[SIZE : 2 * SIZE], rest[2 * SIZE : (2 + n) * SIZE].reshape(n, SIZE), rest[(2 + n) * SIZE :]
    )
    for i in range(turn.n_changed):
        k = state.changed[i]
        rule, count = rule_of(known.ranking, k), float(state.counts[k])
        sizes[k] = count + rule.pseudo_count
        evidences[k] = evidence_by(rule, count, state.totals[k], state.squares[k])
        indices[k] = arm_index(rule, count, state.totals[k], state.squares[k])
    if turn.n_changed > 0:
        last = -1 if turn.is_first else state.changed[0]
        trust = Trust(known.parameters[0], known.parameters[1])
        weigh_by_population(sizes, evidences, state.counts, last, trust, fit, logs)
    for k in range(n):
        state.keys[k] = indices[k] - logs[k]
    return least(state)


STOPPING_FITTED = Algorithm(
    "stopping-fitted",
    choose=stopping_fitted_choose,
    source="thresher; the stopping index with an empirical Bayes prior",
    parameters=(Parameter("arms", 60.0, low=1.0, is_open=False), Parameter("share", 0.5, high=1.0, is_open=False)),
    families=("gaussian", "gaussian-unknown-variance", "bounded"),  # a population is fitted by a normal likelihood
    traits=Traits(in_flight=False),
    memory=lambda n_arms, *_: 4 * n_arms + (2 + n_arms) * SIZE + 1,
    index=BY_STOPPING,
)
