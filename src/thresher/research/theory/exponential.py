"""The allocation that minimises a sum of exponentials: the form that the oracle and the lower bounds share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class ExponentialAllocation:
    r"""Where :math:`\sum_k a_k e^{-r_k N_k}` is least.

    Attributes
    ----------
    counts : array of float, shape (K,)
        :math:`N_k \ge 0`; :math:`\sum_k m_k N_k = T`.
    sampled : array of bool, shape (K,)
        The set S of the arms with :math:`N_k > 0`.
    level : float
        :math:`C_S`, minus the logarithm of the multiplier of the budget.
    log_least : float
        The logarithm of the least sum; -inf when no arm can be misjudged.
    """

    counts: Floats
    sampled: Bools
    level: float
    log_least: float

    @property
    def least(self) -> float:
        """The least sum itself."""
        return math.exp(self.log_least)


def least_exponential_sum(rates: Floats, costs: Floats, pull_costs: Floats, *, budget: float) -> ExponentialAllocation:
    r"""Return the allocation that minimises a sum of exponentials, and the sum.

    .. math:: \min\left\{ \sum_k a_k e^{-r_k N_k} : \sum_k m_k N_k = T \right\}

    In money :math:`M_k = m_k N_k` it is the problem of :cite:p:`ouhamma2021`, Appendix B, with the rate
    :math:`\rho_k = r_k/m_k`. There :math:`M_k = (C_S + \log a_k\rho_k)/\rho_k` for the arms of S, those of the largest
    :math:`a_k\rho_k`, and 0 for the others; arm k belongs to S iff
    :math:`T > H_k = \sum_j \rho_j^{-1} \log\frac{a_j\rho_j}{a_k\rho_k}` over the arms j before it. Here :math:`H_k` and
    :math:`M_k` are sums of positive terms, so that nothing cancels when T is in the billions.

    Parameters
    ----------
    rates : array of float, shape (K,)
        :math:`r_k \ge 0`; an arm of rate 0 is left out of allocation and sum.
    costs, pull_costs : array of float, shape (K,)
        :math:`a_k > 0` and :math:`m_k > 0`.
    budget : float
        :math:`T \ge 0`.
    """
    order, worth, weight = _by_worth(rates, costs, pull_costs)
    spread = np.cumsum(weight)
    needed = np.concatenate([[0.0], np.cumsum(spread[:-1] * -np.diff(worth))])[: worth.size]
    size = int(np.searchsorted(needed, budget, side="left"))
    above = (budget - needed[size - 1]) / spread[size - 1] if size else 0.0
    last = worth[max(size - 1, 0)] if worth.size else 0.0
    counts = np.zeros(rates.size)
    counts[order[:size]] = (worth[:size] - last + above) / rates[order[:size]]
    return ExponentialAllocation(counts, counts > 0.0, float(above - last), _log_sum(rates, costs, counts))


def _by_worth(rates: Floats, costs: Floats, pull_costs: Floats) -> tuple[Ints, Floats, Floats]:
    """Return the arms of positive rate, log(a ρ) and 1/ρ of each, by decreasing a ρ (ties: lowest arm first)."""
    judged = np.flatnonzero(rates)
    worth = np.log(costs[judged]) + np.log(rates[judged]) - np.log(pull_costs[judged])
    order = np.argsort(-worth, kind="stable")
    return judged[order], worth[order], (pull_costs[judged] / rates[judged])[order]


def _log_sum(rates: Floats, costs: Floats, counts: Floats) -> float:
    judged = rates > 0.0
    terms = np.log(costs[judged]) - rates[judged] * counts[judged]
    if not terms.size:
        return -math.inf
    return float(terms.max() + np.log(np.exp(terms - terms.max()).sum()))
