"""PI, the probability of improvement: the verdict most likely to be wrong is looked at next."""

from __future__ import annotations

import math

from thresher.jit import formula
from thresher.policy.algorithm import WITH_POSTERIOR, Algorithm, Parameter
from thresher.policy.literature.fixed_budget.beta import beta_tails
from thresher.policy.rule import RuleSetup, State, Turn, least, step


@formula
def chance_wrong(known: RuleSetup, state: State, k: int) -> float:
    r"""Return the posterior probability that an arm is on the other side of the bar than its mean suggests.

    Under Beta(sθ, s(1-θ)) for 0/1 outcomes (`s` is the first parameter), else under a flat prior, where it is
    :math:`\Phi(-\sqrt n |\hat\mu - \theta| / \sigma)`.
    """
    count, threshold = float(state.counts[k]), known.thresholds[k]
    if not known.is_binary:
        return 0.5 * math.erfc(abs(state.totals[k] / count - threshold) * math.sqrt(0.5 * count) / known.sigma[k])
    a = known.parameters[0] * threshold + state.totals[k]
    b = known.parameters[0] * (1.0 - threshold) + count - state.totals[k]
    below, above = beta_tails(a, b, threshold)
    return min(below, above)


@step
def pi_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose verdict is most likely to be wrong, by its posterior.

    A rule of the same thesis as `bayes-ucb` (:cite:p:`radtke2017`), read in its implementation. With Gaussian arms it
    is `apt`. Its prior is not known to us: Beta(θ, 1-θ), as `bayes-ucb` has it, is our choice.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = -chance_wrong(known, state, k)
    return least(state)


PI = Algorithm(
    "pi",
    choose=pi_choose,
    source="radtke2017",
    parameters=(Parameter("prior", 1.0),),
    families=WITH_POSTERIOR,
)
