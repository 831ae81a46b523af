"""The cost of stopping by the price of the next measurement, compared with the best fixed budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from thresher.errors import InvalidInputError
from thresher.problem import SMALLEST_COST, Problem, find_problem
from thresher.research.simulation.simulation import simulate
from thresher.types import Floats

BUDGETS = 80  # fixed budgets that are tried, evenly in the logarithm: steps of some 8 %
REACH = 4.0  # they go up to this many times what the rule spends at the lowest price


@dataclass(frozen=True)
class StopCost:
    """The total cost of the rule and of the best fixed budget at one price.

    Attributes
    ----------
    price : float
        What one unit of the budget costs, in the unit of the mistake costs.
    mistakes, spent : float
        Of the rule: mean cost of its mistakes, and mean budget spent.
    total : float
        ``mistakes + price * spent``.
    best_budget, best_total : float
        The fixed budget of least total cost, and that cost.
    ratio, low, high : float
        Of the two totals, with its 95 % interval.
    """

    problem: str
    price: float
    mistakes: float
    spent: float
    total: float
    best_budget: float
    best_total: float
    ratio: float
    low: float
    high: float


def stop_costs(
    problem: Problem | str,
    *,
    prices: Iterable[float],
    policy: str = "stopping",
    runs: int = 1000,
    seed: int = 0,
    workers: int | None = None,
) -> list[StopCost]:
    """Return the total cost of stopping by price and of the best fixed budget, price by price.

    Both pull by the same policy with common random numbers. The budget that each half of the runs is charged with was
    the best for the other half, so that choosing it among noisy numbers makes it look no better than it is.

    Parameters
    ----------
    problem : Problem or str
    prices : iterable of float
        Above 0: what one unit of the budget costs, in the unit of the mistake costs.
    policy : str
        An index policy.
    runs, seed, workers : int
        As for :func:`simulate`; at least four runs.

    Raises
    ------
    InvalidInputError
        If a price is not a positive number, or there are too few runs.
    """
    asked = sorted(set(prices))
    if not asked or not all(0.0 < price < np.inf for price in asked):
        raise InvalidInputError("prices", asked, rule="must be one or several positive numbers")
    if runs < 4:
        raise InvalidInputError("runs", runs, rule="must be at least 4")
    whole = find_problem(problem)
    ruled = {price: _by_price(whole, policy, price, runs=runs, seed=seed, workers=workers) for price in asked}
    top = REACH * max(float(ruled[asked[0]][1].mean()), whole.least_budget)
    budgets = np.unique(np.ceil(np.geomspace(whole.least_budget, top, BUDGETS)))
    fixed = simulate(whole, policy, budgets=budgets, runs=runs, seed=seed, workers=workers)
    return [_compared(whole.name, price, *ruled[price], fixed.losses(policy), budgets) for price in asked]


def _by_price(
    problem: Problem, policy: str, price: float, *, runs: int, seed: int, workers: int | None
) -> tuple[Floats, Floats]:
    """Return the losses and the money spent by the rule, run by run."""
    # A budget that costs more than every mistake together: no plan would spend that.
    most = max(float(problem.costs.sum()) / price, 2.0 * problem.least_budget)
    result = simulate(problem, policy, budgets=[most], runs=runs, seed=seed, stop_price=price, workers=workers)
    spent = result.counted[policy].spent[:, 0].astype(np.float64)
    return result.losses(policy)[:, 0], spent * SMALLEST_COST


def _compared(name: str, price: float, losses: Floats, spent: Floats, fixed: Floats, budgets: Floats) -> StopCost:
    ours, totals = losses + price * spent, fixed + price * budgets
    first = np.arange(losses.size) < losses.size // 2
    best = [int(np.argmin(totals[half].mean(axis=0))) for half in (~first, first)]
    theirs = np.where(first, totals[:, best[0]], totals[:, best[1]])
    ratio = float(ours.mean() / theirs.mean())
    error = float(np.std(ours - ratio * theirs, ddof=1) / np.sqrt(losses.size) / theirs.mean())
    return StopCost(
        problem=name,
        price=price,
        mistakes=float(losses.mean()),
        spent=float(spent.mean()),
        total=float(ours.mean()),
        best_budget=float(budgets[int(np.argmin(totals.mean(axis=0)))]),
        best_total=float(theirs.mean()),
        ratio=ratio,
        low=ratio - 1.96 * error,
        high=ratio + 1.96 * error,
    )
