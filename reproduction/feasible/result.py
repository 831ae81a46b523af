"""What runs on arms of several coordinates came to: rows, pulls, data frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reproduction.feasible.problem import FeasibleProblem
from reproduction.feasible.runs import Judged
from thresher.errors import UnknownNameError
from thresher.types import Floats


@dataclass(frozen=True)
class FeasibleRow:
    """How often one policy failed at one budget, and where its pulls went.

    Attributes
    ----------
    policy : str
    budget : int
    failure, failure_stderr : float
        Share of the runs in which an arm that counts was misjudged, and its standard error.
    pulls, pulls_stderr : tuple of float
        Mean pulls of each arm, and their standard errors.
    """

    policy: str
    budget: int
    failure: float
    failure_stderr: float
    pulls: tuple[float, ...]
    pulls_stderr: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class FeasibleResult:
    """Failures and pulls by policy and budget.

    Parameters
    ----------
    problem : FeasibleProblem
    budgets : tuple of int
        Increasing.
    runs, seed : int
    judged : mapping of str to Judged
        By policy.
    """

    problem: FeasibleProblem
    budgets: tuple[int, ...]
    runs: int
    seed: int
    judged: Mapping[str, Judged] = field(repr=False)

    def failures(self, policy: str) -> Floats:
        """Return 1 where a run failed at a budget and 0 where not, shape (runs, B)."""
        return self._of(policy).failures

    def pulls(self, policy: str) -> Floats:
        """Return the mean pulls of each arm at each budget, shape (B, K)."""
        return self._of(policy).pulls / self.runs

    def pulls_stderr(self, policy: str) -> Floats:
        """Return the standard errors of the mean pulls, shape (B, K); 0 for a single run."""
        means = self.pulls(policy)
        spread = np.maximum(self._of(policy).pulls_squared / self.runs - means**2, 0.0)
        return np.asarray(np.sqrt(spread / max(self.runs - 1, 1)))

    def rows(self) -> list[FeasibleRow]:
        """Return one row for each policy and budget."""
        rows = []
        for policy in self.judged:
            shares, pulls, errors = self.failures(policy).mean(axis=0), self.pulls(policy), self.pulls_stderr(policy)
            for b, budget in enumerate(self.budgets):
                share = float(shares[b])
                stderr = float(np.sqrt(share * (1.0 - share) / self.runs))
                rows.append(FeasibleRow(policy, budget, share, stderr, _numbers(pulls[b]), _numbers(errors[b])))
        return rows

    def to_frame(self) -> Any:
        """Return the rows as a data frame of whichever library is installed."""
        from thresher.report.frames import frame_of

        return frame_of([vars(row) for row in self.rows()])

    def _of(self, policy: str) -> Judged:
        if policy not in self.judged:
            raise UnknownNameError("policy of this result", policy, self.judged)
        return self.judged[policy]


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
