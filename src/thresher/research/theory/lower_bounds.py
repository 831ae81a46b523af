"""Lower bounds of the paper: on the loss of every algorithm, and on the pulls of arms near the threshold."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.number_text import figure
from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.research.theory.exponential import least_exponential_sum
from thresher.types import Floats

__all__ = ["family_lower_bound", "least_pulls", "lower_bound"]


def lower_bound(
    gaps: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None, *, budget: float
) -> float:
    r"""Return a loss that every algorithm suffers on some problem with these gaps.

    .. math:: \frac14 \min_{\sum_k m_k N_k = T} \sum_k a_k e^{-4 N_k \Delta_k^2}

    :cite:p:`ouhamma2021`, Theorem 1, for Gaussian arms of means :math:`\theta \pm \sqrt{2\sigma^2}\,\Delta_k` (the
    statement there has :math:`\pm\Delta_k`, with which the divergence would not be :math:`4\Delta_k^2`). The least
    sum is the oracle's with :math:`4\Delta_k^2` in place of :math:`\Delta_k^2`. The proof charges expected pulls, so
    it holds with pull costs too. An arm with gap 0 adds nothing. `adaptive_limit` is never below this bound.

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
    return _quarter(4.0 * arms.rates**2, arms, budget)


def family_lower_bound(
    divergences: ArrayLike,
    reverse_divergences: ArrayLike,
    costs: ArrayLike | None = None,
    pull_costs: ArrayLike | None = None,
    *,
    budget: float,
) -> float:
    r"""Return a loss that every algorithm suffers when each arm may have either of two means.

    .. math:: \frac14 \min_{\sum_k m_k N_k = T} \sum_k a_k
              \exp\big(-N_k \max\{\mathrm{KL}(\mu_k, \tilde\mu_k), \mathrm{KL}(\tilde\mu_k, \mu_k)\}\big)

    :cite:p:`ouhamma2021`, Appendix A, for any exponential family with one parameter. An arm with an infinite divergence
    adds nothing.

    Parameters
    ----------
    divergences, reverse_divergences : array of float, shape (K,)
        The two divergences of each arm, 0 or in [1e-60, 1e60], or inf.
    costs, pull_costs, budget
        As for `lower_bound`.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    most = np.maximum(np.asarray(divergences, dtype=np.float64), np.asarray(reverse_divergences, dtype=np.float64))
    arms = ArmRates.of(np.where(np.isposinf(most), 0.0, most), costs, pull_costs)
    return _quarter(arms.rates, arms, budget)


def least_pulls(
    gaps: ArrayLike, *, hard_arms: int, hard_gap: float, budget: float, exponent: float = 1.0, factor: float = 1.0
) -> float:
    r"""Return how many pulls a good algorithm must spend in expectation on arms that it cannot judge.

    The problem has :math:`K_0` arms of mean ε near the threshold 0 and K − K₀ others. If an algorithm has
    :math:`E[L_T] \le V = c_1 \min_{\sum N = T} \sum_k e^{-c_0 N_k\Delta_k^2}` on the two problems in which the arms
    near the threshold are replaced by arms of the least other mean, above it or below it, then on the problem itself
    or on its mirror image (mean −ε)

    .. math:: E\Big[\sum_{k \le K_0} N_k\Big] \ge \frac{1}{8(\Delta_{K_0+1} - \delta)^2} \log\frac{K_0}{512\, V},
              \qquad \delta = \frac{\varepsilon}{\sqrt{2\sigma^2}} \le \sqrt{\frac{\log 2}{4T}}.

    :cite:p:`ouhamma2021`, section 2.2 and Appendix A, with other constants: 1/8 there is 1/4 in units of variance 1,
    and where the oracle of exponent :math:`c_0` pulls every arm,
    :math:`\log\frac{K_0}{512 V} = \frac{c_0 T + H^{\log}}{H} + \log\frac{K_0}{512 c_1 H}`; the paper prints 1/2,
    :math:`c_0(T + H^{\log})/H` and 32. Derived so: let :math:`L_0` be the mistakes among the :math:`K_0` arms. (1)
    Under the mirror image :math:`L_0` becomes :math:`K_0 - L_0`, and the two problems are at divergence at most
    :math:`4\delta^2 T \le \log 2`, so the probabilities of :math:`L_0 \ge K_0/2` on the two sum to at least
    :math:`\frac12 e^{-\log 2} = \frac14` and one of them is at least 1/8 (not 1/4). (2) On the replaced problem of
    the same signs that event has probability at most :math:`q = 2V/K_0`, by Markov. (3) The divergence between the
    two is :math:`n(\Delta_{K_0+1} - \delta)^2` with n the pulls of these arms, and it is at least
    :math:`\mathrm{kl}(\frac18, q) \ge \frac18\log\frac1q - \log 2 = \frac18 \log\frac{K_0}{512 V}`. (4) V is taken as
    it is, so that the oracle need not pull every arm; with all of them pulled it is
    :math:`c_1 H e^{-(c_0 T + H^{\log})/H}`.

    Parameters
    ----------
    gaps : array of float, shape (K − K₀,)
        Gaps of the other arms, positive; the least of them is :math:`\Delta_{K_0+1}`.
    hard_arms : int
        :math:`K_0 \ge 1`.
    hard_gap : float
        :math:`0 < \delta \le \sqrt{\log 2/(4T)}`, below the gaps.
    budget : float
        :math:`T > 0` pulls.
    exponent, factor : float
        :math:`c_0 > 0` and :math:`c_1 > 0`; those of the oracle's own bound are 1 and 1.

    Returns
    -------
    float
        The bound, 0 where it is trivial.

    Raises
    ------
    InvalidInputError
        When the arms near the threshold are too far from it for this budget, or a number is outside its range.
    """
    others, budget = ArmRates.of(gaps), checked_budget(budget)
    nearest = float(others.rates.min())
    _check_hard(hard_arms, hard_gap, nearest, budget)
    replaced = np.concatenate([np.full(hard_arms, nearest), others.rates])
    ones = np.ones(replaced.size)
    least = least_exponential_sum(exponent * replaced**2, ones, ones, budget=budget).log_least
    # In logarithms: the least sum itself underflows once the budget is some hundred times H.
    return max(math.log(hard_arms / (512.0 * factor)) - least, 0.0) / (8.0 * (nearest - hard_gap) ** 2)


def _quarter(rates: Floats, arms: ArmRates, budget: float) -> float:
    best = least_exponential_sum(rates, arms.costs, arms.pull_costs, budget=checked_budget(budget))
    return 0.25 * best.least


def _check_hard(hard_arms: int, hard_gap: float, nearest: float, budget: float) -> None:
    if hard_arms < 1:
        raise InvalidInputError("hard_arms", hard_arms, rule="must be at least 1, the arms near the threshold")
    if budget == 0.0:
        raise InvalidInputError("budget", budget, rule="must be positive to pull the arms near the threshold")
    widest = math.sqrt(math.log(2.0) / (4.0 * budget))
    if not 0.0 < hard_gap <= widest or hard_gap >= nearest:
        raise InvalidInputError(
            "hard_gap, the gap of the arms near the threshold,",
            hard_gap,
            rule=f"must be positive, at most {figure(widest)} and below the other gaps ({figure(nearest)})",
        )
