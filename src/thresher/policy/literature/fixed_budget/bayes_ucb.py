"""Bayes-UCB for thresholds: how far a posterior quantile reaches beyond the bar."""

from __future__ import annotations

import math

from thresher.jit import formula, njit
from thresher.policy.algorithm import WITH_POSTERIOR, Algorithm, Parameter
from thresher.policy.literature.fixed_budget.beta import (
    beta_quantile,
    log_beta,
    log_quantile_guess,
    log_share_below,
    normal_quantile,
    place_beyond,
)
from thresher.policy.policy import Traits
from thresher.policy.rule import RuleSetup, State, Turn, least, step

SLACK = 1e-11  # more than the rounding of a bound: nearer arms are compared by the plain quantile
CLOSE = 3e-4  # in log levels: from so near a Taylor series of third order gives a quantile to the last digits
NEAR_ONE = -1e-3  # of log x: beyond, the density of a Beta with b < 1 is too steep for a series
PLACE, SHARE, SLOPE, NORM, BASE, RATE, NOTES = range(7)  # numbers stored for every arm

# Copied into the caller: a call that hands over all arrays takes as long as a look.
inlined = njit(cache=True, inline="always")


@step
def bayes_ucb_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose posterior reaches farthest beyond the bar, at a level that falls with every pull.

    From the side where its mean is: :math:`\theta - Q(p)` if :math:`\hat\mu \ge \theta`, else
    :math:`Q(1 - p) - \theta`, with :math:`p = 1/(t (\log T)^c)` in the pull of number t. Read in an implementation that
    belongs to a thesis on thresholding bandits (:cite:p:`radtke2017`), which adapts Bayes-UCB to a bar; no paper has
    it. Its prior is Beta(θ, 1-θ): here `prior` = 1 samples at the bar. Gaussian outcomes, with a flat prior, were added
    here.
    """
    level = min(1.0 / ((turn.pulls + 1) * math.log(max(known.horizon, 2)) ** known.parameters[0]), 0.5)
    if known.is_binary:
        return _farthest_beta(known, state, turn, level)
    z = normal_quantile(level)
    for k in range(state.keys.size):
        gap = abs(state.totals[k] / state.counts[k] - known.thresholds[k])
        state.keys[k] = gap + z * known.sigma[k] / math.sqrt(float(state.counts[k]))
    return least(state)


@formula
def _farthest_beta(known: RuleSetup, state: State, turn: Turn, level: float) -> int:
    r"""Return the arm of farthest reach under Beta posteriors, evaluating only arms that can be it.

    Every pull lowers the level and moves every quantile, but a quantile takes a microsecond. Of each arm one place x is
    kept with :math:`g = \log F(x)`, and a line in g under its key (:func:`_write`): so far it reaches at most. The arm
    that may reach farthest is looked at, and then those that may reach as far as it.
    """
    n_arms, goal = state.keys.size, math.log(level)
    for i in range(turn.n_changed):
        k = state.changed[i]
        _begin(known, state, k, goal)
    best, lowest = -1, math.inf
    for k in range(n_arms):
        state.keys[k] = state.memory[BASE * n_arms + k] + state.memory[RATE * n_arms + k] * goal
        if state.keys[k] < lowest and state.is_open[k]:
            best, lowest = k, state.keys[k]
    if best < 0:
        return best
    _look(known, state, best, goal)
    for k in range(n_arms):
        if k == best or not state.is_open[k] or state.keys[k] > state.keys[best]:
            continue
        if _is_alike(known, state, k, best):
            state.keys[k] = state.keys[best]
            best = min(k, best)
            continue
        _look(known, state, k, goal)
        difference = state.keys[k] - state.keys[best]
        if difference < -SLACK or (difference <= SLACK and _is_before(known, state, k, best, level)):
            best = k
    return best


@inlined
def _posterior(known: RuleSetup, state: State, k: int) -> tuple[float, float, float]:
    """Return the posterior Beta(a, b) of an arm and its bar, all turned round if its mean is below the bar."""
    count, bar = float(state.counts[k]), known.thresholds[k]
    a = known.parameters[1] * bar + state.totals[k]
    b = known.parameters[1] * (1.0 - bar) + (count - state.totals[k])  # so that arms that mirror each other tie
    is_above = state.totals[k] / count >= bar
    return (a if is_above else b), (b if is_above else a), (bar if is_above else 1.0 - bar)


@inlined
def _begin(known: RuleSetup, state: State, k: int, goal: float) -> None:
    """Note a first place of an arm that has shown something."""
    n_arms, (a, b, bar) = state.keys.size, _posterior(known, state, k)
    norm, place = log_beta(a, b), log_quantile_guess(goal, a, b)
    share, slope = goal, a
    if b >= 1.0 or place < NEAR_ONE:
        share, slope = log_share_below(a, b, norm, place)
    if b < 1.0:
        place, share, slope, _ = _approach(a, b, norm, place, share, slope, goal)
    state.memory[NORM * n_arms + k] = norm
    _write(state, k, a, b, bar, place, share, slope)


@inlined
def _look(known: RuleSetup, state: State, k: int, goal: float) -> None:
    """Set the key of an arm to minus its reach, and note the place from which that was found."""
    n_arms, (a, b, bar) = state.keys.size, _posterior(known, state, k)
    place, share = state.memory[PLACE * n_arms + k], state.memory[SHARE * n_arms + k]
    norm, slope = state.memory[NORM * n_arms + k], state.memory[SLOPE * n_arms + k]
    place, share, slope, quantile = _approach(a, b, norm, place, share, slope, goal)
    _write(state, k, a, b, bar, place, share, slope)
    state.keys[k] = quantile - bar


@njit(cache=True)
def _approach(
    a: float, b: float, norm: float, place: float, share: float, slope: float, goal: float
) -> tuple[float, float, float, float]:
    """Return a place near the quantile with its share and slope, and the quantile, from a place that is farther away.

    By Newton's method, and a series for what is left to go. With b < 1 the place is that of the quantile itself.
    """
    while b >= 1.0 or place < NEAR_ONE:
        rise = goal - share
        beyond = place_beyond(a, b, place, slope, rise)
        if abs(rise) <= CLOSE:
            return (beyond, goal, slope, math.exp(beyond)) if b < 1.0 else (place, share, slope, math.exp(beyond))
        place = beyond
        if b >= 1.0 or place < NEAR_ONE:
            share, slope = log_share_below(a, b, norm, place)
    quantile = beta_quantile(math.exp(goal), a, b)
    return math.log(quantile), goal, a, quantile


@inlined
def _write(state: State, k: int, a: float, b: float, bar: float, place: float, share: float, slope: float) -> None:
    r"""Note a place of an arm, and the line in :math:`g = \log F` under its key that starts there.

    The logarithm of a Beta variable has a log-concave density if b ≥ 1. Then g is concave in :math:`y = \log x`, y
    convex in g, and :math:`x = e^y` all the more: it stays above its tangent. With b < 1 no tangent stays below, but
    :math:`dg/dy \ge a` everywhere, which gives a line for lower levels, the only ones that come.
    """
    n_arms, x = state.keys.size, math.exp(place)
    rate = x / slope if b >= 1.0 else x / a
    state.memory[PLACE * n_arms + k] = place
    state.memory[SHARE * n_arms + k] = share
    state.memory[SLOPE * n_arms + k] = slope
    state.memory[RATE * n_arms + k] = rate
    state.memory[BASE * n_arms + k] = x - rate * share - bar - SLACK


@inlined
def _is_alike(known: RuleSetup, state: State, k: int, other: int) -> bool:
    """Return whether two arms reach equally far because they have shown the same."""
    a, b, bar = _posterior(known, state, k)
    other_a, other_b, other_bar = _posterior(known, state, other)
    return a == other_a and b == other_b and bar == other_bar


@formula
def _is_before(known: RuleSetup, state: State, k: int, other: int, level: float) -> bool:
    """Return whether an arm comes before another whose reach is the same but for rounding: by the plain quantile."""
    a, b, bar = _posterior(known, state, k)
    other_a, other_b, other_bar = _posterior(known, state, other)
    key, other_key = beta_quantile(level, a, b) - bar, beta_quantile(level, other_a, other_b) - other_bar
    return bool(key < other_key or (key == other_key and k < other))


BAYES_UCB = Algorithm(
    "bayes-ucb",
    choose=bayes_ucb_choose,
    source="radtke2017",
    parameters=(Parameter("c", 1.0, is_open=False), Parameter("prior", 1.0)),
    families=WITH_POSTERIOR,
    memory=lambda n_arms, *_: NOTES * n_arms,
    traits=Traits(needs_horizon=True),
)
