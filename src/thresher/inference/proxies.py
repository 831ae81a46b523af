r"""A proxy: how much a cheap score of every answer explains of the outcomes that were told.

Residuals :math:`d_{ki}` of all arms with two or more outcomes are regressed on the effects :math:`l_{ki}` of their
items and on the scores :math:`z_{ki}`, centred on the items that the arm has answered:

.. math:: f_{ki} = \beta_1 l_{ki} + \beta_{2k} z_{ki}, \qquad
          \beta_{2k} = \frac{\sum_i z_{ki} (d_{ki} - \beta_1 l_{ki}) + 20 v \beta_2}{\sum_i z_{ki}^2 + 20 v}

with the mean square :math:`v` of the scores and the common coefficient :math:`\beta_2`, which is drawn to 0 by the
weight of three outcomes: a score that says nothing switches itself off. A judge may be inverted on some arms, so each
arm has a coefficient of its own, drawn to the common one by the weight of twenty outcomes.

Of the squares of an arm's residuals the effects of items leave :math:`I_k`, and the scores :math:`L_k` of these. An arm
is ranked by the share of the variance

.. math:: r_k = r \max\Big(1, \frac{q_k}{q}\Big), \qquad q_k = \frac{L_k + w\,q\,\bar I}{I_k + w\,\bar I},
          \qquad w = 5,

where :math:`r` is the share of the variance of all arms that items and scores leave, :math:`q` the share that scores
leave of what items leave, and :math:`\bar I` the mean over outcomes of what items leave. An arm on which the judge was
seen to err needs more outcomes than one on which it was right. A share below that of all arms is not believed. How well
items explain an arm is left out, as it is without a proxy: so a judge that says nothing does not change the ranking.

Adjusted means take :math:`f` off the outcomes told and add its mean over all items of the arm. So a score can be
biased, useless or hostile: it costs sampling noise, and never moves the mean of an arm that has answered everything.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from thresher.inference.signals import SHRINKAGE
from thresher.jit import formula, kernel
from thresher.types import Floats, Ints

RIDGE = 3.0  # prior weight, in outcomes, of a common coefficient of 0 and a share of 1
OWN = 20.0  # prior weight, in outcomes, of the common coefficient for that of an arm
RANKED = 5.0  # prior weight, in outcomes, of what scores leave of all arms for that of one, where arms are ranked
STEEPEST = 1.5  # the most that the coefficient of the effects of items can be
LEAST_LEFT = 0.02  # lower limit of the residual variance with a proxy


class ScoreFit(NamedTuple):
    r"""How much items and scores explain together.

    Attributes
    ----------
    slope : float
        :math:`\beta_1`, of the effects of items.
    share : float
        Share of the variance of outcomes that is left.
    """

    slope: float
    share: float


class _Sums(NamedTuple):
    """Sums over the outcomes told: of l·z, d·z, z², d², and their number."""

    crossed: float
    along: float
    squares: float
    residuals: float
    outcomes: float


@kernel
def score_centre(k: int, outcomes: Floats, scores: Floats) -> float:
    """Return the mean score of the items that an arm has answered; 0 if there is none."""
    total = count = 0.0
    for i in range(outcomes.shape[1]):
        if not math.isnan(outcomes[k, i]):
            total += scores[k, i]
            count += 1.0
    return total / count if count > 0.0 else 0.0


@kernel
def fit_scores(
    outcomes: Floats,
    told: Ints,
    scores: Floats,
    means: Floats,
    sums: Floats,
    counts: Floats,
    slopes: Floats,
    unevenness: Floats,
    products: float,
    squares: float,
) -> ScoreFit:
    r"""Return how much items and scores explain together; fill in the coefficient :math:`\beta_{2k}` of each arm.

    Parameters
    ----------
    outcomes, told, means, sums, counts
        As :func:`thresher.inference.item_effects.fit_items` leaves them.
    scores : ndarray of float64, shape (K, N)
        Centred on all items of the arm.
    slopes, unevenness : ndarray of float64, shape (K,)
        Filled in: :math:`\beta_{2k}`, and :math:`r_k / r`, the largest of 1 and :math:`q_k / q`.
    products, squares : float
        Sums of d·l and l²; 0 where items do not matter.
    """
    found = _sums_of(outcomes, told, scores, means, sums, counts)
    slopes[:], unevenness[:] = 0.0, 1.0
    if found.squares <= 0.0 or found.residuals <= 0.0:
        return ScoreFit(min(products / squares, STEEPEST) if squares > 0.0 else 0.0, 1.0)
    variance = found.squares / found.outcomes
    ridged = found.squares + RIDGE * variance
    slope, determinant = 0.0, squares * ridged - found.crossed * found.crossed
    if determinant > 0.0:
        slope = (products * ridged - found.crossed * found.along) / determinant
        slope = min(max(slope, 0.0), STEEPEST)
    common = (found.along - slope * found.crossed) / ridged
    by_items = left = 0.0
    for k in range(outcomes.shape[0]):
        slopes[k] = common
        if told[k] > 1:
            slopes[k] = _own_slope(k, outcomes, scores, means, sums, counts, slope, common, OWN * variance)
            unevenness[k] = _left_of(k, outcomes, scores, means, sums, counts, slope, slopes[k])
            by_items += _left_of(k, outcomes, scores, means, sums, counts, slope, 0.0)
            left += unevenness[k]
    share = max(_ridged_share(left, found.residuals, found.outcomes), LEAST_LEFT)
    by_scores = _ridged_share(left, by_items, found.outcomes)
    for k in range(outcomes.shape[0]):
        if told[k] > 1:
            of_arm = _left_of(k, outcomes, scores, means, sums, counts, slope, 0.0)
            weight = RANKED * (by_items / found.outcomes)
            unevenness[k] = uneven_share(unevenness[k], of_arm, by_scores, weight) / by_scores if weight > 0.0 else 1.0
    return ScoreFit(slope, share)


@formula
def _ridged_share(left: float, squares: float, outcomes: float) -> float:
    """Return the share of the variance that is left in all arms, drawn to 1; 1 if there was nothing to explain."""
    pseudo = RIDGE * (squares / outcomes)
    return min((left + pseudo) / (squares + pseudo), 1.0) if squares > 0.0 else 1.0


@formula
def uneven_share(left: float, squares: float, common: float, weight: float) -> float:
    """Return the share of the variance that is left in an arm, at least the common one.

    Parameters
    ----------
    left, squares : float
        Sums of the squares of its residuals, after and before the fit.
    common : float
        Share of all arms.
    weight : float
        Sum of squares by which the share is drawn to the common one.
    """
    return max((left + weight * common) / (squares + weight), common)


@kernel
def _sums_of(outcomes: Floats, told: Ints, scores: Floats, means: Floats, sums: Floats, counts: Floats) -> _Sums:
    """Return the sums of the regression on scores, over all arms with two or more outcomes."""
    crossed = along = squares = residuals = count = 0.0
    for k in range(outcomes.shape[0]):
        centre = score_centre(k, outcomes, scores) if told[k] > 1 else 0.0
        for i in range(outcomes.shape[1]):
            if told[k] > 1 and not math.isnan(outcomes[k, i]):
                d, z = outcomes[k, i] - means[k], scores[k, i] - centre
                crossed += (sums[i] - d) / (counts[i] - 1.0 + SHRINKAGE) * z
                along += d * z
                squares += z * z
                residuals += d * d
                count += 1.0
    return _Sums(crossed, along, squares, residuals, count)


@kernel
def _own_slope(
    k: int,
    outcomes: Floats,
    scores: Floats,
    means: Floats,
    sums: Floats,
    counts: Floats,
    slope: float,
    common: float,
    weight: float,
) -> float:
    """Return the coefficient of the scores of an arm, drawn to the common one by a weight."""
    above, below, centre = weight * common, weight, score_centre(k, outcomes, scores)
    for i in range(outcomes.shape[1]):
        if not math.isnan(outcomes[k, i]):
            d, z = outcomes[k, i] - means[k], scores[k, i] - centre
            effect = (sums[i] - d) / (counts[i] - 1.0 + SHRINKAGE)
            above += z * (d - slope * effect)
            below += z * z
    return above / below


@kernel
def _left_of(
    k: int,
    outcomes: Floats,
    scores: Floats,
    means: Floats,
    sums: Floats,
    counts: Floats,
    slope: float,
    own: float,
) -> float:
    """Return the sum of squares that items and scores leave in an arm; that of the items alone if `own` is 0."""
    left, centre = 0.0, score_centre(k, outcomes, scores)
    for i in range(outcomes.shape[1]):
        if not math.isnan(outcomes[k, i]):
            d, z = outcomes[k, i] - means[k], scores[k, i] - centre
            effect = (sums[i] - d) / (counts[i] - 1.0 + SHRINKAGE)
            rest = d - slope * effect - own * z
            left += rest * rest
    return left
