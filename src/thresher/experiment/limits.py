"""The tightest known lower bound on the loss of every policy on a problem."""

from __future__ import annotations

from thresher.problem import Population, Problem
from thresher.theory import bayes_limit, bernoulli_limit, beta_limit, integer_limit


def limit_of(problem: Problem, budget: float) -> tuple[str, float] | None:
    """Return the name and the value of the tightest limit at a budget, or None where none is known.

    Populations have the Bayes limit, Gaussian arms of fixed means the integer limit and 0/1 arms the adaptive limit.
    The last two hold on average over an arm and its mirror image beyond the bar: for 0/1 arms the image is as hard as
    the arm only if the bar is ½, so that other bars have none. Samples drawn without replacement obey no limit here:
    each tells more than an independent one would; samplers of the user's own may draw from any distribution.
    """
    if problem.truth.samplers is not None or problem.structure is not None:
        return None
    if problem.population is not None:
        value = _population_limit(problem, problem.population, budget)
        return None if value is None else ("Bayes", value)
    costs, pull_costs = problem.costs, problem.pull_costs
    if problem.family.startswith("gaussian"):
        return "integer", integer_limit(problem.gaps, costs, pull_costs, budget=budget).loss
    if problem.family == "bernoulli" and (problem.thresholds == 0.5).all():
        return "adaptive", bernoulli_limit(problem.means, problem.thresholds, costs, pull_costs, budget=budget).loss
    return None


def _population_limit(problem: Problem, population: Population, budget: float) -> float | None:
    if population.kind == "gaussian" and (problem.thresholds == population.first).all():
        return bayes_limit(population.second / problem.sigma, problem.costs, problem.pull_costs, budget=budget)
    bars = set(problem.thresholds.tolist())
    is_plain = len(bars) == 1 and (problem.costs == 1.0).all() and (problem.pull_costs == 1.0).all()
    if population.kind == "beta" and is_plain:
        return beta_limit(problem.n_arms, a=population.first, b=population.second, threshold=bars.pop(), budget=budget)
    return None
