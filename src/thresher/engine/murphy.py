"""Murphy sampling's next arm: which arms a posterior draw puts above the bar, given that it does so for one."""

from __future__ import annotations

import math
from typing import NamedTuple

from thresher.jit import formula, kernel
from thresher.policy.confidence.trial import PULLS, Demand, Trial, gap_of
from thresher.streams import Word, beta, normal, open_uniform, uniform, word_at

MOST_TRIES = 10_000  # for a draw above the bar, of which at least every fourth succeeds
TAIL = 0.25  # of the posterior above the bar, below which it is drawn as a tail


class Posterior(NamedTuple):
    """What is known of the mean of one arm, counted from its bar: plain numbers, which compiled code hands on freely.

    Attributes
    ----------
    is_beta : bool
        Beta(1 + s, 1 + n - s) with s ones among n outcomes; else normal about the gap.
    pulls, gap : float
        Of the arm: how many, and its empirical mean.
    bar, sigma : float
    above : float
        The chance that the mean is above the bar.
    """

    is_beta: bool
    pulls: float
    gap: float
    bar: float
    sigma: float
    above: float


@formula
def posterior_of(demand: Demand, trial: Trial, k: int) -> Posterior:
    """Return what is known of the mean of an arm."""
    row = trial.rows[k]
    return Posterior(demand.is_beta, float(row["count"]), gap_of(trial, k), row["threshold"], row["sigma"], row["kept"])


@kernel
def draw(known: Posterior, word: Word) -> float:
    """Return a draw of a mean from its posterior, counted from the bar."""
    if known.is_beta:
        ones = float(round(known.pulls * (known.gap + known.bar)))
        return beta(word, 1.0 + ones, 1.0 + known.pulls - ones) - known.bar
    return known.gap + known.sigma / math.sqrt(known.pulls) * normal(word)


@kernel
def draw_tail(known: Posterior, word: Word) -> float:
    r"""Return a draw from the part of a posterior above the bar, where that is a tail; negative if it was rejected.

    The density is log-concave, so that above the bar it is below an exponential one with its value and its slope
    there: with the excess w over the bar,

    .. math:: e^{-\lambda w}, \quad \lambda = \frac{n (\theta - \hat\mu)}{\sigma^2} \text{ (normal)}, \quad
              \lambda = \frac{n (\theta - \hat\mu)}{\theta (1 - \theta)} \text{ (Beta)}

    It is drawn from that and accepted by the ratio of the two, about every other time or more often if a quarter of the
    posterior or less is above the bar.
    """
    n, rest = known.pulls, 1.0 - known.bar
    slope = -n * known.gap / (known.bar * rest if known.is_beta else known.sigma * known.sigma)
    excess, level = -math.log(open_uniform(word_at(word, 0))) / slope, math.log(open_uniform(word_at(word, 1)))
    if not known.is_beta:
        return excess if level < -0.5 * n * excess * excess / (known.sigma * known.sigma) else -1.0
    if excess >= rest:
        return -1.0
    ones = float(round(n * (known.gap + known.bar)))
    ratio = ones * math.log1p(excess / known.bar) + (n - ones) * math.log1p(-excess / rest) + slope * excess
    return excess if level < ratio else -1.0


@kernel
def draw_above(known: Posterior, word: Word) -> float:
    """Return a draw of a mean from the part of its posterior above the bar, counted from the bar."""
    is_tail = known.above < TAIL and known.gap < 0.0
    for i in range(MOST_TRIES):
        own = word_at(word, i)
        value = draw_tail(known, own) if is_tail else draw(known, own)
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
                highest = draw_above(posterior_of(demand, trial, best), word_at(word, 1 + n_arms + best))
            value = draw_above(posterior_of(demand, trial, k), word_at(word, 1 + n_arms + k))
            if value > highest:
                best, highest = k, value
    return best
