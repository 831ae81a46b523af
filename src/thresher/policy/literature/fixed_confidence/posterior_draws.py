"""Draws of a mean from its posterior, as a whole or from the part above the bar."""

from __future__ import annotations

import math
from typing import NamedTuple

from thresher.jit import kernel
from thresher.streams import Word, beta, normal, open_uniform, word_at

MOST_TRIES = 10_000  # attempts at a draw above the bar; at least a quarter of them succeed
TAIL = 0.25  # share of the posterior above the bar below which the tail is drawn directly


class MeanPosterior(NamedTuple):
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


@kernel
def draw(known: MeanPosterior, word: Word) -> float:
    """Return a draw of a mean from its posterior, counted from the bar."""
    if known.is_beta:
        ones = float(round(known.pulls * (known.gap + known.bar)))
        return beta(word, 1.0 + ones, 1.0 + known.pulls - ones) - known.bar
    return known.gap + known.sigma / math.sqrt(known.pulls) * normal(word)


@kernel
def draw_tail(known: MeanPosterior, word: Word) -> float:
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
def draw_above(known: MeanPosterior, word: Word) -> float:
    """Return a draw of a mean from the part of its posterior above the bar, counted from the bar."""
    is_tail = known.above < TAIL and known.gap < 0.0
    for i in range(MOST_TRIES):
        own = word_at(word, i)
        value = draw_tail(known, own) if is_tail else draw(known, own)
        if value > 0.0:
            return value
    return 0.0
