"""All bounds and limits of a problem at a budget, in one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from thresher.errors import InvalidInputError
from thresher.policy.index import stopping_formula
from thresher.problem import Problem, budget_of
from thresher.problem.bars import Control
from thresher.research.theory.adaptive_limits import adaptive_limit, bernoulli_limit
from thresher.research.theory.bernoulli import divergence, opposite_mean
from thresher.research.theory.error_rates import bernoulli_loss
from thresher.research.theory.integer_limits import integer_limit
from thresher.research.theory.lower_bounds import family_lower_bound, lower_bound
from thresher.research.theory.oracle_allocation import oracle
from thresher.research.theory.pool_limits import pool_limit_of
from thresher.research.theory.population_limits import OWN_MEANS, population_limit
from thresher.research.theory.rounding import whole_oracle, whole_static_optimum
from thresher.research.theory.shared_items import fixed_allocation
from thresher.research.theory.static_allocation import static_optimum
from thresher.research.theory.toy import toy_adaptive_bound, toy_adaptive_loss, toy_uniform_loss
from thresher.research.theory.upper_bound import apt, fwt, lsa, theorem_2
from thresher.types import Ints

BOUNDED = ("apt", "lsa", "fwt", "stopping")  # policies with an upper bound
WHERE_KNOWN = ("bayes_limit", "toy", "share_left", "fixed_allocation_loss")


@dataclass(frozen=True)
class Theory:
    """The bounds and limits at one budget; None where one does not apply, a vacuous bound as its number.

    The statements are about independent draws and bars that are known. Of pools drawn without replacement only the
    adaptive limit is known, for 0/1 outcomes; where arms share items no bound is, because each answer says something
    about the other arms, and a yardstick takes the place of bounds. With a control only the limits of a policy that is
    told its mean are known: one that has to measure it can do no better.

    Attributes
    ----------
    oracle_bound, oracle_loss : float
        Hoeffding's bound on the non-adaptive oracle, Eq. (5) of the paper, and what it truly loses.
    static_optimum_loss : float
        What the best allocation that does not look at outcomes loses.
    lower_bound, adaptive_limit, integer_limit : float
        What every policy loses: the paper's Theorem 1; Wald's tests in continuous time; the same over whole samples.
    upper_bounds : dict
        What the named policies lose at most, by Theorem 2 for whole pulls and the recommendation ``peak``.
    bayes_limit : float
        What every policy loses on a population of means.
    toy : dict
        The exact losses of the paper's two-point problem.
    share_left, fixed_allocation_loss : float
        Where arms answer the same items: the share of the variance that items, past arms and scores leave, and about
        what the best fixed numbers of answers lose with it.
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
    share_left: float | None = None
    fixed_allocation_loss: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as ``theory --json`` prints it; :data:`WHERE_KNOWN` stand only where they are known."""
        row = dict(vars(self))
        row["budget"] = int(self.budget) if float(self.budget).is_integer() else self.budget
        return {key: value for key, value in row.items() if value is not None or key not in WHERE_KNOWN}


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
    if problem.kind.tells_all:
        return Theory(budget, toy=_toy(problem, budget), upper_bounds=dict.fromkeys(BOUNDED))
    if not problem.sampling.is_independent:
        return _without_replacement(problem, budget)
    costs, pull_costs = problem.costs, problem.pull_costs
    best = oracle(problem.gaps, costs, pull_costs, budget=budget)
    law = LAWS[problem.kind.law]
    return Theory(
        budget,
        oracle_bound=best.bound,
        oracle_loss=law.static_loss(problem, best.loss, whole_oracle, budget),
        static_optimum_loss=_static_optimum_loss(problem, budget),
        lower_bound=law.lower_bound(problem, budget),
        adaptive_limit=law.adaptive_limit(problem, budget),
        integer_limit=law.integer_limit(problem, budget),
        upper_bounds=_upper_bounds(problem, budget),
        bayes_limit=bayes,
    )


def _without_replacement(problem: Problem, budget: float) -> Theory:
    """Return the limit of independent pools, or the yardstick of shared items."""
    fixed = fixed_allocation(problem, budget)
    return Theory(
        budget,
        adaptive_limit=pool_limit_of(problem, budget),
        upper_bounds=dict.fromkeys(BOUNDED),
        share_left=None if fixed is None else fixed.share_left,
        fixed_allocation_loss=None if fixed is None else fixed.loss,
    )


def _with_control(problem: Problem, control: Control, budget: float) -> Theory:
    """Return the limits of policies that are given the control's mean, and still pay its first pulls.

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


class NoLaw:
    """Outcomes without a known limit."""

    def static_loss(self, problem: Problem, gaussian: float, whole: Callable[..., Ints], budget: float) -> float | None:  # noqa: ARG002
        """Return what a fixed allocation truly loses."""
        return None

    def lower_bound(self, problem: Problem, budget: float) -> float | None:  # noqa: ARG002
        """Return the lower bound of the paper's Theorem 3."""
        return None

    def adaptive_limit(self, problem: Problem, budget: float) -> float | None:  # noqa: ARG002
        """Return what every policy loses that may adapt."""
        return None

    def integer_limit(self, problem: Problem, budget: float) -> float | None:  # noqa: ARG002
        """Return what every policy loses that may adapt and pulls whole numbers."""
        return None

    def stopping_bound(self, problem: Problem, budget: float) -> float | None:
        """Return Theorem 2 for the policy ``stopping``."""
        index = [partial(_stopping, cost=float(cost)) for cost in problem.costs]
        return theorem_2(index, problem.gaps, problem.costs, budget=budget, whole_pulls=True).number


class NormalLaw(NoLaw):
    """Normal outcomes."""

    def static_loss(self, problem: Problem, gaussian: float, whole: Callable[..., Ints], budget: float) -> float | None:  # noqa: ARG002
        """Return what a fixed allocation of real numbers of pulls loses."""
        return gaussian

    def lower_bound(self, problem: Problem, budget: float) -> float | None:
        """Return the lower bound for normal outcomes."""
        return lower_bound(problem.gaps, problem.costs, problem.pull_costs, budget=budget)

    def adaptive_limit(self, problem: Problem, budget: float) -> float | None:
        """Return the limit for normal outcomes."""
        return adaptive_limit(problem.gaps, problem.costs, problem.pull_costs, budget=budget).loss

    def integer_limit(self, problem: Problem, budget: float) -> float | None:
        """Return the limit for normal outcomes and whole numbers of pulls."""
        return integer_limit(problem.gaps, problem.costs, problem.pull_costs, budget=budget).loss


class CoinLaw(NoLaw):
    """0/1 outcomes."""

    def static_loss(self, problem: Problem, gaussian: float, whole: Callable[..., Ints], budget: float) -> float | None:  # noqa: ARG002
        """Return what a fixed allocation of whole pulls loses."""
        pulls = whole(problem.gaps, problem.costs, problem.pull_costs, budget=budget)
        return bernoulli_loss(pulls, problem.means, problem.thresholds, problem.costs)

    def lower_bound(self, problem: Problem, budget: float) -> float | None:
        """Return the lower bound by the divergences of 0/1 outcomes."""
        others = opposite_mean(problem.means, problem.thresholds)
        there, back = divergence(problem.means, others), divergence(others, problem.means)
        return family_lower_bound(there, back, problem.costs, problem.pull_costs, budget=budget)

    def adaptive_limit(self, problem: Problem, budget: float) -> float | None:
        """Return the limit for 0/1 outcomes."""
        return bernoulli_limit(problem.means, problem.thresholds, problem.costs, problem.pull_costs, budget=budget).loss

    def stopping_bound(self, problem: Problem, budget: float) -> float | None:  # noqa: ARG002
        """Return None: ``stopping`` takes another evidence for 0/1 outcomes, to which the theorem does not apply."""
        return None


LAWS = {"normal": NormalLaw(), "coin": CoinLaw(), "": NoLaw()}


def _static_optimum_loss(problem: Problem, budget: float) -> float | None:
    best = static_optimum(problem.gaps, problem.costs, problem.pull_costs, budget=budget)
    return LAWS[problem.kind.law].static_loss(problem, best.loss, whole_static_optimum, budget)


def _upper_bounds(problem: Problem, budget: float) -> dict[str, float | None]:
    """Return Theorem 2 for the named policies, with whole pulls: as printed it fails near one pull per arm.

    It is proved for pulls that all cost 1 and for sub-Gaussian evidence.
    """
    if "squared" not in problem.kind.evidences or (problem.pull_costs != 1.0).any():
        return dict.fromkeys(BOUNDED)
    bounds: dict[str, float | None] = {
        policy.__name__: policy(problem.gaps, problem.costs, budget=budget, whole_pulls=True).number
        for policy in (apt, lsa, fwt)
    }
    bounds["stopping"] = LAWS[problem.kind.law].stopping_bound(problem, budget)
    return bounds


def _stopping(count: float, evidence: float, *, cost: float) -> float:
    return stopping_formula(count, evidence, cost)


def _toy(problem: Problem, budget: float) -> dict[str, float]:
    arms, whole = problem.n_arms, int(budget)
    return {
        "uniform_loss": toy_uniform_loss(arms, budget=whole),
        "adaptive_loss": toy_adaptive_loss(arms, budget=whole),
        "adaptive_bound": toy_adaptive_bound(arms, budget=whole),
    }
