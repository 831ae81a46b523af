"""All bounds and limits of a problem at a budget, in one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from thresher.errors import InvalidInputError
from thresher.index.stopping import stopping_formula
from thresher.problem import Control, Problem
from thresher.problem.budget import budget_of
from thresher.theory.adaptive_limits import adaptive_limit, bernoulli_limit
from thresher.theory.bernoulli import divergence, opposite_mean
from thresher.theory.error_rates import bernoulli_loss
from thresher.theory.integer_limits import integer_limit
from thresher.theory.lower_bounds import family_lower_bound, lower_bound
from thresher.theory.oracle_allocation import oracle
from thresher.theory.pool_limits import pool_limit_of
from thresher.theory.population_limits import OWN_MEANS, population_limit
from thresher.theory.rounding import whole_oracle, whole_static_optimum
from thresher.theory.static_allocation import static_optimum
from thresher.theory.toy import toy_adaptive_bound, toy_adaptive_loss, toy_uniform_loss
from thresher.theory.upper_bound import apt, fwt, lsa, theorem_2
from thresher.types import Ints

SUB_GAUSSIAN = ("gaussian", "bernoulli", "bounded")  # families for which the paper's policies have the paper's evidence

BOUNDED = ("apt", "lsa", "fwt", "stopping")  # policies with an upper bound


@dataclass(frozen=True)
class Theory:
    """The bounds and limits at one budget; None where one does not apply, a vacuous bound as its number.

    The statements are about independent draws and bars that are known. Of pools drawn without replacement only the
    adaptive limit is known, for 0/1 outcomes; where arms share items nothing is, because each answer says something
    about the other arms. With a control only the limits of a policy that is told its mean are known: one that has to
    measure it can do no better.

    Attributes
    ----------
    oracle_bound, oracle_loss : float
        Hoeffding's bound on the non-adaptive oracle, Eq. (5) of the paper, and what it truly loses.
    static_optimum_loss : float
        What the best allocation that does not look at outcomes loses.
    lower_bound, adaptive_limit, integer_limit : float
        What every policy loses: the paper's Theorem 1; Wald's tests in continuous time; the same over whole samples.
    upper_bounds : dict
        What the named policies lose at most, by Theorem 2 and the recommendation ``peak``.
    bayes_limit : float
        What every policy loses on a population of means.
    toy : dict
        The exact losses of the paper's two-point problem.
    """

    budget: float
    oracle_bound: float | None = None
    oracle_loss: float | None = None
    static_optimum_loss: float | None = None
    lower_bound: float | None = None
    adaptive_limit: float | None = None
    integer_limit: float | None = None
    upper_bounds: dict[str, float | None] = field(default_factory=dict)
    bayes_limit: float | None = None
    toy: dict[str, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as ``theory --json`` prints it; the Bayes limit and the toy stand only where asked for."""
        row = dict(vars(self))
        row["budget"] = int(self.budget) if float(self.budget).is_integer() else self.budget
        return {key: value for key, value in row.items() if value is not None or key not in ("bayes_limit", "toy")}


def theory_of(problem: Problem, *, budgets: Iterable[float], population: float | str | None = None) -> list[Theory]:
    """Return the bounds and limits of a problem, budget by budget.

    Parameters
    ----------
    problem : Problem
    budgets : iterable of float
        In the unit of the pull costs.
    population : float or str, optional
        Adds the Bayes limit: of Gaussian means around the bar with this standard deviation τ, or, with ``"means"``, of
        0/1 arms that draw their means from those of the problem.

    Raises
    ------
    InvalidInputError
        If a budget is not a positive number, or the population is neither positive nor ``"means"``.
    """
    if population not in (None, OWN_MEANS) and not (
        isinstance(population, float | int) and np.isfinite(population) and population > 0
    ):
        raise InvalidInputError(
            "population", population, rule="must be a positive spread of the means, or 'means' for 0/1 outcomes"
        )
    return [_row(problem, budget_of(budget), population) for budget in budgets]


def _row(problem: Problem, budget: float, population: float | str | None) -> Theory:
    if problem.control is not None:
        return _with_control(problem, problem.control, budget)
    bayes = population_limit(problem, budget, assumed=population)
    if problem.population is not None:
        return Theory(budget, bayes_limit=bayes, upper_bounds=dict.fromkeys(BOUNDED))
    if problem.family == "two-point":
        return Theory(budget, toy=_toy(problem, budget), upper_bounds=dict.fromkeys(BOUNDED))
    if problem.structure is not None:
        return Theory(budget, adaptive_limit=pool_limit_of(problem, budget), upper_bounds=dict.fromkeys(BOUNDED))
    costs, pull_costs = problem.costs, problem.pull_costs
    best = oracle(problem.gaps, costs, pull_costs, budget=budget)
    is_gaussian = problem.family.startswith("gaussian")
    return Theory(
        budget,
        oracle_bound=best.bound,
        oracle_loss=_static_loss(problem, best.loss, whole_oracle, budget),
        static_optimum_loss=_static_optimum_loss(problem, budget),
        lower_bound=_lower_bound(problem, budget),
        adaptive_limit=_adaptive_limit(problem, budget),
        integer_limit=integer_limit(problem.gaps, costs, pull_costs, budget=budget).loss if is_gaussian else None,
        upper_bounds=_upper_bounds(problem, budget),
        bayes_limit=bayes,
    )


def _with_control(problem: Problem, control: Control, budget: float) -> Theory:
    """Return the limits of policies that are told the control's mean, and still pay its first pulls.

    A policy that measures the control can be played by one that knows its mean and draws the control's outcomes itself.
    So what the latter loses at least on the other arms, with what is left of the budget, the former loses too.
    """
    none = Theory(budget, upper_bounds=dict.fromkeys(BOUNDED))
    left = budget - float(problem.pull_costs[control.arm]) * problem.kind.first_pulls
    if problem.pool is not None or problem.truth.samplers is not None or left <= 0.0:
        return none
    known = _row(problem.known_bar(), left, None)
    return replace(
        none, lower_bound=known.lower_bound, adaptive_limit=known.adaptive_limit, integer_limit=known.integer_limit,
        bayes_limit=known.bayes_limit,
    )  # fmt: skip


def _static_loss(problem: Problem, gaussian: float, whole: Callable[..., Ints], budget: float) -> float | None:
    """Return what a fixed allocation truly loses: real pulls for Gaussian outcomes, whole ones for 0/1 outcomes."""
    if problem.family.startswith("gaussian"):
        return gaussian
    if problem.family == "bernoulli":
        pulls = whole(problem.gaps, problem.costs, problem.pull_costs, budget=budget)
        return bernoulli_loss(pulls, problem.means, problem.thresholds, problem.costs)
    return None


def _static_optimum_loss(problem: Problem, budget: float) -> float | None:
    best = static_optimum(problem.gaps, problem.costs, problem.pull_costs, budget=budget)
    return _static_loss(problem, best.loss, whole_static_optimum, budget)


def _lower_bound(problem: Problem, budget: float) -> float | None:
    if problem.family.startswith("gaussian"):
        return lower_bound(problem.gaps, problem.costs, problem.pull_costs, budget=budget)
    if problem.family == "bernoulli":
        others = opposite_mean(problem.means, problem.thresholds)
        there, back = divergence(problem.means, others), divergence(others, problem.means)
        return family_lower_bound(there, back, problem.costs, problem.pull_costs, budget=budget)
    return None


def _adaptive_limit(problem: Problem, budget: float) -> float | None:
    if problem.family.startswith("gaussian"):
        return adaptive_limit(problem.gaps, problem.costs, problem.pull_costs, budget=budget).loss
    if problem.family == "bernoulli":
        return bernoulli_limit(problem.means, problem.thresholds, problem.costs, problem.pull_costs, budget=budget).loss
    return None


def _upper_bounds(problem: Problem, budget: float) -> dict[str, float | None]:
    """Return Theorem 2 for the named policies; it is proved for pulls that all cost 1 and for sub-Gaussian evidence."""
    if problem.family not in SUB_GAUSSIAN or (problem.pull_costs != 1.0).any():
        return dict.fromkeys(BOUNDED)
    bounds: dict[str, float | None] = {
        policy.__name__: policy(problem.gaps, problem.costs, budget=budget).number for policy in (apt, lsa, fwt)
    }
    # `stopping` takes another evidence for 0/1 outcomes, to which the theorem does not apply.
    bounds["stopping"] = None if problem.family == "bernoulli" else _stopping_bound(problem, budget)
    return bounds


def _stopping_bound(problem: Problem, budget: float) -> float | None:
    index = [partial(_stopping, cost=float(cost)) for cost in problem.costs]
    return theorem_2(index, problem.gaps, problem.costs, budget=budget).number


def _stopping(count: float, evidence: float, *, cost: float) -> float:
    return stopping_formula(count, evidence, cost)


def _toy(problem: Problem, budget: float) -> dict[str, float]:
    arms, whole = problem.n_arms, int(budget)
    return {
        "uniform_loss": toy_uniform_loss(arms, budget=whole),
        "adaptive_loss": toy_adaptive_loss(arms, budget=whole),
        "adaptive_bound": toy_adaptive_bound(arms, budget=whole),
    }
