"""The tightest known lower bound on the loss of every policy on a problem."""

from __future__ import annotations

from thresher.problem import Problem
from thresher.theory import bernoulli_limit, integer_limit
from thresher.theory.population_limits import OWN_MEANS, population_limit


def limit_of(problem: Problem, budget: float) -> tuple[str, float] | None:
    """Return the name and the value of the tightest limit at a budget, or None where none is known.

    Populations have the Bayes limit, Gaussian arms of fixed means the integer limit and 0/1 arms at the bar ½ the
    adaptive limit. The last two hold on average over an arm and its mirror image beyond the bar. For 0/1 arms the image
    is as hard as the arm only if the bar is ½: other bars have the Bayes limit of the arms' own means, which holds on
    average when every arm draws its mean from them. Samples drawn without replacement obey no limit here: each tells
    more than an independent one would; user-defined samplers may draw from any distribution;
    and with a control no limit is known that counts what it costs to measure the bar.
    """
    if problem.truth.samplers is not None or problem.structure is not None or problem.control is not None:
        return None
    if problem.population is not None:
        value = population_limit(problem, budget)
        return None if value is None else ("Bayes", value)
    costs, pull_costs = problem.costs, problem.pull_costs
    if problem.family.startswith("gaussian"):
        return "integer", integer_limit(problem.gaps, costs, pull_costs, budget=budget).loss
    if problem.family == "bernoulli" and (problem.thresholds == 0.5).all():
        return "adaptive", bernoulli_limit(problem.means, problem.thresholds, costs, pull_costs, budget=budget).loss
    value = population_limit(problem, budget, assumed=OWN_MEANS)
    return None if value is None else ("Bayes, own means", value)
