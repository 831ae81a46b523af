r"""Upper bounds for the loss :math:`\sum_k \Delta_k E_k` of FWT's index for the sum of gaps."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.upper_bound.bound import Bound, LevelledBound, log_sum
from thresher.research.theory.upper_bound.deviations import LOG_OF_NEVER, Deviation
from thresher.research.theory.upper_bound.general_bound import first_levels, minimised
from thresher.research.theory.upper_bound.setting import BoundSetting
from thresher.types import Floats


def sum_of_gaps(gaps: ArrayLike, *, budget: float, form: Deviation = "root") -> LevelledBound:
    r"""Return the bound on the sum of misjudged gaps at any budget, each arm charged at most its gap.

    .. math::
        t_j(C) = \frac{C + \frac32 \log \Delta_j^2}{\Delta_j^2} \text{ if } C + \tfrac32 \log \Delta_j^2 \ge \tfrac32,
        \text{ else } t_{j,0}(C); \qquad t_{j,0}(C) = \tfrac32 e^{\frac23 C - 1}

    :cite:p:`ouhamma2021`, appendix E, as Theorem 2 with the stakes :math:`\Delta_k` and with :math:`S'` as the cap.
    The appendix multiplies :math:`t_{j,0}` by :math:`\Delta_j` in two places; the index has no weight, so the
    factor must go.

    Parameters
    ----------
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0`.
    budget : float
        :math:`T \ge 1`.
    form : {"half", "root"}
        As in :func:`~thresher.research.theory.upper_bound.theorem_2`.
    """
    setting = BoundSetting.of(gaps, budget=budget)

    def times(levels: Floats) -> tuple[Floats, Floats]:
        idle = 1.5 * np.exp(np.minimum(2.0 / 3.0 * levels[:, None] - 1.0, LOG_OF_NEVER)) * np.ones_like(setting.gaps)
        evidence = levels[:, None] + 1.5 * setting.log_squares
        is_late = (evidence >= 1.5) & setting.is_separable
        needed = np.where(is_late, evidence, 0.0) * np.where(setting.is_separable, setting.inverse_squares, 0.0)
        return np.where(is_late, needed, idle), idle

    return minimised(
        times, setting, first_levels(_index, setting), form=form, capped=True, log_stakes=setting.log_squares / 2.0
    )


def sum_of_gaps_corollary_3(gaps: ArrayLike, *, budget: float) -> Bound:
    r"""Return the paper's bound on the sum of misjudged gaps at large budgets.

    .. math::
        E\Bigl[\sum_k \Delta_k E_k\Bigr] \le 2 \sqrt{e T} \sum_k \Delta_k \exp\Bigl(-\frac12 \frac{\frac T2 + \sum_j
        \frac32 \frac{1}{\Delta_j^2} \log \frac{\Delta_k^2}{\Delta_j^2}}{\sum_j 1/\Delta_j^2}\Bigr)

    :cite:p:`ouhamma2021`, Corollary 3. It applies if

    .. math::
        T \ge 2 \sum_{j=1}^K \frac{1}{\Delta_j^2} \Bigl(3 + 3 \log \frac{\Delta_j \max_i \Delta_i}{(\min_i
        \Delta_i)^2} - \log \frac Te\Bigr).

    Parameters
    ----------
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0`.
    budget : float
        :math:`T \ge 1`.
    """
    setting = BoundSetting.of(gaps, budget=budget)
    worst = float(setting.gaps.sum())
    if not math.isfinite(setting.complexity):
        return Bound(log_value=math.inf, worst=worst, applies=False)
    weights = 1.5 * setting.log_squares
    mean = float(setting.shares @ weights)
    logs = setting.log_squares / 2.0 - setting.budget / (4.0 * setting.complexity) - 0.5 * (weights - mean)
    needed = 2.0 * setting.complexity * (4.0 + mean + weights.max() - 2.0 * weights.min() - math.log(setting.budget))
    log_value = math.log(2.0) + 0.5 * (1.0 + math.log(setting.budget)) + log_sum(logs)
    return Bound(log_value=log_value, worst=worst, applies=bool(setting.budget >= needed))


def _index(counts: Floats, evidence: Floats) -> Floats:
    kept = np.maximum(evidence, 1.5)
    return kept - 1.5 * np.log(kept) + 1.5 * np.log(counts)


__all__ = ["sum_of_gaps", "sum_of_gaps_corollary_3"]
