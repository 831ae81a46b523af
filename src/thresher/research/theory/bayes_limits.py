"""The Bayes limit: a lower bound on the expected loss of every policy over a Gaussian population of means."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.research.theory.boundary import solve_boundary

PRICES = 4000  # any price gives a limit, so that a grid can only lose: 1e-6 of the largest one

__all__ = ["bayes_limit"]


def bayes_limit(
    spreads: ArrayLike,
    costs: ArrayLike | None = None,
    pull_costs: ArrayLike | None = None,
    *,
    budget: float,
    centre: float = 0.0,
) -> float:
    r"""Return a lower bound on the expected loss of every policy when each mean is drawn from a normal distribution.

    With :math:`\mu_k \sim N(\theta_k + z_0 \tau_k, \tau_k^2)` the prior counts as
    :math:`n_k = \sigma_k^2 / \tau_k^2` samples that are :math:`z_0` standard errors from the bar, and with a price
    :math:`c` for each unit of the budget every arm is a stopping problem of its own. With :math:`V` its least cost
    (:mod:`thresher.research.theory.boundary`, p = 0) every policy has, for every price,

    .. math:: E[L_T] \ge \sum_k a_k V\Bigl(\log \frac{c \, m_k n_k}{a_k}, |z_0|\Bigr) - c T

    and the limit is the largest right-hand side. It allows policies to watch a Brownian path; they draw whole samples.

    Parameters
    ----------
    spreads : array of float, shape (K,)
        :math:`\tau_k / \sigma_k`, standard deviation of the means over that of one sample; 0 for a mean at its
        threshold.
    costs, pull_costs : array of float, shape (K,), or float, optional
        :math:`a_k` and :math:`m_k`; 1 when left out.
    budget : float
        :math:`T \ge 0`, in the unit of the pull costs.
    centre : float
        :math:`z_0`, from the threshold to the centre of the population, over its standard deviation.

    Raises
    ------
    InvalidInputError
        For a negative number, or one that is not finite.
    """
    if not np.isfinite(centre):
        raise InvalidInputError("centre", centre, rule="must be a finite number")
    arms = ArmRates.of(spreads, costs, pull_costs)
    kept = arms.judged
    if not kept.any():
        return 0.0
    shifts = np.log(arms.pull_costs[kept] / arms.costs[kept]) - 2.0 * np.log(arms.rates[kept])
    (shifts, weights), numbers = np.unique(np.stack([shifts, arms.costs[kept]]), axis=1, return_counts=True)
    solved = solve_boundary()
    log_prices = np.linspace(solved.log_time[0], solved.log_time[-1], PRICES) - shifts.min()
    kinds, values = zip(shifts, weights * numbers, strict=True), solved.value_at(abs(centre))
    stopping = sum(weight * np.interp(log_prices + shift, solved.log_time, values) for shift, weight in kinds)
    return max(0.0, float(np.max(stopping - np.exp(log_prices) * checked_budget(budget))))
