"""The tightest known lower bound on the loss of every policy on a problem."""

from __future__ import annotations

from thresher.problem import Problem
from thresher.research.theory import OWN_MEANS, bernoulli_limit, integer_limit, pool_limit_of, population_limit


def limit_of(problem: Problem, budget: float) -> tuple[str, float] | None:
    """Return the name and the value of the tightest limit at a budget, or None where none is known.

    Populations have the Bayes limit, Gaussian arms of fixed means the integer limit, 0/1 arms at the bar ½ the
    adaptive limit, and pools of 0/1 items at the bar ½ that are drawn without replacement the pool limit. The last
    three hold on average over an arm and its mirror image beyond the bar. With 0/1 outcomes the image is as hard as the
    arm only if the bar is ½: other bars have the Bayes limit of the arms' own means, which holds on average when every
    arm draws its mean from them. No limit is known where arms share items, where the user's own samplers draw the
    outcomes, and with a control.
    """
    if problem.truth.samplers is not None or not problem.has_known_bar:
        return None
    name = _kind_of(problem)
    value = None if name is None else _value_of(name, problem, budget)
    return None if name is None or value is None else (name, value)


def _kind_of(problem: Problem) -> str | None:
    is_centred = bool((problem.thresholds == 0.5).all())
    if not problem.sampling.is_independent:
        return "pool" if is_centred else None
    if problem.population is not None:
        return "Bayes"
    if problem.kind.law == "normal":
        return "integer"
    if not problem.kind.is_coin:
        return None
    return "adaptive" if is_centred else "Bayes, own means"


def _value_of(kind: str, problem: Problem, budget: float) -> float | None:
    costs, pull_costs = problem.costs, problem.pull_costs
    if kind == "integer":
        return float(integer_limit(problem.gaps, costs, pull_costs, budget=budget).loss)
    if kind == "adaptive":
        return float(bernoulli_limit(problem.means, problem.thresholds, costs, pull_costs, budget=budget).loss)
    if kind == "pool":
        return pool_limit_of(problem, budget)
    return population_limit(problem, budget, assumed=OWN_MEANS if kind == "Bayes, own means" else None)
