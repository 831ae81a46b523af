"""Murphy sampling's next arm: which arms a posterior draw puts above the bar, given that it does so for one."""

from __future__ import annotations

import math

from thresher.engine.compiled import kernel
from thresher.engine.streams import Word, beta, normal, uniform, word_at
from thresher.policy.confidence.trial import PULLS, Demand, Trial, gap_of

MOST_TRIES = 1_000_000  # for a draw above the bar; the chance to need more is far below any δ


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
def draw_above(demand: Demand, trial: Trial, k: int, word: Word) -> float:
    """Return a draw of an arm's mean from the part of its posterior above the bar."""
    for i in range(MOST_TRIES):
        value = draw_posterior(demand, trial, k, word_at(word, i))
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
    only if there are several above. A value takes 1/p tries where an arm is above with probability p, which happens
    that seldom.
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
