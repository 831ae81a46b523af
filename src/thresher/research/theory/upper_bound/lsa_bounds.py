"""Upper bounds for LSA, whose index adds the logarithm of the pulls to the evidence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.upper_bound.bound import LevelledBound, log_sum
from thresher.research.theory.upper_bound.deviations import LOG_OF_NEVER, Deviation
from thresher.research.theory.upper_bound.general_bound import FIRST_POINTS, first_levels, minimised
from thresher.research.theory.upper_bound.levels import least_over_levels
from thresher.research.theory.upper_bound.setting import BoundSetting
from thresher.types import Floats


def lsa(
    gaps: ArrayLike,
    costs: ArrayLike | None = None,
    *,
    budget: float,
    alpha: float = 1.0,
    form: Deviation = "root",
    capped: bool = False,
    whole_pulls: bool = False,
) -> LevelledBound:
    r"""Return the bound of Theorem 2 for LSA, :math:`F = \alpha x + \log(n / a)`, by Lambert's function.

    Inequalities for that function are in :cite:p:`hoorfar2008`.

    .. math:: t_j(C) = \frac{W(\alpha a_j \Delta_j^2 e^C)}{\alpha \Delta_j^2}, \qquad t_{j,0}(C) = a_j e^C

    :cite:p:`ouhamma2021`, appendix D, where :math:`\alpha = a_j = 1`; :math:`W(e^y)` is Wright's omega function,
    which does not overflow.

    Parameters
    ----------
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None), which are also the costs in the index.
    budget : float
        :math:`T \ge 1`.
    alpha : float
        :math:`\alpha > 0`.
    form, capped, whole_pulls
        As in :func:`~thresher.research.theory.upper_bound.theorem_2`.
    """
    from scipy.special import wrightomega

    setting = BoundSetting.of(gaps, costs, budget=budget)
    log_costs = np.log(setting.costs)

    def times(levels: Floats) -> tuple[Floats, Floats]:
        idle = np.exp(np.minimum(levels[:, None] + log_costs, LOG_OF_NEVER))
        evidence = (
            wrightomega(np.where(setting.is_separable, levels[:, None] + math.log(alpha) + setting.log_weights, 0.0))
            / alpha
        )
        return np.where(setting.is_separable, evidence * setting.inverse_squares, idle), idle

    start = first_levels(lambda counts, evidence: alpha * evidence + np.log(counts) - log_costs, setting)
    return minimised(times, setting, start, form=form, capped=capped, whole_pulls=whole_pulls)


def lsa_explicit(
    gaps: ArrayLike, costs: ArrayLike | None = None, *, budget: float, capped: bool = False
) -> LevelledBound:
    r"""Return the paper's bound for LSA without Lambert's function, the one that its figures plot.

    .. math::
        E[L_T] \le \sum_k a_k \left\{ (1 + e) \exp\Bigl(-\frac{\frac T2 - \sum_j \frac{1}{\Delta_j^2} (y_{kj} - \log
        y_{kj})}{\sum_j 1/\Delta_j^2} \Bigr) + T y_{kk} e^{-y_{kk}} \right\}, \qquad y_{kj} = C_k + \log(a_j
        \Delta_j^2) \ge 1

    :cite:p:`ouhamma2021`, appendix D, the last equation on LSA (there with :math:`a_j = 1` in `y`). The levels are
    the best ones among those that meet the condition; it needs every gap above 0.

    Parameters
    ----------
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None), which are also the costs in the index.
    budget : float
        :math:`T \ge 1`.
    capped : bool
        Charge an arm at most its cost.
    """
    setting = BoundSetting.of(gaps, costs, budget=budget)
    if not math.isfinite(setting.complexity):
        nowhere = np.full(setting.gaps.shape, np.inf)
        return LevelledBound(log_value=math.inf, worst=setting.worst, applies=False, levels=nowhere, log_shares=nowhere)

    def log_probabilities(levels: Floats) -> Floats:
        evidence = np.maximum(levels[:, None] + setting.log_weights, 1.0)  # at least 1 in the window, but for rounding
        shortened = evidence - np.log(evidence)
        explored = math.log1p(math.e) - setting.budget / (2.0 * setting.complexity) + shortened @ setting.shares
        return np.logaddexp(explored[:, None], math.log(setting.budget) - shortened)

    low = 1.0 - float(setting.log_weights.min())
    # y - log y >= (1 - 1/e) y: beyond this the first term exceeds T, the most that the second can be.
    high = low + 1.6 * (1.0 + math.log(setting.budget) + setting.budget / (2.0 * setting.complexity))
    levels, logs = least_over_levels(log_probabilities, np.linspace(low, high, FIRST_POINTS))
    shares = setting.log_stakes + (np.minimum(logs, 0.0) if capped else logs)
    return LevelledBound(log_value=log_sum(shares), worst=setting.worst, levels=levels, log_shares=shares)


__all__ = ["lsa", "lsa_explicit"]
