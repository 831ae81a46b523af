"""Calibration of chances of error: mistakes expected under the fitted population, against mistakes made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.engine import arms_of, ticks_of
from thresher.engine.run import one_pass
from thresher.engine.seen_runs import SeenRuns, see_runs
from thresher.policy import find_index_policy
from thresher.policy.doubt import expected_mistakes
from thresher.policy.population import p_above
from thresher.policy.seen import Seen
from thresher.problem import Problem
from thresher.types import Floats, Ints


@dataclass(frozen=True)
class Calibrated:
    """Mistakes expected and made, on average over runs.

    Parameters
    ----------
    problem : str
    budget : float
    predicted, realised : float
        Expected and actual numbers of wrong verdicts.
    stderr : float
        Of the ratio.
    """

    problem: str
    budget: float
    predicted: float
    realised: float
    stderr: float

    @property
    def ratio(self) -> float:
        """Predicted over realised; NaN where nothing went wrong."""
        return self.predicted / self.realised if self.realised > 0.0 else math.nan

    def to_dict(self) -> dict[str, str | float]:
        """Return the fields by name, and the ratio."""
        return {"problem": self.problem, "budget": self.budget, "predicted": self.predicted,
                "realised": self.realised, "ratio": self.ratio, "stderr": self.stderr}  # fmt: skip


def calibrate(
    problem: Problem, budgets: Sequence[float], *, runs: int, fits: int, seed: int, policy: str = "stopping"
) -> list[Calibrated]:
    """Return how many mistakes a policy makes on a problem, and how many are expected, at each budget.

    Parameters
    ----------
    problem : Problem
        Not of the family ``two-point``.
    budgets : sequence of float
        Increasing.
    runs : int
        In which mistakes are counted.
    fits : int
        To so many of those runs a population is fitted, which takes far longer than to make them.
    seed : int
    policy : str
        One that ranks by an index.
    """
    rule = find_index_policy(policy)
    rows = []
    for part in one_pass(problem, budgets):
        ticks = np.array([ticks_of(budget) for budget in part], dtype=np.int64)
        seen = see_runs(rule.rank(problem), arms_of(problem), ticks, seed, 0, runs)
        rows += [_row(problem, float(budget), seen, b, fits) for b, budget in enumerate(part)]
    return rows


def _row(problem: Problem, budget: float, seen: SeenRuns, b: int, fits: int) -> Calibrated:
    counts, totals, squares = seen.counts[:, b], seen.totals[:, b], seen.squares[:, b]
    verdicts: Ints = np.where(totals / counts > problem.thresholds, 1, -1).astype(np.int64)
    wrong = ((verdicts > 0) != (seen.means > problem.thresholds)) & (seen.means != problem.thresholds)
    realised: Floats = wrong.sum(axis=1).astype(np.float64)
    predicted = np.array(
        [
            expected_mistakes(verdicts[i], p_above(problem.question, Seen(counts[i], totals[i], squares[i])))
            for i in range(min(fits, counts.shape[0]))
        ]
    )
    errors = [values.std() / math.sqrt(values.size) / max(values.mean(), 1e-300) for values in (predicted, realised)]
    ratio = predicted.mean() / max(realised.mean(), 1e-300)
    return Calibrated(
        problem.name, budget, float(predicted.mean()), float(realised.mean()), float(ratio * math.hypot(*errors))
    )
