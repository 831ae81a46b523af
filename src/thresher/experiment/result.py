"""What a simulation found: rows for people and programs, paired comparisons, frames, pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.engine import Counted
from thresher.errors import UnknownNameError
from thresher.experiment.job import Asked
from thresher.problem import SMALLEST_COST, Problem
from thresher.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Row:
    """The loss of one policy at one budget, over all runs.

    Attributes
    ----------
    mean, stderr, q25, median, q75 : float
        Of the loss; a standard error is not a number after a single run.
    any_mistake : float
        The share of runs with a mistake.
    spent, spent_stderr : float
        Of the budget.
    total, total_stderr : float, optional
        Of the total cost, mistakes and stop price × spent; only where there is a stop price and the loss is a cost.
    """

    policy: str
    budget: float
    recommend: str
    loss: str
    mean: float
    stderr: float
    q25: float
    median: float
    q75: float
    any_mistake: float
    spent: float
    spent_stderr: float
    total: float | None = None
    total_stderr: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as ``simulate --json`` prints it; a total stands only where there is one."""
        row: dict[str, Any] = strict(vars(self))
        row["budget"] = int(self.budget) if float(self.budget).is_integer() else self.budget
        return {key: value for key, value in row.items() if self.total is not None or not key.startswith("total")}


@dataclass(frozen=True)
class Difference:
    """Two policies at one budget on the same luck: ``first - second`` and ``first / second``, with 95 % intervals.

    What a single run cannot tell, the standard error and the intervals, is not a number.
    """

    first: str
    second: str
    budget: float
    difference: float
    stderr: float
    low: float
    high: float
    ratio: float
    ratio_low: float
    ratio_high: float


@dataclass(frozen=True, eq=False)
class Result:
    """Losses by policy, run and budget, and where the pulls went.

    Parameters
    ----------
    problem : Problem
    asked : Asked
    runs, seed : int
    counted : dict of str to Counted
        By policy.
    about : dict
        Versions and the command that made it.
    """

    problem: Problem
    asked: Asked
    runs: int
    seed: int
    counted: Mapping[str, Counted]
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def policies(self) -> list[str]:
        """The policies, as they were named."""
        return list(self.counted)

    def rows(self) -> list[Row]:
        """Return one row for each policy and budget."""
        return [self._row(name, b) for name in self.policies for b in range(len(self.asked.budgets))]

    def _row(self, name: str, b: int) -> Row:
        losses = self.losses(name)[:, b]
        spent = self.counted[name].spent[:, b] * SMALLEST_COST
        totals = losses + self.asked.stop_price * spent if self.asked.has_total else None
        q25, median, q75 = np.quantile(losses, [0.25, 0.5, 0.75])
        return Row(
            policy=name,
            budget=self.asked.budgets[b],
            recommend=self.asked.recommend,
            loss=self.asked.loss,
            mean=float(losses.mean()),
            stderr=standard_error(losses),
            q25=float(q25),
            median=float(median),
            q75=float(q75),
            any_mistake=float(self.counted[name].any_mistakes[:, b].mean()),
            spent=float(spent.mean()),
            spent_stderr=standard_error(spent),
            total=None if totals is None else float(totals.mean()),
            total_stderr=None if totals is None else standard_error(totals),
        )

    def losses(self, policy: str) -> Floats:
        """Return the losses of a policy, shape (runs, budgets)."""
        return self._of(policy).losses

    def pulls(self, policy: str) -> Floats:
        """Return the mean pulls of each arm, shape (budgets, K)."""
        return np.asarray(self._of(policy).pulls / self.runs)

    def pulls_stderr(self, policy: str) -> Floats:
        """Return the standard error of :meth:`pulls`, shape (budgets, K); not a number after a single run."""
        variance = self._of(policy).pulls_squared / self.runs - self.pulls(policy) ** 2
        return np.asarray(np.sqrt(np.maximum(variance, 0.0) / (self.runs - 1 or math.nan)))

    def _of(self, policy: str) -> Counted:
        if policy not in self.counted:
            raise UnknownNameError("policy of this result", policy, self.counted)
        return self.counted[policy]

    def compare(self, first: str, second: str) -> list[Difference]:
        """Return the paired comparison of two policies, budget by budget: every run met the same luck."""
        one, other = self.losses(first), self.losses(second)
        return [self._difference(first, second, b, one[:, b], other[:, b]) for b in range(len(self.asked.budgets))]

    def _difference(self, first: str, second: str, b: int, one: Floats, other: Floats) -> Difference:
        gaps = one - other
        mean, error = float(gaps.mean()), standard_error(gaps)
        base = float(other.mean())
        ratio = float(one.mean()) / base if base else float("nan")
        # Delta method: the ratio of two paired means.
        spread = standard_error(one - ratio * other) / base if base else float("nan")
        return Difference(
            first, second, self.asked.budgets[b], mean, error, mean - 1.96 * error, mean + 1.96 * error,
            ratio, ratio - 1.96 * spread, ratio + 1.96 * spread,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return what ``simulate --json`` prints."""
        return {
            "problem": self.problem.summary(),
            "runs": self.runs,
            "seed": self.seed,
            "results": [row.to_dict() for row in self.rows()],
            "notes": self.problem.notes,
            "about": self.about,
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self) -> Any:
        """Return the rows as a data frame of pandas or polars, whichever is installed."""
        from thresher.report.frames import frame_of

        return frame_of(
            [row.to_dict() | {"stderr": row.stderr, "spent_stderr": row.spent_stderr} for row in self.rows()]
        )

    def plot(self, path: Path | str | None = None) -> Figure:
        """Return the picture of loss against budget, with two standard errors; write it if a path is given."""
        from thresher.report.curves import curves_of, draw_curves

        title = f"{self.problem.name}: {self.problem.n_arms} arms, {self.runs} runs"
        return draw_curves(curves_of(self.rows()), title=title, ylabel=_axis(self.asked), path=path)


def _axis(asked: Asked) -> str:
    if asked.forgiven is not None:
        return f"chance of more than {asked.forgiven} mistakes"
    return {"costs": "mistakes (weighted by cost)", "gaps": "sum of gaps misjudged", "any": "chance of any mistake"}[
        asked.loss
    ]


def standard_error(values: NDArray[np.floating[Any]]) -> float:
    """Return the standard error of a mean; not a number for a single value, which shows no spread."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else math.nan


def strict(value: Any) -> Any:
    """Return a document as strict JSON takes it: what is not a number is None."""
    if isinstance(value, dict):
        return {key: strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [strict(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
