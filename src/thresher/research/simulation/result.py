"""What a simulation found: rows for people and programs, paired comparisons, frames, pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.number_text import counted, exact
from thresher.problem import SMALLEST_COST, Problem
from thresher.report import amount, figure, latex_table, loss_strips, notebook_table, text_cell, text_table
from thresher.research.engine import Loss, RunCounts, SimulationOptions
from thresher.research.simulation.own_loss import mistakes_in
from thresher.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thresher.report import Line

MOST_LIMIT_ARMS = 100  # a picture computes the limit of that many arms in about a second

# What a notebook shows, and ``print``
COLUMNS = ("policy", "budget", "mean", "stderr", "median", "any_mistake")
COLUMNS_OF_TIMES = ("policy", "spent", "spent_stderr", "spent_median", "mean", "stderr", "loss", "stopped")


@dataclass(frozen=True)
class OutputTime:
    """Pulls until the n-th arm was output as above the bar, over the runs in which it was."""

    nth: int
    runs: int
    mean: float
    stderr: float


@dataclass(frozen=True)
class Row:
    """One policy at one budget or error rate, over all runs.

    Attributes
    ----------
    budget : float
        With an error rate, the most pulls of a run.
    loss : str
        What is counted; with an error rate what the policy promises to keep at it or below.
    mean, stderr, q25, median, q75 : float
        Of the loss; a standard error is not a number after a single run.
    any_mistake : float, optional
        The share of runs with a mistake; with an error rate, `mean` is the error that the policy promises to keep.
    spent, spent_stderr : float
        Of the budget; with an error rate, pulls until a run ended.
    total, total_stderr : float, optional
        Of the total cost, mistakes and stop price × spent; only where there is a stop price and the loss is a cost.
    spent_q25, spent_median, spent_q75 : float, optional
        Of the pulls until a run ended, with an error rate.
    stopped : float, optional
        The share of runs that the policy stopped by itself, with an error rate; the others would have taken longer.
    outputs : tuple of OutputTime, optional
        Of the first output, the second, and so on, with an error rate.
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
    any_mistake: float | None
    spent: float
    spent_stderr: float
    total: float | None = None
    total_stderr: float | None = None
    spent_q25: float | None = None
    spent_median: float | None = None
    spent_q75: float | None = None
    stopped: float | None = None
    outputs: tuple[OutputTime, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as ``simulate --json`` prints it, without what does not apply."""
        row: dict[str, Any] = {key: value for key, value in asdict(self).items() if value is not None}
        row["budget"] = int(self.budget) if float(self.budget).is_integer() else self.budget
        return {key: strict(value) for key, value in row.items()}


@dataclass(frozen=True)
class Difference:
    """A paired comparison at one budget: ``first - second`` and ``first / second``, with 95 % intervals.

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


class Rows(list[Row]):
    """A list of rows that is printed as a table."""

    def __repr__(self) -> str:
        return text_table(*self.table()) if self else "[]"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return heads and cells of the table."""
        columns = COLUMNS if all(row.stopped is None for row in self) else COLUMNS_OF_TIMES
        cells = [[text_cell(getattr(row, column)) for column in columns] for row in self]
        return [name.replace("_", " ") for name in columns], cells


class Differences(list[Difference]):
    """A list of paired comparisons that is printed as a table."""

    def __repr__(self) -> str:
        heads = ["first", "second", "budget", "difference", "95 % interval", "ratio", "interval of ratio"]
        return text_table(heads, [_cells_of(each) for each in self], left=2) if self else "[]"


def _cells_of(each: Difference) -> list[str]:
    return [
        each.first,
        each.second,
        text_cell(each.budget),
        text_cell(each.difference),
        _interval(each.low, each.high),
        text_cell(each.ratio),
        _interval(each.ratio_low, each.ratio_high),
    ]


def _interval(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{text_cell(low)} to {text_cell(high)}"


@dataclass(frozen=True, eq=False)
class Result:
    """Losses by policy, run and budget, and where the pulls went.

    Parameters
    ----------
    problem : Problem
    asked : SimulationOptions
    runs, seed : int
    counted : dict of str to RunCounts
        By policy.
    about : dict
        Versions and the command that made it.
    promises : dict of str to str
        What each policy that stops by itself promises to keep at the error rate.
    own_loss : str
        The name of the user's own loss, if there is one.
    """

    problem: Problem
    asked: SimulationOptions
    runs: int
    seed: int
    counted: Mapping[str, RunCounts]
    about: dict[str, Any] = field(default_factory=dict)
    promises: Mapping[str, str] = field(default_factory=dict)
    own_loss: str = ""

    @property
    def policies(self) -> list[str]:
        """The policies, as they were named."""
        return list(self.counted)

    def rows(self) -> Rows:
        """Return one row for each policy and budget: a list, which ``print`` shows as a table."""
        return Rows(self._row(name, b) for name in self.policies for b in range(len(self.asked.budgets)))

    def _row(self, name: str, b: int) -> Row:
        losses, spent = self.losses(name)[:, b], self.spent(name)[:, b]
        q25, median, q75 = np.quantile(losses, [0.25, 0.5, 0.75])
        row = Row(
            policy=name,
            budget=self.asked.budgets[b],
            recommend=self.asked.recommend,
            loss=self._loss(name),
            mean=float(losses.mean()),
            stderr=standard_error(losses),
            q25=float(q25),
            median=float(median),
            q75=float(q75),
            any_mistake=float(self.counted[name].any_mistakes[:, b].mean()) if self.asked.alpha is None else None,
            spent=float(spent.mean()),
            spent_stderr=standard_error(spent),
        )
        if self.asked.has_total and not self.own_loss:
            totals = losses + self.asked.stop_price * spent
            return replace(row, total=float(totals.mean()), total_stderr=standard_error(totals))
        return row if self.asked.alpha is None else self._with_times(row, name)

    def _with_times(self, row: Row, name: str) -> Row:
        q25, median, q75 = self._quartiles_of_pulls(name)
        stopped, outputs = float(self.counted[name].stopped.mean()), self.outputs(name)
        return replace(row, spent_q25=q25, spent_median=median, spent_q75=q75, stopped=stopped, outputs=outputs)

    def _quartiles_of_pulls(self, name: str) -> tuple[float, float, float]:
        q25, median, q75 = np.quantile(self.spent(name)[:, 0], [0.25, 0.5, 0.75])
        return float(q25), float(median), float(q75)

    def _loss(self, policy: str) -> str:
        return self._loss_name if self.asked.alpha is None else self.promises[policy]

    @property
    def _loss_name(self) -> str:
        return self.own_loss or self.asked.loss

    def spent(self, policy: str) -> Floats:
        """Return what each run spent, shape (runs, budgets); with an error rate, its pulls."""
        return np.asarray(self._of(policy).spent * SMALLEST_COST)

    def outputs(self, policy: str) -> tuple[OutputTime, ...]:
        """Return when the first arm was output as above the bar, the second, and so on, where any was."""
        found, made = self._of(policy).outputs.astype(np.float64), []
        for i in range(found.shape[1]):
            times = found[found[:, i] > 0.0, i]
            if times.size:
                made.append(OutputTime(i + 1, times.size, float(times.mean()), standard_error(times)))
        return tuple(made)

    def losses(self, policy: str) -> Floats:
        """Return the losses of a policy, shape (runs, budgets)."""
        return self._of(policy).losses

    def mistakes(self, policy: str) -> Floats:
        """Return the mistakes of every run by arm, shape (runs, budgets, K).

        1 for a wrong verdict, ½ for none, 0 for a right one and for an arm on its bar or within the tolerance.

        Raises
        ------
        InvalidInputError
            If they were not kept.
        """
        return mistakes_in(self._kept(policy))

    def gaps(self, policy: str) -> Floats:
        """Return how far each mean is above its bar in every run, shape (runs, K).

        Raises
        ------
        InvalidInputError
            If that was not kept, as for :meth:`mistakes`.
        """
        return self._kept(policy).gaps

    def _kept(self, policy: str) -> RunCounts:
        if not self.asked.keep_mistakes:
            raise InvalidInputError(
                "keep_mistakes", False, rule="must be True for mistakes by arm", fix="simulate(…, keep_mistakes=True)"
            )
        return self._of(policy)

    def pulls(self, policy: str) -> Floats:
        """Return the mean pulls of each arm, shape (budgets, K)."""
        return np.asarray(self._of(policy).pulls / self.runs)

    def pulls_stderr(self, policy: str) -> Floats:
        """Return the standard error of :meth:`pulls`, shape (budgets, K); not a number after a single run."""
        variance = self._of(policy).pulls_squared / self.runs - self.pulls(policy) ** 2
        return np.asarray(np.sqrt(np.maximum(variance, 0.0) / (self.runs - 1 or math.nan)))

    def _of(self, policy: str) -> RunCounts:
        if policy not in self.counted:
            raise UnknownNameError("policy of this result", policy, self.counted)
        return self.counted[policy]

    def compare(self, first: str, second: str) -> Differences:
        """Return the paired comparison of two policies, budget by budget: every run shares its random numbers.

        Losses are compared; with an error rate, the pulls until a run ended. The list is printed as a table.
        """
        value = self.losses if self.asked.alpha is None else self.spent
        one, other = value(first), value(second)
        budgets = range(len(self.asked.budgets))
        return Differences(self._difference(first, second, b, one[:, b], other[:, b]) for b in budgets)

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
            **({} if self.asked.alpha is None else {"alpha": self.asked.alpha}),
            "results": [row.to_dict() for row in self.rows()],
            "notes": self.problem.notes,
            "about": self.about,
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self) -> Any:
        """Return the rows, without the single outputs, as a data frame.

        It is one of pandas, else of polars, else a table of pyarrow, whichever is installed.

        Raises
        ------
        ExperimentError
            If none of them is; ``print(result)`` needs none.
        """
        from thresher.report import frame_of

        frames = [row.to_dict() | {"stderr": row.stderr, "spent_stderr": row.spent_stderr} for row in self.rows()]
        return frame_of([{key: value for key, value in row.items() if key != "outputs"} for row in frames])

    def plot(self, path: Path | str | None = None) -> Figure:
        """Return the picture of loss against budget, with two standard errors; write it if a path is given.

        Where a limit is known that no policy can pass, it is drawn too, and a second panel shows every loss over it.
        With an error rate: of the pulls until a run ended and of the error, a row for each policy.
        """
        from thresher.report import StoppingTime, curves_of, draw_curves, draw_stopping_times

        rows, title = self.rows(), f"{self.problem.name}: {self._size}"
        if self.asked.alpha is None:
            axis = self.own_loss or Loss.named(self.asked.loss).axis
            return draw_curves(curves_of(rows), title=title, ylabel=axis, limit=self._limit(), path=path)
        times = [StoppingTime(row.policy, *self._quartiles_of_pulls(row.policy), row.mean, row.stderr) for row in rows]
        return draw_stopping_times(times, alpha=self.asked.alpha, most=self.asked.budgets[0], title=title, path=path)

    def _limit(self) -> Line | None:
        """Return the limit at each budget, or None where none is known or it would take long to compute."""
        from thresher.report import Line
        from thresher.research.simulation.limits import limit_of

        asked = self.asked
        is_plain = asked.loss == "costs" and not self.own_loss and not asked.tolerance and not asked.stop_price
        if not is_plain or self.problem.n_arms > MOST_LIMIT_ARMS:
            return None
        limits = [limit_of(self.problem, budget) for budget in asked.budgets]
        found = [limit for limit in limits if limit is not None]
        if len(found) < len(limits):
            return None
        return Line(f"{found[0][0]} limit", asked.budgets, tuple(value for _, value in found))

    @property
    def title(self) -> str:
        """What was simulated, above a table of the rows."""
        asked, assumed = self.asked, self.problem.assumptions
        aim = (
            f"loss {self._loss_name!r} ({asked.recommend})"
            if asked.alpha is None
            else f"error rate {exact(asked.alpha)}"
        )
        about = f"{self.problem.name}: {self._size}, {aim}"
        return f"{about}; assumed: {assumed}" if assumed else about

    def __str__(self) -> str:
        """Return the title and the rows as a table."""
        return f"{self.title}\n{self.rows()}"

    def __repr__(self) -> str:
        """Return one line that describes the simulation."""
        asked, names = self.asked, ", ".join(self.policies)
        at = f"alpha {exact(asked.alpha)}" if asked.alpha is not None else f"budgets {_listed(asked.budgets)}"
        arms, runs = counted(self.problem.n_arms, "arm"), counted(self.runs, "run")
        return f"<Result: {names} on {self.problem.name!r} ({arms}), {at}, {runs}>"

    @property
    def _size(self) -> str:
        return f"{counted(self.problem.n_arms, 'arm')}, {counted(self.runs, 'run')}"

    @property
    def summary(self) -> str:
        """One sentence: which policy has the least loss at the largest budget, or stops first at the error rate."""
        rows = self.rows()
        if self.asked.alpha is not None:
            best = min(rows, key=lambda row: row.spent)
            pulls = amount(round(best.spent))
            return f"At alpha {exact(self.asked.alpha)} {best.policy} stops first: after {pulls} pulls on average."
        last = max(self.asked.budgets)
        best = min((row for row in rows if row.budget == last), key=lambda row: row.mean)
        least = f"{figure(best.mean)} ± {figure(best.stderr, 2)}"
        return f"At budget {amount(last)} {best.policy} has the least mean loss: {least}."

    def _repr_html_(self) -> str:
        """Return the summary and the rows as a table, for notebooks."""
        rows = self.rows()
        strips = loss_strips(rows) if self.asked.alpha is None else ()
        return notebook_table(self.summary, *rows.table(), [repr(self)[1:-1]], strips=strips)

    def to_latex(self) -> str:
        """Return the rows as a LaTeX table, with the rules of the package booktabs."""
        return latex_table(*self.rows().table())


def _listed(budgets: tuple[float, ...]) -> str:
    shown = [amount(budget, 12) for budget in budgets]
    return ", ".join(shown if len(shown) <= 4 else [*shown[:2], "…", shown[-1]])


def standard_error(values: NDArray[np.floating[Any]]) -> float:
    """Return the standard error of a mean; NaN for a single value."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else math.nan


def strict(value: Any) -> Any:
    """Return a document for strict JSON: NaN and infinities become None."""
    if isinstance(value, dict):
        return {key: strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [strict(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
