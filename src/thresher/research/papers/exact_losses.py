"""Exact losses to compare simulations with: oracle, static optimum, uniform sampling, limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from thresher.problem import Problem, named
from thresher.research.papers.normalisation import RAW, raw_gaps
from thresher.research.theory import adaptive_limit, gaussian_loss, integer_limit, oracle, static_optimum
from thresher.types import Floats

Budgets = tuple[float, ...]


def _oracle(problem: Problem, budget: float) -> Floats:
    return oracle(problem.gaps, budget=budget).counts


def _raw_oracle(problem: Problem, budget: float) -> Floats:
    return oracle(raw_gaps(problem), budget=budget).counts


def _static_optimum(problem: Problem, budget: float) -> Floats:
    return static_optimum(problem.gaps, budget=budget).counts


def _uniform(problem: Problem, budget: float) -> Floats:
    return np.full(problem.n_arms, budget / problem.n_arms)


#: Fixed allocations by name: from a problem and a budget to the pulls of each arm, not rounded.
ALLOCATIONS: dict[str, Callable[[Problem, float], Floats]] = {
    "oracle": _oracle,
    "oracle" + RAW: _raw_oracle,
    "static-optimum": _static_optimum,
    "uniform, exact": _uniform,
}
#: Losses that no policy beats, averaged over the signs of the gaps, by name.
LIMITS: dict[str, Callable[[Problem, float], float]] = {
    "adaptive limit": lambda problem, budget: adaptive_limit(problem.gaps, budget=budget).loss,
    "integer limit": lambda problem, budget: integer_limit(problem.gaps, budget=budget).loss,
}


@cache
def losses(name: str, problem: str, budgets: Budgets) -> tuple[float, ...]:
    """Return the expected loss of a fixed allocation of Gaussian arms, or a limit, at each budget.

    Parameters
    ----------
    name : str
        A name of ``ALLOCATIONS`` or of ``LIMITS``.
    problem : str
        A named problem with Gaussian arms and unit costs.
    budgets : tuple of float
    """
    found = named(problem)
    if name in LIMITS:
        return tuple(LIMITS[name](found, budget) for budget in budgets)
    return tuple(gaussian_loss(ALLOCATIONS[name](found, budget), found.gaps) for budget in budgets)


def pulls(name: str, problem: str, budget: float) -> Floats:
    """Return the pulls of each arm, shape (K,): fixed beforehand, or expected in the tests of the adaptive limit."""
    found = named(problem)
    if name == "adaptive limit":
        return adaptive_limit(found.gaps, budget=budget).counts
    return ALLOCATIONS[name](found, budget)
