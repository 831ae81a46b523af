"""Murphy sampling's next arm: which arms a posterior draw puts above the bar, given that it does so for one."""

from __future__ import annotations

import math

from thresher.engine.compiled import kernel
from thresher.engine.streams import Word, beta, normal, open_uniform, uniform, word_at
from thresher.policy.confidence.trial import PULLS, Demand, Trial, gap_of

MOST_TRIES = 10_000  # for a draw above the bar, of which at least every fourth succeeds
TAIL = 0.25  # of the posterior above the bar, below which it is drawn as a tail


@kernel
def draw_posterior(demand: Demand, trial: Trial, k: int, word: Word) -> float:
    """Return a draw of an arm's mean from its posterior, counted from the bar."""
    count = float(trial.rows[k]["count"])
    if demand.is_beta:
        bar = trial.rows[k]["threshold"]
        ones = float(round(trial.rows[k]["total"] + count * bar))
        return float(beta(word, 1.0 + ones, 1.0 + count - ones) - bar)
    return float(gap_of(trial, k) + trial.rows[k]["sigma"] / math.sqrt(count) * normal(word))


@kernel
def draw_tail(demand: Demand, trial: Trial, k: int, word: Word) -> float:
    r"""Return a draw from the part of a posterior above the bar, where that is a tail; negative if it was rejected.

    The density is log-concave, so that above the bar it is below an exponential one with its value and its slope
    there: with the excess w over the bar,

    .. math:: e^{-\lambda w}, \quad \lambda = z \sqrt n / \sigma \text{ (Gaussian)}, \quad
              \lambda = \frac{n (\theta - \hat\mu)}{\theta (1 - \theta)} \text{ (Beta)}

    It is drawn from that and accepted by the ratio of the two, at least every other time if a quarter of the posterior
    or less is above the bar.
    """
    count, gap, bar = float(trial.rows[k]["count"]), gap_of(trial, k), trial.rows[k]["threshold"]
    sigma = trial.rows[k]["sigma"]
    slope = -count * gap / (bar * (1.0 - bar) if demand.is_beta else sigma * sigma)
    excess, level = -math.log(open_uniform(word_at(word, 0))) / slope, math.log(open_uniform(word_at(word, 1)))
    if not demand.is_beta:
        ratio = -0.5 * count * excess * excess / (sigma * sigma)
    elif excess < 1.0 - bar:
        ones = float(round(trial.rows[k]["total"] + count * bar))
        ratio = ones * math.log1p(excess / bar) + (count - ones) * math.log1p(-excess / (1.0 - bar)) + slope * excess
    else:
        return -1.0
    return float(excess) if level < ratio else -1.0


@kernel
def draw_above(demand: Demand, trial: Trial, k: int, word: Word) -> float:
    """Return a draw of an arm's mean from the part of its posterior above the bar, counted from the bar."""
    is_tail = trial.rows[k]["kept"] < TAIL and gap_of(trial, k) < 0.0
    for i in range(MOST_TRIES):
        own = word_at(word, i)
        value = draw_tail(demand, trial, k, own) if is_tail else draw_posterior(demand, trial, k, own)
        if value > 0.0:
            return value
    return 0.0


@kernel
def least_clear(trial: Trial) -> int:
    """Return the arm nearest to being above: where all chances underflow."""
    best, highest = 0, -math.inf
    for k in range(trial.rows.size):
        reach = gap_of(trial, k) * math.sqrt(float(trial.rows[k]["count"])) / trial.rows[k]["sigma"]
        if reach > highest:
            best, highest = k, reach
    return best


@kernel
def murphy_arm(demand: Demand, trial: Trial, choices: Word) -> int:
    """Return the arm of the highest draw from the posterior, given that some draw is above the bar.

    One number decides which arm is the first above, each later arm is above with its own chance, and values are drawn
    only if there are several above.
    """
    n_arms, word = trial.rows.size, word_at(choices, trial.clock[PULLS])
    some, survives = 0.0, 1.0
    for k in range(n_arms):
        some += survives * trial.rows[k]["kept"]
        survives *= 1.0 - trial.rows[k]["kept"]
    if some == 0.0:
        return least_clear(trial)
    best, highest, place = -1, -math.inf, uniform(word_at(word, 0)) * some
    so_far, survives = 0.0, 1.0
    for k in range(n_arms):
        if best < 0:
            so_far += survives * trial.rows[k]["kept"]
            survives *= 1.0 - trial.rows[k]["kept"]
            if place < so_far:
                best = k
        elif uniform(word_at(word, 1 + k)) < trial.rows[k]["kept"]:
            if highest == -math.inf:
                highest = draw_above(demand, trial, best, word_at(word, 1 + n_arms + best))
            value = draw_above(demand, trial, k, word_at(word, 1 + n_arms + k))
            if value > highest:
                best, highest = k, value
    return best
