"""The Bayes limit of 0/1 arms: a lower bound on the expected loss of every policy over any population of means."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from thresher.policy.literature import DEAREST, BetaPrior, TablePrior, least_cost, posteriors_of
from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.types import Floats

PRICES = np.geomspace(1e-5, DEAREST, 160)  # any price gives a limit: a grid can only lose
DEPTH = 2000  # samples of one arm that are solved one by one
MOST_VALUES = 1000  # of a table with this depth, in four seconds; a longer one has less depth, which can only lose

__all__ = ["binary_limit"]


def binary_limit(
    prior: BetaPrior | TablePrior,
    thresholds: ArrayLike,
    costs: ArrayLike | None = None,
    pull_costs: ArrayLike | None = None,
    *,
    budget: float,
) -> float:
    r"""Return a lower bound on the expected loss of every policy when each mean is drawn from a prior.

    With a price :math:`c` for each unit of the budget every arm is a stopping problem of its own. With :math:`V(c)` its
    least expected cost (:mod:`thresher.policy.literature.known_standard`) every policy has

    .. math:: E[L_T] \ge \max_c \left\{ \sum_k a_k V_k\Big(\frac{c\, m_k}{a_k}\Big) - c T \right\}

    :math:`V` is concave in the price, so interpolation between two prices is never above it.

    Parameters
    ----------
    prior : BetaPrior or TablePrior
        Of every mean.
    thresholds : array of float, shape (K,)
        In (0, 1).
    costs, pull_costs : array of float, shape (K,), or float, optional
        :math:`a_k` and :math:`m_k`; 1 when left out.
    budget : float
        :math:`T \ge 0`, in the unit of the pull costs.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    bars = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    if not bars.size:
        return 0.0
    arms = ArmRates.of(np.ones(bars.size), costs, pull_costs)
    kinds, numbers = np.unique(np.stack([bars, arms.costs, arms.pull_costs]), axis=1, return_counts=True)
    scale = float((kinds[1] / kinds[2]).max())
    total = np.zeros(PRICES.size)
    for (bar, cost, pull_cost), number in zip(kinds.T, numbers, strict=True):
        own = np.concatenate([[0.0], PRICES]), np.concatenate([[0.0], _values(prior, float(bar))])
        total += number * cost * np.interp(scale * PRICES * pull_cost / cost, *own)
    return max(0.0, float(np.max(total - scale * PRICES * checked_budget(budget))))


@lru_cache(maxsize=16)
def _values(prior: BetaPrior | TablePrior, threshold: float) -> Floats:
    """Return V at every price of the grid, shape (P,)."""
    n_values = len(set(prior.values)) if isinstance(prior, TablePrior) else 1
    depth = int(DEPTH * min(1.0, (MOST_VALUES / n_values) ** 0.5))
    known = posteriors_of(prior, threshold, depth)
    return np.array([least_cost(known.errors, known.ones, depth, price) for price in PRICES])
