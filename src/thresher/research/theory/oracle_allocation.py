"""The non-adaptive oracle: the fixed allocation that minimises Hoeffding's bound for known gaps."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.research.theory.error_rates import gaussian_loss
from thresher.research.theory.exponential import least_exponential_sum
from thresher.types import Bools, Floats

__all__ = ["Oracle", "oracle"]


@dataclass(frozen=True, eq=False)
class Oracle:
    r"""The allocation of the non-adaptive oracle.

    Attributes
    ----------
    counts : array of float, shape (K,)
        :math:`N_k \ge 0`, not rounded; together with the pull costs they spend the budget.
    sampled : array of bool, shape (K,)
        The set S: the arms that it does not give up.
    level : float
        :math:`C_S`.
    bound : float
        Its bound on the expected loss, Eq. (5); each arm that it gives up counts in full.
    loss : float
        Its expected loss when the outcomes are Gaussian; each arm that it gives up counts half.
    """

    counts: Floats
    sampled: Bools
    level: float
    bound: float
    loss: float


def oracle(
    gaps: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None, *, budget: float
) -> Oracle:
    r"""Return the allocation that minimises Hoeffding's bound on the loss.

    .. math:: \min_{\sum_k N_k = T} \sum_k a_k e^{-N_k \Delta_k^2}, \qquad
              N_k = \frac{(C_S + \log a_k\Delta_k^2)_+}{\Delta_k^2}, \qquad
              C_S = \frac{T + \sum_{j \in S} \Delta_j^{-2} \log\frac{1}{a_j\Delta_j^2}}{\sum_{j \in S} \Delta_j^{-2}}

    :cite:p:`ouhamma2021`, section 2.1 and Appendix B; the least value is Eq. (5) there, which is
    :math:`\sum_{k \notin S} a_k + e^{-C_S} \sum_{j \in S} \Delta_j^{-2}`. (The appendix calls both the multiplier and
    minus its logarithm :math:`\gamma_S`; :math:`C_S` is the second.)

    With a pull cost :math:`m_k` the budget :math:`\sum_k m_k N_k = T` is in money, one unit of which buys
    :math:`\Delta_k^2/m_k` of exponent: :math:`m_k N_k = (C_S + \log(a_k\Delta_k^2/m_k))_+ \, m_k/\Delta_k^2`, and the
    sums in :math:`C_S` are over :math:`m_j/\Delta_j^2` and :math:`a_j\Delta_j^2/m_j`.

    An arm with gap 0 is never wrong: it gets no sample and adds nothing to bound and loss.

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
    arms = ArmRates.of(gaps, costs, pull_costs)
    best = least_exponential_sum(arms.rates**2, arms.costs, arms.pull_costs, budget=checked_budget(budget))
    loss = gaussian_loss(best.counts, arms.rates, arms.costs)
    return Oracle(best.counts, best.sampled, best.level, best.least, loss)
