"""The static optimum: the best fixed allocation for known gaps, judged by the exact Gaussian error."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.research.theory.error_rates import gaussian_loss
from thresher.research.theory.lagrange_multiplier import log_price
from thresher.types import Floats

__all__ = ["StaticOptimum", "static_optimum"]


@dataclass(frozen=True, eq=False)
class StaticOptimum:
    r"""The best allocation that is fixed in advance.

    Attributes
    ----------
    counts : array of float, shape (K,)
        :math:`N_k`, not rounded, positive for every arm whose gap is not 0.
    log_price : float
        The logarithm of the multiplier of the budget, the loss that one more unit of it would save; inf when nothing is
        spent.
    loss : float
        The expected loss of Gaussian arms under this allocation.
    """

    counts: Floats
    log_price: float
    loss: float


def static_optimum(
    gaps: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None, *, budget: float
) -> StaticOptimum:
    r"""Return the allocation that minimises the expected loss of Gaussian arms.

    .. math:: \min_{\sum_k m_k N_k = T} \sum_k a_k \Phi\big(-\sqrt{2 N_k}\,\Delta_k\big)

    It is convex, and at the optimum each arm has
    :math:`a_k \Delta_k\, \varphi(\sqrt{2N_k}\Delta_k)/\sqrt{2N_k} = \lambda m_k`. With :math:`x_k = N_k\Delta_k^2`
    that is

    .. math:: 2x_k + \log 2x_k = 2\log\frac{a_k\Delta_k^2}{\lambda m_k} - \log 2\pi

    which Wright's omega function solves; :math:`\lambda` is found so that the budget is spent. The slope at
    :math:`N_k = 0` is infinite, so no arm is given up, unlike in the oracle, which minimises Hoeffding's bound and
    loses to uniform sampling when the budget is small. An arm with gap 0 gets no sample and costs nothing.

    Parameters
    ----------
    gaps : array of float, shape (K,)
        :math:`\Delta_k = |\mu_k - \theta_k|/\sqrt{2\sigma_k^2}`, 0 or in [1e-60, 1e60].
    costs, pull_costs : array of float, shape (K,), or float, optional
        :math:`a_k` and :math:`m_k`, in [1e-60, 1e60]; 1 when left out.
    budget : float
        :math:`T \ge 0`, in the unit of the pull costs.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    arms, budget = ArmRates.of(gaps, costs, pull_costs), checked_budget(budget)
    counts, price = np.zeros(arms.rates.size), math.inf
    judged = arms.judged
    if budget > 0.0 and judged.any():
        counts[judged], price = _solve(arms.rates[judged], arms.costs[judged], arms.pull_costs[judged], budget)
    return StaticOptimum(counts, price, gaussian_loss(counts, arms.rates, arms.costs))


def _solve(gaps: Floats, costs: Floats, pull_costs: Floats, budget: float) -> tuple[Floats, float]:
    worth = np.log(costs) + 2.0 * np.log(gaps) - np.log(pull_costs)

    def counts_at(price: float) -> Floats:
        return _counts(2.0 * (worth - price) - math.log(2.0 * math.pi), gaps)

    def spending(price: float) -> float:
        return float(pull_costs @ counts_at(price))

    # The price at which the most valuable arm has x of about one.
    price = log_price(spending, budget=budget, start=float(worth.max()) - 2.0)
    counts = counts_at(price)
    # The price is right to some thirteen digits; the budget is to be spent to the last one.
    return counts * (budget / float(pull_costs @ counts)), price


def _counts(level: Floats, gaps: Floats) -> Floats:
    """Return ω(level)/(2 gap²), with ω taken by its logarithm, level − ω(level), where it could underflow."""
    from scipy.special import wrightomega

    double = wrightomega(level)
    small = level < -1.0
    logarithm = np.where(small, level - double, 0.0) - 2.0 * np.log(gaps)
    return np.asarray(0.5 * np.exp(logarithm) * np.where(small, 1.0, double), dtype=np.float64)
