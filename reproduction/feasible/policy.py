"""What a policy for arms of several coordinates is, and what compiled code is told of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reproduction.feasible.problem import FeasibleProblem
from thresher.errors import InvalidInputError
from thresher.types import Floats, Ints

MD_APT, MD_SAR, MD_UCBE, UNIFORM = range(4)
SOURCE = "katz-samuels2018"


class State(NamedTuple):
    """What a run has seen so far; K arms, D coordinates.

    Attributes
    ----------
    counts : ndarray of int64, shape (K,)
    sums : ndarray of float64, shape (K, D)
    margins : ndarray of float64, shape (K,)
        Of the means seen, tolerance included.
    keys : ndarray of float64, shape (K,)
        The least is pulled next, the first of equals; infinite for an arm that is pulled no more.
    rounds : ndarray of int64, shape (1,)
        How many rounds of MD-SAR are over.
    """

    counts: Ints
    sums: Floats
    margins: Floats
    keys: Floats
    rounds: Ints


class Rules(NamedTuple):
    """How a policy plays at each of B budgets.

    Attributes
    ----------
    code : int
        Of the policy.
    restarts : bool
        Every budget has runs of its own, since the policy is told the horizon.
    bonuses : ndarray of float64, shape (B,)
        The number `a` of MD-UCBE.
    quotas : ndarray of int64, shape (B, K)
        Pulls of each active arm at the end of a round of MD-SAR.
    """

    code: int
    restarts: bool
    bonuses: Floats
    quotas: Ints


@dataclass(frozen=True)
class FeasiblePolicy:
    """A rule that says which arm is next.

    Parameters
    ----------
    name : str
        What results call it.
    code : int
        How compiled code knows it; lives in memory only.
    source : str
        Where it comes from.
    scale : float
        Of MD-UCBE: how many times the paper's `a`.
    horizon : int
        How many pulls it is told there will be; 0 for the budget.
    needs_truth, needs_horizon : bool
        Whether it is told how hard the problem is, and how many pulls there will be.
    """

    name: str
    code: int
    source: str
    scale: float = 0.0
    horizon: int = 0
    needs_truth: bool = False
    needs_horizon: bool = False

    def __post_init__(self) -> None:
        if not (self.scale >= 0.0 and math.isfinite(self.scale)) or (self.code == MD_UCBE and self.scale == 0.0):
            raise InvalidInputError(f"scale of {self.name!r}", self.scale, rule="must be a positive number")
        if self.horizon < 0:
            raise InvalidInputError(
                f"horizon of {self.name!r}", self.horizon, rule="must be a number of pulls, or 0 for the budget"
            )

    def rules(self, problem: FeasibleProblem, budgets: Sequence[int]) -> Rules:
        """Return how it plays a problem at some budgets.

        Raises
        ------
        InvalidInputError
            If a budget is too small for it, or beyond its horizon.
        """
        from reproduction.feasible.md_sar import md_sar_quota
        from reproduction.feasible.md_ucbe import md_ucbe_bonus

        n_arms, horizons = problem.n_arms, [self._horizon(problem, budget) for budget in budgets]
        difficulty = problem.difficulty if self.needs_truth else math.inf
        bonuses = [md_ucbe_bonus(self.scale, horizon, n_arms, difficulty) for horizon in horizons]
        quotas = np.zeros((len(horizons), n_arms), np.int64)
        if self.code == MD_SAR:
            quotas[:, :-1] = [[md_sar_quota(k, n_arms, horizon) for k in range(1, n_arms)] for horizon in horizons]
        return Rules(self.code, self.needs_horizon and self.horizon == 0, np.array(bonuses), quotas)

    def _horizon(self, problem: FeasibleProblem, budget: int) -> int:
        least = problem.n_arms + (1 if self.code == MD_SAR else 0)
        if self.code == MD_SAR and problem.n_arms == 1:
            raise InvalidInputError(
                f"number of arms for {self.name!r}", 1, rule="must be at least 2", fix="or use 'md-apt'"
            )
        if budget < least:
            raise InvalidInputError(
                f"budget for {self.name!r} on {problem.n_arms} arms", budget, rule=f"must be at least {least}"
            )
        if self.horizon and budget > self.horizon:
            raise InvalidInputError(
                f"budget for {self.name!r}",
                budget,
                rule=f"must be at most the horizon ({self.horizon})",
                fix="give a longer horizon, or 0",
            )
        return self.horizon or budget
