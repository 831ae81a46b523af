"""SLR, the simple likelihood ratio: the arm with the least evidence against the bar."""

from __future__ import annotations

import math

from thresher.inference import kl_evidence
from thresher.jit import formula
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.rule import RuleSetup, State, Turn, gap_of, least, step, variance_of


@formula
def slr_formula(known: RuleSetup, state: State, k: int, epsilon: float) -> float:
    r"""Return the log likelihood ratio of an arm's outcomes against a bar that is ε farther away.

    .. math:: n \operatorname{kl}(\hat\mu, \theta \mp \epsilon) \text{ (minus if } \hat\mu \ge \theta\text{)}, \qquad
              \frac{n (|\hat\mu - \theta| + \epsilon)^2}{2\sigma^2}, \qquad
              n \log \frac{\hat\sigma^2 + (|\hat\mu - \theta| + \epsilon)^2}{\hat\sigma^2}

    for 0/1 outcomes, for known and for unknown σ.
    """
    count, gap = float(state.counts[k]), gap_of(known, state, k)
    if known.is_binary:
        bar = known.thresholds[k] - epsilon if gap >= 0.0 else known.thresholds[k] + epsilon
        return kl_evidence(count, state.totals[k], min(max(bar, 1e-12), 1.0 - 1e-12))
    distance = abs(gap) + epsilon
    if known.sigma[k] > 0.0:
        return float(count * distance * distance / (2.0 * known.sigma[k] * known.sigma[k]))
    return count * math.log1p(distance * distance / max(variance_of(known, state, k), 1e-300))


@step
def slr_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm of least likelihood ratio: `apt` for Gaussian arms, its KL form for 0/1 ones.

    Read in the implementation of a thesis on thresholding bandits (:cite:p:`radtke2017`); its index is printed there
    with +ε on both sides, a misprint. Unlike `kl-apt` it has no pseudo-sample at the bar, so one chance success can
    stop the sampling of an arm with small θ.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = slr_formula(known, state, k, known.parameters[0])
    return least(state)


SLR = Algorithm("slr", choose=slr_choose, source="radtke2017", parameters=(Parameter("epsilon", 0.0, is_open=False),))
