"""Bayes-UCB for thresholds: how far a posterior quantile reaches beyond the bar."""

from __future__ import annotations

import math

from thresher.policy.field.base import WITH_POSTERIOR, Algorithm, Parameter
from thresher.policy.field.beta import beta_quantile, log_density_factor, normal_quantile
from thresher.policy.field.state import Known, State, Turn, least, step

SLACK = 1e-12  # so that rounding never puts a ceiling below what it covers


@step
def bayes_ucb_choose(known: Known, state: State, turn: Turn) -> int:
    r"""Return the arm whose posterior reaches farthest beyond the bar, at a level that falls with every pull.

    From the side where its mean is: :math:`\theta - Q(p)` if :math:`\hat\mu \ge \theta`, else
    :math:`Q(1 - p) - \theta`, with :math:`p = 1/(t (\log T)^c)` in the pull of number t. Read in an implementation that
    belongs to a thesis on thresholding bandits (:cite:p:`radtke2017`), which adapts Bayes-UCB to a bar; no paper has
    it. Its prior is Beta(θ, 1-θ): here `prior` = 1 samples at the bar. Gaussian outcomes, with a flat prior, are ours.
    """
    level = min(1.0 / ((turn.pulls + 1) * math.log(max(turn.horizon, 2)) ** known.parameters[0]), 0.5)
    if known.is_binary:
        return _farthest_beta(known, state, turn.last, level)
    z = normal_quantile(level)
    for k in range(state.keys.size):
        gap = abs(state.totals[k] / state.counts[k] - known.thresholds[k])
        state.keys[k] = gap + z * known.sigma[k] / math.sqrt(float(state.counts[k]))
    return least(state)


@step
def _farthest_beta(known: Known, state: State, last: int, level: float) -> int:
    r"""Return the arm of farthest reach under Beta posteriors, looking only at arms that may be it.

    A quantile takes a microsecond or two. In the logarithms of place and level a Beta distribution function is concave
    if its second parameter is at least 1, so that the tangent at an arm's last quantile says how far it reaches at most
    now. The arm that may reach farthest is looked at until it is one that was.
    """
    n_arms, goal = state.keys.size, math.log(level)
    for k in range(n_arms):
        if k == last or last < 0:
            _look(known, state, k, level)
            continue
        place, slope, then = state.memory[k], state.memory[n_arms + k], state.memory[2 * n_arms + k]
        if slope > 0.0:
            lowest = place * math.exp((goal - then) / slope)
            state.keys[k] = _key(known, state, k, lowest) - SLACK
        elif state.is_open[k]:
            _look(known, state, k, level)
    while True:
        k = least(state)
        if k < 0 or state.memory[2 * n_arms + k] == goal:
            return k
        _look(known, state, k, level)


@step
def _key(known: Known, state: State, k: int, quantile: float) -> float:
    """Return minus the reach of an arm with this quantile, counted from the far end of its posterior."""
    bar = known.thresholds[k]
    if state.totals[k] / state.counts[k] >= bar:
        return float(quantile - bar)
    return float(quantile - (1.0 - bar))


@step
def _look(known: Known, state: State, k: int, level: float) -> None:
    """Bring the key of an arm up to date, and note its quantile, the slope there and the level."""
    count, bar, n_arms = float(state.counts[k]), known.thresholds[k], state.keys.size
    a = known.parameters[1] * bar + state.totals[k]
    b = known.parameters[1] * (1.0 - bar) + count - state.totals[k]
    if state.totals[k] / count < bar:
        a, b = b, a
    place = beta_quantile(level, a, b)
    slope = math.exp(log_density_factor(a, b, place)) / ((1.0 - place) * level) if b >= 1.0 and place > 0.0 else 0.0
    state.memory[k], state.memory[n_arms + k], state.memory[2 * n_arms + k] = place, slope, math.log(level)
    state.keys[k] = _key(known, state, k, place)


BAYES_UCB = Algorithm(
    "bayes-ucb",
    code=7,
    choose=bayes_ucb_choose,
    source="radtke2017",
    parameters=(Parameter("c", 1.0, may_be_zero=True), Parameter("prior", 1.0)),
    families=WITH_POSTERIOR,
    needs_horizon=True,
    memory=lambda n_arms: 3 * n_arms,
)
