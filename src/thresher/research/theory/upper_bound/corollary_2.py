"""The paper's bound for FWT at any budget, which gives up the arms that are too hard."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thresher.research.theory.upper_bound.bound import Bound, log_sum
from thresher.research.theory.upper_bound.deviations import LOG_OF_NEVER
from thresher.research.theory.upper_bound.levels import least_over_levels
from thresher.research.theory.upper_bound.setting import BoundSetting
from thresher.types import Floats, Ints

FIRST_POINTS = 129


@dataclass(frozen=True, kw_only=True)
class SetBound(Bound):
    """The bound of Corollary 2, with the choices that make it least.

    Parameters
    ----------
    level : float
        `C`.
    explored, kept : int
        The sizes of `S`, the arms whose exploration is bounded in probability, and of `S'`, those that are not given
        up.
    """

    level: float
    explored: int
    kept: int


def fwt_corollary_2(gaps: ArrayLike, costs: ArrayLike | None = None, *, budget: float) -> SetBound:
    r"""Return the paper's bound for FWT at any budget, least over the sets :math:`S' \subseteq S` and the level `C`.

    .. math::
        E[L_T] \le \sum_{k \notin S'} a_k + e \sum_{k \in S'} a_k \exp\Bigl(-\frac{\frac12 (T - \sum_{j \notin S} a_j
        e^{C - 1}) + \sum_{j \in S} \frac{1}{\Delta_j^2} \log \frac{1}{a_j \Delta_j^2}}{\sum_{j \in S} 1/\Delta_j^2} +
        C\Bigr) + T e^{-C} \sum_{k \in S'} \frac{1}{\Delta_k^2}

    for :math:`C \ge 1 + \max_{k \in S} \log 1/(a_k \Delta_k^2)`. :cite:p:`ouhamma2021`, Corollary 2. Both sets hold
    the arms of largest :math:`a_k \Delta_k^2`; for given `S` and `C` the best `S'` holds those charged less than
    their cost.

    Parameters
    ----------
    gaps, costs : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0` and :math:`a_k > 0` (1 if None).
    budget : float
        :math:`T \ge 1`.

    Returns
    -------
    SetBound
        It always applies: with both sets empty it is the sum of the costs.
    """
    setting = BoundSetting.of(gaps, costs, budget=budget)
    tails = _Tails.of(setting)
    if not tails.log_weights.size:
        return SetBound(log_value=log_sum(setting.log_stakes), worst=setting.worst, level=0.0, explored=0, kept=0)
    # Wherever an arm is given up the bound has a kink, where no parabola helps.
    level, _ = least_over_levels(
        lambda levels: tails.log_bounds(levels)[0].min(axis=1, keepdims=True), tails.levels(), flatness=1e-6
    )
    logs, first = tails.log_bounds(level)
    best = int(np.argmin(logs[0]))
    n_sets, kept = tails.log_weights.size, tails.log_weights.size - int(first[0, best])
    explored = n_sets - best if kept else 0
    return SetBound(
        log_value=float(logs[0, best]), worst=setting.worst, level=float(level[0]), explored=explored, kept=kept
    )


@dataclass(frozen=True, eq=False)
class _Tails:
    r"""Sums over the arms from the i-th on, by increasing :math:`a_k \Delta_k^2`, arms at their threshold left out."""

    budget: float
    log_weights: Floats
    scale: Floats
    tilt: Floats
    log_idle: Floats
    log_stakes: Floats
    log_scale: Floats
    log_given_up: Floats

    @classmethod
    def of(cls, setting: BoundSetting) -> _Tails:
        order = np.argsort(setting.log_weights, kind="stable")
        order = order[setting.is_separable[order]]
        weights, inverse, costs = setting.log_weights[order], setting.inverse_squares[order], setting.costs[order]
        before = np.concatenate([[0.0], np.cumsum(costs)])
        with np.errstate(divide="ignore"):
            log_idle = np.log(setting.costs[~setting.is_separable].sum() + before[:-1])
            logs = np.log(_sums_to_the_end(costs)), np.log(_sums_to_the_end(inverse)), np.log(before)
        scale, tilt = _sums_to_the_end(inverse)[:-1], _sums_to_the_end(inverse * weights)[:-1]
        return cls(setting.budget, weights, scale, tilt, log_idle, *logs)

    def levels(self) -> Floats:
        """Return the levels at which to begin: those that arms left out reach in time, and all with every arm in S."""
        low = 1.0 - float(self.log_weights[-1])
        idle = 1.0 + math.log(self.budget) - float(self.log_idle[np.isfinite(self.log_idle)].min(initial=np.inf))
        every = (self.budget / 2.0 - self.tilt[0]) / self.scale[0] if np.isneginf(self.log_idle[0]) else low
        return np.concatenate([np.linspace(low, max(low, high), FIRST_POINTS) for high in (idle, every)])

    def log_bounds(self, levels: Floats) -> tuple[Floats, Ints]:
        """Return the bounds, and where S' begins, for each level and each S, of shape (n_levels, n_sets)."""
        column = levels[:, None]
        left = self.budget - np.exp(np.minimum(column - 1.0 + self.log_idle, LOG_OF_NEVER))
        missed = np.minimum(1.0 + column - (left / 2.0 - self.tilt) / self.scale, 0.0)  # at 0 every arm is given up
        is_allowed = (column >= 1.0 - self.log_weights) & (missed < 0.0)
        with np.errstate(divide="ignore"):
            room = np.log(-np.expm1(np.where(is_allowed, missed, 0.0)))
        least_weight = np.where(is_allowed, math.log(self.budget) - column - np.where(is_allowed, room, 0.0), np.inf)
        first = np.maximum(
            np.searchsorted(self.log_weights, least_weight, side="right"), np.arange(self.log_weights.size)
        )
        charged = np.logaddexp(missed + self.log_stakes[first], math.log(self.budget) - column + self.log_scale[first])
        return np.logaddexp(self.log_given_up[first], charged), first


def _sums_to_the_end(values: Floats) -> Floats:
    """Return the sums of the entries from the i-th on, for i = 0, …, K; the last is 0."""
    return np.concatenate([np.cumsum(values[::-1])[::-1], [0.0]])


__all__ = ["SetBound", "fwt_corollary_2"]
