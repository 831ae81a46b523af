"""Lines of a figure from simulation results and exact values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from thresher.report import Line
from thresher.research.papers.exact_losses import losses, pulls
from thresher.research.simulation import Result, Row
from thresher.types import Floats

ORACLE = "oracle"


def mean_lines(result: Result, policies: Sequence[str]) -> list[Line]:
    """Return the mean loss of each policy against the budget, with two standard errors."""
    return [_line(result, name, lambda row: row.mean, _two_errors) for name in policies]


def ratio_lines(result: Result, policies: Sequence[str]) -> list[Line]:
    """Return the mean loss of each policy over the oracle's expected loss, with two standard errors."""
    return over(mean_lines(result, policies), ORACLE, result.problem.name)


def median_lines(result: Result, policies: Sequence[str]) -> list[Line]:
    """Return median and quartiles over the runs of each policy's loss, over the oracle's expected loss."""
    lines = [_line(result, name, lambda row: row.median, lambda row: (row.q25, row.q75)) for name in policies]
    return over(lines, ORACLE, result.problem.name)


def exact_lines(
    problem: str, budgets: Sequence[float], names: Sequence[str], *, over_oracle: bool = False
) -> list[Line]:
    """Return the expected losses of fixed allocations, and limits, against the budget."""
    lines = [Line(name, tuple(budgets), losses(name, problem, tuple(budgets))) for name in names]
    return over(lines, ORACLE, problem) if over_oracle else lines


def pull_lines(result: Result, policies: Sequence[str], *, budget: float) -> list[Line]:
    """Return the mean pulls of each arm against its mean, with two standard errors."""
    b = result.asked.budgets.index(budget)
    lines = []
    for name in policies:
        mean, error = result.pulls(name)[b], 2.0 * result.pulls_stderr(name)[b]
        lines.append(_by_mean(name, result.problem.means, mean, mean - error, mean + error))
    return lines


def exact_pull_lines(result: Result, names: Sequence[str], *, budget: float) -> list[Line]:
    """Return the pulls of each arm by fixed allocations against its mean."""
    return [_by_mean(name, result.problem.means, pulls(name, result.problem.name, budget)) for name in names]


def _line(
    result: Result, policy: str, middle: Callable[[Row], float], band: Callable[[Row], tuple[float, float]]
) -> Line:
    rows = [row for row in result.rows() if row.policy == policy]
    bands = [band(row) for row in rows]
    return Line(
        policy,
        tuple(row.budget for row in rows),
        tuple(middle(row) for row in rows),
        tuple(low for low, _ in bands),
        tuple(high for _, high in bands),
    )


def _two_errors(row: Row) -> tuple[float, float]:
    return row.mean - 2.0 * row.stderr, row.mean + 2.0 * row.stderr


def over(lines: Sequence[Line], base: str, problem: str) -> list[Line]:
    """Return lines divided by the expected loss of a fixed allocation, or by a limit, on a named problem."""

    def divided(values: tuple[float, ...], by: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(value / each for value, each in zip(values, by, strict=True)) if values else ()

    made = []
    for line in lines:
        by = losses(base, problem, line.x)
        made.append(replace(line, y=divided(line.y, by), low=divided(line.low, by), high=divided(line.high, by)))
    return made


def _by_mean(name: str, means: Floats, *values: Floats) -> Line:
    order = np.argsort(means, kind="stable")
    middle, *band = (tuple(each[order].tolist()) for each in values)
    low, high = band or ((), ())
    return Line(name, tuple(means[order].tolist()), middle, low, high)
