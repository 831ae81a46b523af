r"""Murphy sampling: is any arm above the bar? Pull as if there were one.

:cite:p:`kaufmann2018`. The means are drawn from their posterior, given that some mean is above the bar, and the arm of
the highest draw is pulled. The paper asks about the lowest mean; this is its mirror image. Its rejection of draws below
the bar takes ever longer while no arm is above; here the same distribution is drawn without: which arms are above,
given that one is, from the chances of each, and the values only of those that are. It stops by
:func:`~thresher.policy.literature.fixed_confidence.any_above.good_arm_level`, as in the comparison of
:cite:p:`jourdan2026`: when one arm above the bar reaches it, or all arms do below. Both rules were read in public
implementations, of the papers only the abstracts. For 0/1 outcomes the prior is uniform; for all others the posterior
is that of Gaussian outcomes under a flat prior.
"""

from __future__ import annotations

import math

from thresher.jit import formula, njit
from thresher.policy.algorithm import KNOWN_NOISE, Algorithm
from thresher.policy.literature.fixed_budget import beta_tails
from thresher.policy.literature.fixed_confidence.any_above import (
    answer_above,
    answer_none,
    evidence_at,
    good_arm_level,
)
from thresher.policy.literature.fixed_confidence.outputs import gap_at
from thresher.policy.literature.fixed_confidence.posterior_draws import MeanPosterior, draw_above
from thresher.policy.policy import ANY_MISTAKE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step
from thresher.streams import uniform, word_at


@njit(cache=True)
def normal_above(gap: float, count: float, sigma: float) -> float:
    r"""Return the posterior chance that a mean is above the bar, :math:`\Phi(\sqrt n \, (\hat\mu - \theta)/\sigma)`."""
    return 0.5 * math.erfc(-math.sqrt(0.5 * count) * gap / sigma)


@njit(cache=True)
def beta_above(ones: float, count: float, threshold: float) -> float:
    r"""Return the posterior chance that the mean of 0/1 outcomes is above the bar, under a uniform prior.

    Parameters
    ----------
    ones, count : float
        :math:`0 \le s \le n`: the posterior is Beta(1 + s, 1 + n - s).
    threshold : float
        θ in [0, 1].
    """
    return beta_tails(1.0 + ones, 1.0 + count - ones, threshold)[1]


@formula
def above_at(known: RuleSetup, state: State, k: int) -> float:
    """Return the posterior chance that an arm is above its bar."""
    count = float(state.counts[k])
    if known.is_binary:
        bar = known.thresholds[k]
        # Whole, but for the rounding of sums that were counted from the bar.
        return beta_above(float(round(state.totals[k] + count * bar)), count, bar)
    return normal_above(gap_at(state, k), count, known.sigma[k])


@formula
def posterior_of(known: RuleSetup, state: State, k: int) -> MeanPosterior:
    """Return the posterior of the mean of an arm; its key is the chance that the mean is above the bar."""
    return MeanPosterior(
        known.is_binary,
        float(state.counts[k]),
        gap_at(state, k),
        known.thresholds[k],
        known.sigma[k],
        state.keys[k],
    )


@formula
def least_clear(known: RuleSetup, state: State) -> int:
    """Return the arm nearest to being above: where all chances underflow."""
    best, highest = 0, -math.inf
    for k in range(state.keys.size):
        reach = gap_at(state, k) * math.sqrt(float(state.counts[k])) / known.sigma[k]
        if reach > highest:
            best, highest = k, reach
    return best


@step
def murphy_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the arm of the highest draw from the posterior, given that some draw is above the bar.

    One number decides which arm is the first above, each later arm is above with its own chance, and values are drawn
    only if there are several above.
    """
    n_arms, word = state.keys.size, word_at(turn.choices, turn.pulls)
    some, survives = 0.0, 1.0
    for k in range(n_arms):
        some += survives * state.keys[k]
        survives *= 1.0 - state.keys[k]
    if some == 0.0:
        return least_clear(known, state)
    best, highest, place = -1, -math.inf, uniform(word_at(word, 0)) * some
    so_far, survives = 0.0, 1.0
    for k in range(n_arms):
        if best < 0:
            so_far += survives * state.keys[k]
            survives *= 1.0 - state.keys[k]
            if place < so_far:
                best = k
        elif uniform(word_at(word, 1 + k)) < state.keys[k]:
            if highest == -math.inf:
                highest = draw_above(posterior_of(known, state, best), word_at(word, 1 + n_arms + best))
            value = draw_above(posterior_of(known, state, k), word_at(word, 1 + n_arms + k))
            if value > highest:
                best, highest = k, value
    return best


@step
def murphy_learn(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:
    """Answer if the evidence suffices after a pull of an arm; return whether it did."""
    n_arms = state.keys.size
    state.keys[k] = above_at(known, state, k)
    level = good_arm_level(float(turn.pulls), float(n_arms), known.alpha)
    if state.totals[k] > 0.0:  # the others have shown nothing new
        return evidence_at(known, state, k) > level and answer_above(state, k)
    if turn.pulls < n_arms:
        return False
    for j in range(n_arms):
        if state.totals[j] > 0.0 or evidence_at(known, state, j) <= level:
            return False
    return answer_none(state)


MURPHY = Algorithm(
    "murphy",
    choose=murphy_choose,
    learn=murphy_learn,
    conclude=keep_verdicts,
    source="kaufmann2018, Murphy sampling; stopping rule jourdan2026",
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_MISTAKE),
    counts_from_bar=True,
)
