"""lil'HDoC: HDoC with an interval that narrows as the law of the iterated logarithm allows."""

from __future__ import annotations

from thresher.policy.algorithm import KNOWN_NOISE, Algorithm, Parameter
from thresher.policy.literature.fixed_confidence.good_arms import next_good_arm, settle_good_arm
from thresher.policy.literature.fixed_confidence.hdoc import hdoc_score
from thresher.policy.literature.fixed_confidence.outputs import gap_at
from thresher.policy.literature.fixed_confidence.warm_up import first_rounds, lil_radius
from thresher.policy.policy import ANY_MISTAKE, Stop, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step
from thresher.problem import Problem


@step
def lil_hdoc_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the open arm of highest score of HDoC, after some first pulls of every arm in turn.

    :cite:p:`tsai2024`, Algorithm 1. The interval is
    :func:`~thresher.policy.literature.fixed_confidence.warm_up.lil_radius`, the score that of HDoC. `epsilon` is ε in
    (0, 1): the promise holds for every one. `first` are the first pulls of every arm, during which no arm is judged; 0
    for the least number from which on the interval is narrower than HDoC's. What was read of the paper are its abstract
    and its supplement: how it chooses ε is not verified, and 0.01 was chosen here, about where the first pulls are
    fewest for ten arms and δ = 0.05.
    """
    n_arms = state.keys.size
    if turn.pulls < known.parameters[1] * n_arms:
        return int(turn.pulls % n_arms)
    for k in range(n_arms):
        if state.verdicts[k] == 0:
            state.keys[k] = hdoc_score(gap_at(state, k), float(state.counts[k]), known.sigma[k], float(turn.pulls))
    return next_good_arm(state)


@step
def lil_hdoc_learn(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:  # noqa: ARG001
    """Judge the arm just pulled by its interval, once it has had its first pulls; return whether no arm is left."""
    count, n_arms = float(state.counts[k]), float(state.keys.size)
    if count < known.parameters[1]:
        return False
    return settle_good_arm(state, k, lil_radius(count, known.sigma[k], n_arms, known.alpha, known.parameters[0]))


def _rounds(problem: Problem, stop: Stop, values: tuple[float, ...]) -> tuple[float, ...]:
    """Return ε and the first pulls of every arm."""
    epsilon, first = values
    return epsilon, first or float(first_rounds(epsilon, problem.n_arms, stop.alpha))


LIL_HDOC = Algorithm(
    "lil-hdoc",
    choose=lil_hdoc_choose,
    learn=lil_hdoc_learn,
    conclude=keep_verdicts,
    source="tsai2024, Algorithm 1",
    parameters=(Parameter("epsilon", 0.01, high=1.0), Parameter("first", 0.0, is_open=False, is_whole=True)),
    prepare=_rounds,
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_MISTAKE),
    counts_from_bar=True,
)
