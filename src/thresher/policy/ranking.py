"""An index policy bound to a problem: all that is needed to rank arms and to judge them, in arrays.

The simulator's kernels, the reference loop and a live campaign rank by :func:`urgency_of`, so that what is simulated is what runs.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import njit

from thresher.index.dispatch import index_of
from thresher.index.evidence import evidence_in_flight, evidence_of
from thresher.types import Floats, Ints


class Ranking(NamedTuple):
    """How each arm is ranked and judged; every array has shape (K,).

    Attributes
    ----------
    codes, parameters : ndarray
        Which formula each arm has, and its parameter.
    user : compiled function
        The formula behind ``USER_CODE``.
    evidence : int
        Code of the kind of evidence, common to all arms.
    thresholds, precisions : ndarray of float64
        :math:`\\theta_k` and :math:`1/(2\\sigma_k^2)`.
    costs : ndarray of float64
        :math:`a_k / m_k`: what a mistake costs over what a pull costs.
    pseudo_counts, pseudo_totals : ndarray of float64
        A prior, as samples that were never drawn: how many, and their sum.
    """

    codes: Ints
    parameters: Floats
    user: Any
    evidence: int
    thresholds: Floats
    precisions: Floats
    costs: Floats
    pseudo_counts: Floats
    pseudo_totals: Floats


@njit(cache=True)
def urgency_of(ranking: Ranking, arm: int, count: float, total: float, squares: float) -> float:
    r"""Return the index of one arm from what was seen of it; the least is pulled next.

    Parameters
    ----------
    ranking : Ranking
    arm : int
    count : float
        Pulls told, at least one.
    total, squares : float
        :math:`\sum_i X_i` and :math:`\sum_i (X_i - \theta)^2`.
    """
    seen = count + ranking.pseudo_counts[arm]
    evidence = evidence_of(
        ranking.evidence,
        seen,
        total + ranking.pseudo_totals[arm],
        squares,
        ranking.thresholds[arm],
        ranking.precisions[arm],
    )
    return index_of(ranking.codes[arm], ranking.user, seen, evidence, ranking.costs[arm], ranking.parameters[arm])


@njit(cache=True)
def urgency_in_flight(
    ranking: Ranking, arm: int, count: float, total: float, squares: float, outstanding: float
) -> float:
    """Return the index of one arm that also has pulls outstanding.

    An arm with pulls told is ranked by all its pulls and its expected evidence; arms asked but never told rank after arms never
    asked, fewest outstanding first.
    """
    if outstanding == 0.0:
        return urgency_of(ranking, arm, count, total, squares) if count > 0.0 else -math.inf
    if count == 0.0:
        return -1e300 + outstanding * 1e290
    seen = count + ranking.pseudo_counts[arm]
    evidence = evidence_of(
        ranking.evidence,
        seen,
        total + ranking.pseudo_totals[arm],
        squares,
        ranking.thresholds[arm],
        ranking.precisions[arm],
    )
    return index_of(
        ranking.codes[arm],
        ranking.user,
        seen + outstanding,
        evidence_in_flight(evidence, seen, outstanding),
        ranking.costs[arm],
        ranking.parameters[arm],
    )


@njit(cache=True)
def verdict_of(ranking: Ranking, arm: int, count: float, total: float) -> int:
    """Return 1 for above, -1 for below, 0 for an arm that shows nothing (no sample, or a toy arm with only zeros)."""
    if count == 0.0 or (ranking.evidence == 3 and total == 0.0):
        return 0
    pseudo = ranking.pseudo_counts[arm]
    if pseudo == 0.0 or ranking.pseudo_totals[arm] == pseudo * ranking.thresholds[arm]:
        mean = total / count  # pseudo-samples at the bar cannot change a side, only blur a tie
    else:
        mean = (total + ranking.pseudo_totals[arm]) / (count + pseudo)
    return 1 if mean > ranking.thresholds[arm] else -1
