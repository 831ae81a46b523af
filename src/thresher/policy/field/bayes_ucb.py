"""Bayes-UCB for thresholds: how far a posterior quantile reaches beyond the bar."""

from __future__ import annotations

import math

from thresher.policy.field.base import WITH_POSTERIOR, Algorithm, Parameter
from thresher.policy.field.beta import beta_quantile, normal_quantile
from thresher.policy.field.state import Known, State, Turn, least, step


@step
def reach_of(known: Known, state: State, k: int, level: float, z: float) -> float:
    r"""Return how far the posterior of an arm reaches beyond the bar from where its mean is, at a level.

    The posterior is Beta(:math:`s\theta + \sum X`, :math:`s(1-\theta) + n - \sum X`) for 0/1 outcomes, else
    :math:`N(\hat\mu, \sigma^2/n)`; `z` is the level's normal quantile.
    """
    count, threshold = float(state.counts[k]), float(known.thresholds[k])
    mean = float(state.totals[k]) / count
    if not known.is_binary:
        return -abs(mean - threshold) - z * float(known.sigma[k]) / math.sqrt(count)
    a = known.parameters[1] * threshold + state.totals[k]
    b = known.parameters[1] * (1.0 - threshold) + count - state.totals[k]
    if mean >= threshold:
        return threshold - beta_quantile(level, a, b)
    return 1.0 - beta_quantile(level, b, a) - threshold


@step
def bayes_ucb_choose(known: Known, state: State, turn: Turn) -> int:
    r"""Return the arm whose posterior reaches farthest beyond the bar, at a level that falls with every pull.

    The level is :math:`1/(t (\log T)^c)` in the pull of number t. Read in an implementation that belongs to a thesis on
    thresholding bandits (:cite:p:`radtke2017`), which adapts Bayes-UCB to a bar; no paper has it. Its prior is
    Beta(θ, 1-θ): here `prior` = 1 samples at the bar. Gaussian outcomes, with a flat prior, are ours.
    """
    level = 1.0 / ((turn.pulls + 1) * math.log(max(turn.horizon, 2)) ** known.parameters[0])
    level = min(level, 0.5)
    z = normal_quantile(level)
    for k in range(state.keys.size):
        state.keys[k] = -reach_of(known, state, k, level, z) if state.is_open[k] else math.inf
    return least(state)


BAYES_UCB = Algorithm(
    "bayes-ucb",
    code=7,
    choose=bayes_ucb_choose,
    source="radtke2017",
    parameters=(Parameter("c", 1.0, may_be_zero=True), Parameter("prior", 1.0)),
    families=WITH_POSTERIOR,
    needs_horizon=True,
)
