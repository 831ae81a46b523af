"""The integer limit: the adaptive limit over whole samples, the tightest lower bound in this package."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.adaptive_limits import Limit, adaptive_limit, largest_over_prices
from thresher.research.theory.arms import ArmRates
from thresher.research.theory.whole_samples import best_whole_test
from thresher.types import Floats

__all__ = ["integer_limit"]


def integer_limit(
    gaps: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None, *, budget: float
) -> Limit:
    r"""Return the loss that no adaptive policy beats on Gaussian arms of known gaps and random signs, in whole samples.

    .. math:: E[L_T] \ge \max_\lambda \sum_k a_k V\Big(\Delta_k, \frac{\lambda m_k}{a_k}\Big) - \lambda T

    :math:`V(\Delta, c)` is the least expected number of mistakes plus c times samples in the test of one sign, solved
    over whole samples (`thresher.research.theory.whole_samples.best_whole_test`). The argument is that of
    `adaptive_limit`, and since every whole-sample test obeys the change of measure used there, this limit is never
    below it; where one sample says much it is far above. It does not force a first sample of every arm, so it holds for
    policies that give arms up.

    The solver agrees with one of three times its nodes to nine digits. Where an arm's boundary is over fifty steps
    away, the corrected test of continuous time is below the true one by at most 3e-4 of the price of a sample
    (measured up to a hundred steps). Under a second for 50 different arms, half a minute for 10,000; equal arms are
    solved once.

    Parameters
    ----------
    gaps : array of float, shape (K,)
        :math:`\Delta_k = |\mu_k - \theta_k|/\sqrt{2\sigma_k^2}`, 0 or in [1e-60, 1e60]; an arm with gap 0 costs
        nothing.
    costs, pull_costs : array of float, shape (K,), or float, optional
        :math:`a_k` and :math:`m_k`, in [1e-60, 1e60]; 1 when left out.
    budget : float
        :math:`T \ge 0`, in the unit of the pull costs.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    arms = ArmRates.of(gaps, costs, pull_costs)
    kept = arms.judged
    ratio = np.log(arms.costs[kept]) - np.log(arms.pull_costs[kept])
    each, copies = np.unique(np.stack([arms.rates[kept], ratio]), axis=1, return_inverse=True)

    def tests(price: float) -> tuple[Floats, Floats]:
        errors, counts = best_whole_test(price - each[1], each[0])
        return errors[copies], counts[copies]

    start = adaptive_limit(gaps, costs, pull_costs, budget=budget).log_price
    return largest_over_prices(arms, tests, budget=budget, start=start, tolerance=1e-8)
