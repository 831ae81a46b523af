"""Policies that do not look at outcomes: how often each arm is pulled is fixed, or drawn, beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thresher.problem import Problem
from thresher.theory.rounding import whole_oracle, whole_static_optimum
from thresher.types import Ints


@dataclass(frozen=True)
class StaticPolicy:
    """Pull each arm as often as a rule says, whatever comes out.

    Parameters
    ----------
    name : str
        What results call it.
    summary, source : str
        One line on what it does, and where it comes from.
    allocate : callable, optional
        ``allocate(problem, budget)`` gives the pulls of each arm; None draws every pull's arm at random.
    needs_truth : bool
        It knows the means: refused in a live campaign.
    """

    name: str
    summary: str
    source: str
    allocate: Callable[[Problem, float], Ints] | None = None
    needs_truth: bool = False


def _oracle(problem: Problem, budget: float) -> Ints:
    return whole_oracle(problem.gaps, problem.costs, problem.pull_costs, budget=budget)


def _static_optimum(problem: Problem, budget: float) -> Ints:
    return whole_static_optimum(problem.gaps, problem.costs, problem.pull_costs, budget=budget)


UNIFORM_IID = StaticPolicy("uniform-iid", "Every pull goes to an arm drawn at random.", "locatelli2016, baseline UA")
ORACLE = StaticPolicy(
    "oracle",
    "The allocation that minimises Hoeffding's bound on the loss; gives hard arms up.",
    "ouhamma2021, section 2.1 and appendix B",
    allocate=_oracle,
    needs_truth=True,
)
STATIC_OPTIMUM = StaticPolicy(
    "static-optimum",
    "The allocation that minimises the expected loss itself (of Gaussian arms).",
    "ours: the oracle with the exact error",
    allocate=_static_optimum,
    needs_truth=True,
)

STATIC: dict[str, StaticPolicy] = {each.name: each for each in (UNIFORM_IID, ORACLE, STATIC_OPTIMUM)}
