"""Upper bounds for APT, whose index is the evidence alone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.upper_bound.bound import Bound, LevelledBound, log_sum
from thresher.research.theory.upper_bound.deviations import Deviation
from thresher.research.theory.upper_bound.general_bound import first_levels, minimised
from thresher.research.theory.upper_bound.setting import BoundSetting
from thresher.types import Floats


def apt(
    gaps: ArrayLike,
    costs: ArrayLike | None = None,
    *,
    budget: float,
    form: Deviation = "root",
    capped: bool = False,
    whole_pulls: bool = False,
) -> LevelledBound:
    r"""Return the bound of Theorem 2 for APT, :math:`F = x`, with :math:`t_j(C) = C / \Delta_j^2`.

    :cite:p:`ouhamma2021`, appendix D. In the half form it is :func:`apt_corollary_1`. The paper says that the root
    form gives the same; it gives the same exponent, and a smaller bound (see the errata). No arm reaches a level
    without evidence, so that the set holds every arm and the bound does not apply when one of them is at its
    threshold.

    Parameters
    ----------
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None); APT itself ignores the costs.
    budget : float
        :math:`T \ge 1`.
    form, capped, whole_pulls
        As in :func:`~thresher.research.theory.upper_bound.theorem_2`.
    """
    setting = BoundSetting.of(gaps, costs, budget=budget)

    def times(levels: Floats) -> tuple[Floats, Floats]:
        finite = np.where(setting.is_separable, setting.inverse_squares, 0.0)
        needed = np.where(setting.is_separable, levels[:, None] * finite, np.inf)
        return needed, np.full_like(needed, np.inf)

    start = first_levels(lambda _, evidence: evidence, setting)
    return minimised(times, setting, start, form=form, capped=capped, whole_pulls=whole_pulls)


def apt_corollary_1(gaps: ArrayLike, costs: ArrayLike | None = None, *, budget: float) -> Bound:
    r"""Return the paper's bound on the loss of APT.

    .. math:: E[L_T] \le 2 \sqrt{e T} \sum_k a_k \exp\Bigl(-\frac{T}{4 \sum_j 1/\Delta_j^2}\Bigr)

    :cite:p:`ouhamma2021`, Corollary 1, and appendix D for the costs, as printed: it applies to every budget if pulls
    are real numbers. For whole pulls the exponent has :math:`T - K` in place of `T`, see the errata, 12.

    Parameters
    ----------
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None).
    budget : float
        :math:`T \ge 1`.
    """
    setting = BoundSetting.of(gaps, costs, budget=budget)
    return Bound(log_value=log_sum(setting.log_stakes) + _log_probability(setting), worst=setting.worst)


def apt_any_mistake(gaps: ArrayLike, *, budget: float) -> Bound:
    r"""Return the paper's bound on the probability that APT misjudges any arm: :math:`\max_k E_k \le \sum_k E_k`.

    :cite:p:`ouhamma2021`, the sentence after Corollary 1; to be compared with
    :func:`~thresher.research.theory.upper_bound.locatelli`.

    Parameters
    ----------
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0`.
    budget : float
        :math:`T \ge 1`.
    """
    setting = BoundSetting.of(gaps, budget=budget)
    return Bound(log_value=log_sum(setting.log_stakes) + _log_probability(setting), worst=min(1.0, setting.worst))


def _log_probability(setting: BoundSetting) -> float:
    return math.log(2.0) + 0.5 * (1.0 + math.log(setting.budget)) - setting.budget / (4.0 * setting.complexity)


__all__ = ["apt", "apt_any_mistake", "apt_corollary_1"]
