"""Gaps, costs and budget of the upper bounds, checked once, and what the formulas derive from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.types import Bools, Floats


@dataclass(frozen=True, eq=False)
class BoundSetting:
    r"""Gaps, costs and budget.

    Parameters
    ----------
    gaps : ndarray of shape (n_arms,)
        :math:`\Delta_k \ge 0`. A mistake on an arm at its threshold costs nothing, but the arm takes pulls.
    costs : ndarray of shape (n_arms,)
        :math:`a_k > 0`.
    budget : float
        :math:`T \ge 1`.
    """

    gaps: Floats
    costs: Floats
    budget: float

    def __post_init__(self) -> None:
        if self.budget < 1.0:
            raise InvalidInputError("budget", self.budget, rule="must be at least 1, the cost of a pull")

    @classmethod
    def of(cls, gaps: ArrayLike, costs: ArrayLike | None = None, *, budget: float) -> BoundSetting:
        """Return the setting, or raise :class:`~thresher.errors.InvalidInputError` with what was wrong."""
        arms = ArmRates.of(gaps, costs)
        return cls(arms.rates, arms.costs, checked_budget(budget))

    @cached_property
    def is_separable(self) -> Bools:
        """Which arms are not at their threshold."""
        return self.gaps > 0.0

    @cached_property
    def squares(self) -> Floats:
        r""":math:`\Delta_k^2`."""
        return self.gaps**2

    @cached_property
    def inverse_squares(self) -> Floats:
        r""":math:`1 / \Delta_k^2`, infinite for an arm at its threshold."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.squares

    @cached_property
    def complexity(self) -> float:
        r""":math:`H = \sum_k 1 / \Delta_k^2`."""
        return float(self.inverse_squares.sum())

    @cached_property
    def shares(self) -> Floats:
        r""":math:`(1 / \Delta_k^2) / H`, the weights of the averages in the closed forms, where `H` is finite."""
        return self.inverse_squares / self.complexity

    @cached_property
    def log_squares(self) -> Floats:
        r""":math:`\log \Delta_k^2`."""
        with np.errstate(divide="ignore"):
            return 2.0 * np.log(self.gaps)

    @cached_property
    def log_weights(self) -> Floats:
        r""":math:`\log(a_k \Delta_k^2)`."""
        return np.log(self.costs) + self.log_squares

    @cached_property
    def log_stakes(self) -> Floats:
        r""":math:`\log a_k`, and :math:`-\infty` at the threshold, where no answer is wrong: what a mistake costs."""
        return np.where(self.is_separable, np.log(self.costs), -np.inf)

    @property
    def worst(self) -> float:
        """The loss with every arm on the wrong side."""
        return float(self.costs[self.is_separable].sum())


__all__ = ["BoundSetting"]
