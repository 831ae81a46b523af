"""The Bayes limit of a problem: a lower bound on the loss of every policy when means are drawn from a population."""

from __future__ import annotations

from thresher.policy.literature import BetaPrior, TablePrior
from thresher.problem import Population, Problem
from thresher.research.theory.bayes_limits import bayes_limit
from thresher.research.theory.binary_limits import binary_limit

OWN_MEANS = "means"


def population_limit(problem: Problem, budget: float, *, assumed: float | str | None = None) -> float | None:
    """Return the Bayes limit of a problem at a budget; None where none is known.

    Parameters
    ----------
    problem : Problem
        With independent draws.
    budget : float
        In the unit of the pull costs.
    assumed : float or str, optional
        A population in place of the problem's: the standard deviation of Gaussian means around each bar, or
        ``"means"``, one of the problem's own means for every arm (0/1 outcomes).
    """
    costs = (problem.costs, problem.pull_costs)
    if assumed == OWN_MEANS:
        if not problem.kind.is_coin or problem.population is not None:
            return None
        return binary_limit(TablePrior(tuple(problem.means.tolist())), problem.thresholds, *costs, budget=budget)
    if assumed is not None:
        return bayes_limit(float(assumed) / problem.sigma, *costs, budget=budget) if _is_gaussian(problem) else None
    population = problem.population
    if population is None or not problem.sampling.is_independent:
        return None
    if problem.kind.is_coin:
        prior = _prior_of(population)
        return None if prior is None else binary_limit(prior, problem.thresholds, *costs, budget=budget)
    bars = set(problem.thresholds.tolist())
    if not _is_gaussian(problem) or population.kind != "gaussian" or len(bars) != 1:
        return None
    centre = (population.first - bars.pop()) / population.second
    return bayes_limit(population.second / problem.sigma, *costs, budget=budget, centre=centre)


def _is_gaussian(problem: Problem) -> bool:
    # A policy without σ cannot do better than one that is given σ.
    return problem.kind.law == "normal" and problem.sampling.is_independent


def _prior_of(population: Population) -> BetaPrior | TablePrior | None:
    if population.kind == "beta":
        return BetaPrior(population.first, population.second)
    return TablePrior(population.values) if population.kind == "table" else None
