r"""The paper's main upper bound, for any index that does not decrease in pulls and in evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.upper_bound.bound import LevelledBound, log_sum
from thresher.research.theory.upper_bound.deviations import Deviation, best_exponents
from thresher.research.theory.upper_bound.first_passage import ArrayIndex, Passage, ScalarIndex, array_index
from thresher.research.theory.upper_bound.levels import least_over_levels
from thresher.research.theory.upper_bound.setting import BoundSetting
from thresher.types import Bools, Floats

Times: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]

FIRST_POINTS = 65
LEAST_EVIDENCE = 1e-3  # levels that the easiest arm reaches with less evidence than this are all alike


def theorem_2(
    index: Sequence[ScalarIndex] | ArrayIndex,
    gaps: ArrayLike,
    costs: ArrayLike | None = None,
    *,
    budget: float,
    form: Deviation = "root",
    capped: bool = False,
    whole_pulls: bool = False,
) -> LevelledBound:
    r"""Return the upper bound of the paper's Theorem 2 on the loss of an index policy, with optimal free parameters.

    .. math::
        E[L_T] \le \sum_k a_k \min_{C, S} \left\{ e \exp\Bigl(-\frac{\frac12 (T - \sum_{j \notin S} t_{j,0}(C)) -
        \sum_{j \in S} t_j(C)} {\sum_{j \in S} 1/\Delta_j^2}\Bigr) + T e^{-t_k(C) \Delta_k^2} \right\}

    with :math:`F_j(t_j(C), t_j(C) \Delta_j^2) = C` and :math:`F_j(t_{j,0}(C), 0) = C`.
    :cite:p:`ouhamma2021`, Theorem 2 and, for an index that differs from arm to arm, appendix D; the root form is the
    remark there. It is proved for sub-Gaussian arms and for the recommendation at :math:`t_{\max}`, and unless
    `whole_pulls` for real pulls: as printed it is false near one pull per arm, see the errata, 12. The level
    :math:`C_k` is chosen for each arm, and for each level the best of the nested sets. An arm outside of the set is one
    that reaches the level whatever it shows; with the empty set the first term is 0.

    Parameters
    ----------
    index : sequence of callables, or callable
        :math:`F_k(n, x)` for each arm: plain or compiled functions of two numbers; or one function of two arrays
        whose last axis runs over the arms. Called at real :math:`n > 0`, never at 0; it may be :math:`-\infty` where
        :math:`x = 0`.
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None). The costs weigh the loss; the index has its own, if any.
    budget : float
        :math:`T \ge 1`.
    form : {"half", "root"}
        The deviation: as in the theorem, or as in the remark, which is never worse.
    capped : bool
        Charge an arm at most its cost. It is what the set :math:`S'` of Corollary 2 does for FWT.
    whole_pulls : bool
        The paper treats :math:`\tau_k(C)` as a real number. With whole pulls the same proof holds for
        :math:`\tau_k(C) - 1`, so that :math:`T` loses one pull for each arm of the set and :math:`t_{j,0}` is rounded
        up.

    Returns
    -------
    LevelledBound
        It does not apply where no set will do: an arm at its threshold under an index that then stays low forever.

    Raises
    ------
    InvalidIndexError
        If the index decreases, is not a number, or is given for another number of arms.
    InvalidInputError
        If a gap, a cost or the budget is out of range.
    """
    setting = BoundSetting.of(gaps, costs, budget=budget)
    evaluate = array_index(index, setting.gaps.size)
    levels = first_levels(
        lambda counts, evidence: evaluate(counts, evidence, np.ones(counts.shape, dtype=np.bool_)), setting
    )
    times = _numerical_times(evaluate, setting, reach=_longest_time(setting))
    return minimised(times, setting, levels, form=form, capped=capped, whole_pulls=whole_pulls)


def minimised(
    times: Times,
    setting: BoundSetting,
    start: Floats,
    *,
    form: Deviation,
    capped: bool,
    whole_pulls: bool = False,
    log_stakes: Floats | None = None,
) -> LevelledBound:
    """Return the least bound that Theorem 2 gives with known times, over levels and sets.

    Parameters
    ----------
    times : callable
        Takes levels, shape (n_levels,); returns :math:`t_j(C)` and :math:`t_{j,0}(C)`, each of shape (n_levels,
        n_arms).
    setting : BoundSetting
        Gaps, costs, budget.
    start : ndarray of shape (n_levels,)
        The levels at which to begin, see :func:`first_levels`.
    form, capped, whole_pulls
        As in :func:`theorem_2`.
    log_stakes : ndarray of shape (n_arms,), optional
        Logarithm of what a mistake on an arm costs, if that is not the cost in the index.
    """
    stakes = setting.log_stakes if log_stakes is None else log_stakes

    def log_probabilities(levels: Floats) -> Floats:
        needed, idle = times(levels)
        exponents = best_exponents(
            needed, idle, setting.inverse_squares, budget=setting.budget, form=form, whole_pulls=whole_pulls
        )
        mistaken = math.log(setting.budget) - np.where(setting.is_separable, needed, 0.0) * setting.squares
        return np.logaddexp((1.0 - exponents)[:, None], mistaken)

    levels, logs = least_over_levels(log_probabilities, start)
    logs = np.where(np.isneginf(stakes), 0.0, np.minimum(logs, 0.0) if capped else logs)
    shares = stakes + logs
    total, worst = log_sum(shares), float(np.exp(stakes).sum())
    return LevelledBound(log_value=total, worst=worst, applies=total < math.inf, levels=levels, log_shares=shares)


def first_levels(index: ArrayIndex, setting: BoundSetting) -> Floats:
    r"""Return the levels at which the search for the best one begins.

    At the least one no arm needs more than a thousandth of :math:`1/\Delta_j^2`. At the largest one some arm alone
    needs so much more than the budget that the first term exceeds the largest value of the second, `T`. Half of them
    lie where arms may be left out of the set, below the level that one without evidence reaches with the whole budget.
    """
    some = setting.is_separable
    if not np.any(some):
        return np.zeros(1)
    squares = np.where(some, setting.squares, 1.0)
    early = (LEAST_EVIDENCE / squares)[None, :]
    late, budget = np.full_like(early, _longest_time(setting)), np.full_like(early, setting.budget)
    low = float(index(early, early * squares)[0, some].min())
    high = max(low, float(index(late, late * squares)[0, some].min()))
    idle = float(np.clip(index(budget, np.zeros_like(budget)).max(), low, high))
    return np.concatenate([np.linspace(low, idle, FIRST_POINTS), np.linspace(low, high, FIRST_POINTS)])


def _longest_time(setting: BoundSetting) -> float:
    complexity = float(setting.inverse_squares[setting.is_separable].sum())
    return (math.sqrt(setting.budget) + math.sqrt(complexity * (1.0 + math.log(setting.budget)))) ** 2


def _numerical_times(
    evaluate: Callable[[Floats, Floats, Bools], Floats], setting: BoundSetting, *, reach: float
) -> Times:
    squares = np.where(setting.is_separable, setting.squares, 1.0)
    early = np.minimum(1e-12 * LEAST_EVIDENCE / squares, reach / 2.0)
    moving = Passage.tabulated(
        lambda counts, wanted: evaluate(counts, counts * squares, wanted), early, np.full_like(early, reach)
    )
    soon, budget = np.full_like(early, 1e-18 * setting.budget), np.full_like(early, setting.budget)
    idle = Passage.tabulated(lambda counts, wanted: evaluate(counts, np.zeros_like(counts), wanted), soon, budget)

    def times(levels: Floats) -> tuple[Floats, Floats]:
        idle_times = idle(levels)
        return np.where(setting.is_separable, moving(levels), idle_times), idle_times

    return times


__all__ = ["FIRST_POINTS", "first_levels", "minimised", "theorem_2"]
