"""How much budget is needed for a target number of mistakes, by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from thresher.errors import InvalidInputError
from thresher.number_text import figure
from thresher.problem import Combination, Population, Problem, Structure
from thresher.report import amount, counted, exact, notebook_table
from thresher.research.simulation.arguments import runs_of
from thresher.research.simulation.result import Result
from thresher.research.simulation.simulation import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOUBLINGS = 12  # of the least budget that are tried before giving up
FINE = 8  # budgets between two doublings, once it is known which


class CurveRow(Protocol):
    """A point of a curve of mistakes against budgets."""

    @property
    def budget(self) -> float:
        """What may be spent."""

    @property
    def mean(self) -> float:
        """Mistakes, on average."""

    @property
    def stderr(self) -> float:
        """Standard error of the mean."""


@dataclass(frozen=True)
class BudgetNeed:
    """The budget at which a policy makes the target number of mistakes.

    Attributes
    ----------
    policy : str
    budget, low, high : float or None
        The estimate and its 95 % interval; None where no budget that was tried is enough.
    """

    policy: str
    budget: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Plan:
    """The budgets for a target number of mistakes, and the curves behind them."""

    mistakes: float
    needs: tuple[BudgetNeed, ...]
    result: Result

    @property
    def summary(self) -> str:
        """One sentence: how much more budget uniform sampling needs."""
        one, other = self.needs
        if one.budget and other.budget:
            times = other.budget / one.budget
            return f"{one.policy} needs {figure(times, 2)} × fewer measurements than even sampling (uniform)."
        if one.budget:
            return "Even sampling (uniform) needs more than every budget that was tried."
        return "No budget that was tried is enough: some arms are too close to the bar for that few mistakes."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return heads and rows of the table of budgets."""
        arms = self.result.problem.n_arms
        rows = [
            [
                need.policy,
                _budget_cell(need.budget),
                f"{_budget_cell(need.low)} to {_budget_cell(need.high)}",
                "" if need.budget is None else amount(need.budget / arms),
            ]
            for need in self.needs
        ]
        return ["policy", "budget", "95 % interval", "per arm"], rows

    @property
    def title(self) -> str:
        """What was planned."""
        problem, runs = self.result.problem, self.result.runs
        mistakes = f"{exact(self.mistakes)} mistake{'' if self.mistakes == 1.0 else 's'}"
        known = ", ".join(filter(None, [problem.assumptions, counted(runs, "run")]))
        return f"Budget for {mistakes} among {problem.question.judged.size:,} arms ({problem.name}: {known})"

    def plot(self, path: Path | str | None = None) -> Figure:
        """Return the picture of mistakes against budget, the target and both budgets; write it if a path is given.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from thresher.report import PlannedCurve, curves_of, draw_plan

        labels = [f"thresher ({self.needs[0].policy})", "even sampling"]
        planned = zip(curves_of(self.result.rows()), labels, self.needs, strict=True)
        curves = [PlannedCurve(line, label, need.budget) for line, label, need in planned]
        return draw_plan(curves, mistakes=self.mistakes, title=self.title, path=path)

    def _repr_html_(self) -> str:
        return notebook_table(self.summary, *self.table(), [self.title])

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as ``plan --json`` prints it."""
        return {
            "problem": self.result.problem.summary(),
            "mistakes": self.mistakes,
            "runs": self.result.runs,
            "seed": self.result.seed,
            "needs": [vars(need) for need in self.needs],
            "curve": [row.to_dict() for row in self.result.rows()],
        }


def _budget_cell(value: float | None) -> str:
    return "more" if value is None else amount(round(value))


def assumed_problem(
    *,
    arms: int,
    family: str = "gaussian",
    bar: float = 0.0,
    centre: float | None = None,
    spread: float,
    sigma: float = 1.0,
    control: str | None = None,
    margin: float | str = 0.0,
) -> Problem:
    """Return a problem whose means are drawn around a centre in every run: what a planner can assume.

    Parameters
    ----------
    arms : int
        At least one.
    family : str
        ``"gaussian"`` or ``"bernoulli"``.
    bar : float
        The threshold of every arm.
    centre, spread : float
        Mean and standard deviation of the population of means; the centre is the bar unless given.
    sigma : float
        Standard deviation of a Gaussian outcome.
    control : str, optional
        Name of one more arm, whose mean is `bar` and takes the place of the threshold: it has to be measured.
    margin : float or str
        Of the control.

    Raises
    ------
    InvalidInputError
        If no population has these parameters.
    """
    if arms < 1:
        raise InvalidInputError("arms", arms, rule="must be at least 1")
    middle = bar if centre is None else centre
    for what, value in (("bar", bar), ("centre", middle)):
        if not math.isfinite(value):
            raise InvalidInputError(what, value, rule="must be a finite number")
    if not (math.isfinite(spread) and spread > 0):
        raise InvalidInputError("spread", spread, rule="must be a positive number")
    bars = _assumed_bar(arms, bar, control, margin)
    if family == "gaussian":
        population = Population("gaussian", middle, spread)
        return _assuming(Problem.gaussian(sigma=sigma, population=population, name="assumed", **bars))
    if family == "bernoulli":
        for what, value in (("bar", bar), ("centre", middle)):
            if not 0 < value < 1:
                raise InvalidInputError(f"{what} of rates", value, rule="must be between 0 and 1 (exclusive)")
        return _assuming(Problem.bernoulli(population=_beta(middle, spread), name="assumed", **bars))
    raise InvalidInputError("family", family, rule="must be 'gaussian' or 'bernoulli'", fix="or give a problem")


def _assuming(problem: Problem) -> Problem:
    """Return a problem of which everything but the number of arms is assumed."""
    return replace(problem, assumed=("family", "sigma", "thresholds", "population"))


def _assumed_bar(arms: int, bar: float, control: str | None, margin: float | str) -> dict[str, Any]:
    """Return how many arms there are and what their bar is, as the constructors of problems take it."""
    Combination(has_control=control is not None, margin=margin).check()
    if control is None:
        return {"means": np.full(arms, bar), "thresholds": bar}
    names = (control, *(str(k) for k in range(1, arms + 1)))
    return {"means": np.full(arms + 1, bar), "arms": names, "control": control, "margin": margin}


def with_costs(problem: Problem, *, costs: Sequence[float], pull_costs: Sequence[float]) -> Problem:
    """Return the same problem with costs, which go to the arms in turn.

    Raises
    ------
    InvalidInputError
        If a cost is not a positive finite number.
    """
    question = replace(
        problem.question,
        costs=np.resize(np.asarray(costs, dtype=np.float64), problem.n_arms),
        pull_costs=np.resize(np.asarray(pull_costs, dtype=np.float64), problem.n_arms),
    )
    return replace(problem, question=question)


def with_items(problem: Problem, items: int) -> Problem:
    """Return the same problem with a pool of that many items behind each arm, drawn afresh in every run.

    An arm answers each of its items at most once, and its truth is the mean of all of them.

    Raises
    ------
    InvalidInputError
        If there is not one item, or the problem has samples or samplers of its own.
    """
    if items < 1:
        raise InvalidInputError("--items", items, rule="must be at least 1")
    has_outcomes = problem.pool is not None or problem.truth.samplers is not None
    Combination(items=items, has_outcomes=has_outcomes).check(items="--items")
    structure = Structure(np.full(problem.n_arms, items, dtype=np.int64))
    return replace(problem, question=replace(problem.question, structure=structure))


def _beta(mean: float, spread: float) -> Population:
    most = math.sqrt(mean * (1.0 - mean))
    if not spread < most:
        raise InvalidInputError(f"spread of rates around {exact(mean)}", spread, rule=f"must be below {figure(most)}")
    weight = mean * (1.0 - mean) / spread**2 - 1.0
    return Population("beta", mean * weight, (1.0 - mean) * weight)


def plan(
    problem: Problem,
    *,
    mistakes: float,
    policy: str = "stopping",
    runs: int = 400,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    say: Callable[[str], None] | None = None,
) -> Plan:
    """Return the budget at which a policy, and uniform sampling, make a target number of mistakes on average.

    Budgets are doubled until both curves have passed the target; then the last doublings are simulated on a finer grid.
    The answer is interpolated on the curves, linearly in logarithms, and its interval on the curves two standard errors
    above and below.

    Parameters
    ----------
    problem : Problem
        With fixed means, or with a population.
    mistakes : float
        Positive: expected mistakes, weighted by their costs.
    policy : str
        What to compare with ``uniform``.
    runs, seed : int
        Number of runs, at least two, and the random seed.

    Raises
    ------
    InvalidInputError
        If the target is not a positive number, or is reached before the first choice.
    """
    runs = runs_of(runs, least=2)  # an interval needs at least two
    if not (math.isfinite(mistakes) and mistakes > 0):
        raise InvalidInputError("mistakes", mistakes, rule="must be a positive number")
    question = problem.question
    if mistakes >= (most := float(question.costs[question.judged].sum())):
        raise InvalidInputError("mistakes", mistakes, rule=f"must be below {exact(most)}, which is every arm misjudged")
    least = problem.least_budget
    coarse = [least * 2.0**i for i in range(DOUBLINGS + 1)]
    names = [policy, "uniform"]
    first = simulate(problem, names, budgets=coarse, runs=max(runs // 8, 50), seed=seed, say=say)
    budgets = sorted({round(b) if least >= 1 else b for name in names for b in _around(first, name, mistakes)})
    result = simulate(problem, names, budgets=budgets, runs=runs, seed=seed, progress=progress, say=say)
    return Plan(mistakes, tuple(_need(result, name, mistakes) for name in names), result)


def _around(result: Result, policy: str, mistakes: float) -> list[float]:
    """Return budgets around the one where a rough curve passes the target."""
    rows = [row for row in result.rows() if row.policy == policy]
    place = next((i for i, row in enumerate(rows) if row.mean <= mistakes), len(rows) - 1)
    low, high = rows[max(place - 2, 0)].budget, rows[min(place + 1, len(rows) - 1)].budget
    return [float(b) for b in np.geomspace(low, high, 3 * FINE + 1)]


def _need(result: Result, policy: str, mistakes: float) -> BudgetNeed:
    rows = [row for row in result.rows() if row.policy == policy]
    return BudgetNeed(policy, *(crossing(rows, mistakes, shift) for shift in (0.0, -2.0, 2.0)))


def crossing(rows: Sequence[CurveRow], mistakes: float, shift: float) -> float | None:
    """Return where a curve, moved by some standard errors, first falls to the target."""
    values = np.minimum.accumulate([max(row.mean + shift * row.stderr, 1e-12) for row in rows])
    below = np.flatnonzero(values <= mistakes)
    if below.size == 0:
        return None
    i = int(below[0])
    if i == 0:
        return rows[0].budget
    share = math.log(values[i - 1] / mistakes) / math.log(values[i - 1] / values[i])
    return float(rows[i - 1].budget * (rows[i].budget / rows[i - 1].budget) ** share)
