"""Upper bounds for FWT, whose index is the logarithm of the oracle's gradient."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.upper_bound.bound import Bound, LevelledBound, log_sum
from thresher.research.theory.upper_bound.deviations import LOG_OF_NEVER, Deviation
from thresher.research.theory.upper_bound.general_bound import first_levels, minimised
from thresher.research.theory.upper_bound.setting import BoundSetting
from thresher.types import Floats


def fwt(
    gaps: ArrayLike,
    costs: ArrayLike | None = None,
    *,
    budget: float,
    form: Deviation = "root",
    capped: bool = False,
    whole_pulls: bool = False,
) -> LevelledBound:
    r"""Return the bound of Theorem 2 for FWT, :math:`F = m - \log m + \log(n / a)` with :math:`m = \max(x, 1)`.

    .. math::
        t_j(C) = \frac{C + \log(a_j \Delta_j^2)}{\Delta_j^2} \text{ if } C + \log(a_j \Delta_j^2) \ge 1, \text{ else }
        t_{j,0}(C); \qquad t_{j,0}(C) = a_j e^{C - 1}

    :cite:p:`ouhamma2021`, appendix D.

    Parameters
    ----------
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None), which are also the costs in the index.
    budget : float
        :math:`T \ge 1`.
    form, capped, whole_pulls
        As in :func:`~thresher.research.theory.upper_bound.theorem_2`.
    """
    setting = BoundSetting.of(gaps, costs, budget=budget)
    log_costs = np.log(setting.costs)

    def times(levels: Floats) -> tuple[Floats, Floats]:
        idle = np.exp(np.minimum(levels[:, None] + log_costs - 1.0, LOG_OF_NEVER))
        evidence = levels[:, None] + setting.log_weights
        is_late = (evidence >= 1.0) & setting.is_separable
        needed = np.where(is_late, evidence, 0.0) * np.where(setting.is_separable, setting.inverse_squares, 0.0)
        return np.where(is_late, needed, idle), idle

    start = first_levels(lambda counts, evidence: _index(counts, evidence, log_costs), setting)
    return minimised(times, setting, start, form=form, capped=capped, whole_pulls=whole_pulls)


def fwt_large_budget(gaps: ArrayLike, costs: ArrayLike | None = None, *, budget: float) -> Bound:
    r"""Return the paper's bound for FWT with the oracle's exponent divided by 4, for large budgets.

    .. math::
        E[L_T] \le 2 \sqrt{e T} \sum_k a_k \exp\Bigl(-\frac14 \frac{T + 2 \sum_j \frac{1}{\Delta_j^2} \log \frac{a_k
        \Delta_k^2}{a_j \Delta_j^2}} {\sum_j 1/\Delta_j^2}\Bigr)

    :cite:p:`ouhamma2021`, Eq. (6). It applies if

    .. math::
        T \ge 2 \sum_j \frac{1}{\Delta_j^2} \Bigl(2 + \log \frac{a_j \Delta_j^2 \max_i a_i \Delta_i^2}{(\min_k a_k
        \Delta_k^2)^2} - \log \frac Te\Bigr),

    which is the condition of section 3; the appendix has :math:`e^3` for the last `e` by a slip.

    Parameters
    ----------
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None).
    budget : float
        :math:`T \ge 1`.
    """
    setting = BoundSetting.of(gaps, costs, budget=budget)
    if not math.isfinite(setting.complexity):
        return Bound(log_value=math.inf, worst=setting.worst, applies=False)
    weights = setting.log_weights
    mean = float(setting.shares @ weights)
    logs = setting.log_stakes - setting.budget / (4.0 * setting.complexity) - 0.5 * (weights - mean)
    needed = 2.0 * setting.complexity * (3.0 + mean + weights.max() - 2.0 * weights.min() - math.log(setting.budget))
    log_value = math.log(2.0) + 0.5 * (1.0 + math.log(setting.budget)) + log_sum(logs)
    return Bound(log_value=log_value, worst=setting.worst, applies=bool(setting.budget >= needed))


def _index(counts: Floats, evidence: Floats, log_costs: Floats) -> Floats:
    kept = np.maximum(evidence, 1.0)
    return kept - np.log(kept) + np.log(counts) - log_costs


__all__ = ["fwt", "fwt_large_budget"]
