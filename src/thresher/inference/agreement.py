r"""How well a cheap score agrees with the truth, and whether a judge is good enough to be used.

Where outcomes and scores are both 0 and 1, they agree on a share of the answers, with Wilson's interval; by chance they
would agree as often as two independent judges with these rates. For other scores the correlation within arms takes the
place of agreement. The share of the variance that is left, with the proxy and without it, says how many labels the same
precision would take: their ratio is what the proxy saves.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from thresher.inference.answers import answers_of
from thresher.inference.repeated_samples import ItemCells
from thresher.problem import Question
from thresher.types import Bools, Floats

Z = 1.96  # of an interval of 95 %
LABELS = 10  # answers of an arm below which it is not compared with the others
DIFFERS = 0.01  # chance below which agreement is said to differ between arms


class ArmAgreement(NamedTuple):
    """One arm, on the answers that have both an outcome and a score.

    Attributes
    ----------
    arm : str
    labels : int
        How many answers these are.
    agreement : float
        Share of them on which outcome and score agree; NaN unless both are 0 or 1.
    slope : float
        Coefficient of the score.
    low, high : float
        Ends of Wilson's interval of 95 % of the agreement.
    score, outcome : float
        Means; NaN without labels.
    """

    arm: str
    labels: int
    agreement: float
    slope: float
    low: float = math.nan
    high: float = math.nan
    score: float = math.nan
    outcome: float = math.nan


class Agreement(NamedTuple):
    """How well scores agree with outcomes.

    Attributes
    ----------
    labels : int
        Answers with an outcome and a score.
    is_binary : bool
        Outcomes and scores are all 0 or 1: `value` is the share on which they agree, else the correlation within arms.
    value, low, high, chance : float
        With an interval of 95 %, and what chance gives. NaN with too few labels.
    share, share_without : float
        Share of the variance of outcomes that is left with the scores, and without them.
    saved : float
        Share of the labels that the scores save at the same precision.
    spread : float
        Chance that agreement differs so much between arms if it is the same for all; 1 if it cannot be said.
    arms : tuple of ArmAgreement
    """

    labels: int
    is_binary: bool
    value: float
    low: float
    high: float
    chance: float
    share: float
    share_without: float
    saved: float
    spread: float
    arms: tuple[ArmAgreement, ...]

    @property
    def is_chance(self) -> bool:
        """Whether the scores may agree no better than chance."""
        return not self.low > self.chance

    @property
    def differs(self) -> bool:
        """Whether agreement differs between arms beyond chance."""
        return self.spread < DIFFERS


def agreement_of(question: Question, outcomes: Floats) -> Agreement:
    """Return how well the scores of a question agree with outcomes.

    Parameters
    ----------
    question : Question
        With a proxy in its structure.
    outcomes : ndarray of float64, shape (K, N), or (R, K, N) with repeats
        NaN where an arm was not told the item. Of an item with several outcomes their mean is compared with the score:
        they are not independent of each other.
    """
    structure, scores = question.structure, question.sampling.proxy
    assert structure
    assert scores is not None
    found, without = (
        answers_of(replace(question, structure=replace(structure, proxy=proxy)), outcomes) for proxy in (scores, None)
    )
    outcomes = ItemCells.of(outcomes).means
    both = ~np.isnan(outcomes) & ~np.isnan(scores)
    is_binary = bool(np.isin(outcomes[both], (0.0, 1.0)).all() and np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all())
    counts = np.count_nonzero(both, axis=1)
    agrees = np.count_nonzero(both & (outcomes == scores), axis=1) if is_binary else np.full(counts.shape, np.nan)
    value, low, high, chance = (
        _agreement(outcomes[both], scores[both]) if is_binary else _correlation(outcomes, scores, both)
    )
    slopes, means = found.slopes.tolist(), (_means(scores, both), _means(outcomes, both))
    rows = zip(question.arms, counts.tolist(), agrees.tolist(), slopes, *means, strict=True)
    share, share_without = float(found.fit.share), float(without.fit.share)
    return Agreement(
        int(counts.sum()), is_binary, value, low, high, chance, share, share_without,
        max(1.0 - share / share_without, 0.0), _spread(counts, agrees) if is_binary else 1.0,
        tuple(_of_arm(*row) for row in rows),
    )  # fmt: skip


def _of_arm(arm: str, n: int, hits: float, slope: float, score: float, outcome: float) -> ArmAgreement:
    share = hits / n if n else math.nan
    return ArmAgreement(arm, n, share, slope, *_interval(share, n), score, outcome)


def _means(table: Floats, both: Bools) -> list[float]:
    """Return the mean of each arm over the answers that have an outcome and a score; NaN if there is none."""
    counts = np.count_nonzero(both, axis=1)
    sums = np.where(both, table, 0.0).sum(axis=1)
    return [float(value) for value in np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)]


def _interval(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's interval of a share of `n`; NaN without any."""
    if not n or math.isnan(share):
        return math.nan, math.nan
    middle, width = share + Z * Z / (2 * n), Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    return (middle - width) / scale, (middle + width) / scale


def _agreement(outcomes: Floats, scores: Floats) -> tuple[float, float, float, float]:
    """Return the share of equal pairs with its interval, and the share that chance gives."""
    n = outcomes.size
    if not n:
        return math.nan, math.nan, math.nan, math.nan
    share = float((outcomes == scores).mean())
    p, q = float(outcomes.mean()), float(scores.mean())
    return share, *_interval(share, n), p * q + (1 - p) * (1 - q)


def _correlation(outcomes: Floats, scores: Floats, both: Bools) -> tuple[float, float, float, float]:
    """Return the correlation within arms with Fisher's interval, and 0, which chance gives."""
    d, z = (_within(table, both) for table in (outcomes, scores))
    freedom = np.count_nonzero(both) - np.count_nonzero(both.any(axis=1)) - 2
    spread = math.sqrt(float((d**2).sum() * (z**2).sum()))
    if freedom < 1 or spread <= 0.0:
        return math.nan, math.nan, math.nan, 0.0
    found = min(max(float((d * z).sum()) / spread, -0.999999), 0.999999)
    middle, width = math.atanh(found), Z / math.sqrt(freedom)
    return found, math.tanh(middle - width), math.tanh(middle + width), 0.0


def _within(table: Floats, both: Bools) -> Floats:
    """Return numbers less the mean of their arm; 0 where there is none."""
    values = np.where(both, table, 0.0)
    means = values.sum(axis=1) / np.maximum(np.count_nonzero(both, axis=1), 1)
    return np.where(both, values - means[:, None], 0.0)


def _spread(counts: Floats, agrees: Floats) -> float:
    """Return the chance of such different shares of agreement, by a χ² test of the arms with enough labels."""
    n, hits = counts[counts >= LABELS].astype(np.float64), agrees[counts >= LABELS].astype(np.float64)
    common = hits.sum() / max(n.sum(), 1.0)
    if n.size < 2 or not 0.0 < common < 1.0:
        return 1.0
    statistic = float(((hits - n * common) ** 2 / (n * common * (1.0 - common))).sum())
    # Wilson and Hilferty: the cube root of χ²/k is nearly normal.
    freedom = n.size - 1
    place = ((statistic / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    return 0.5 * math.erfc(place / math.sqrt(2.0))
