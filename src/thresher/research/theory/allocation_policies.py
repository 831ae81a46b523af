"""Policies that do not look at outcomes: how often each arm is pulled is computed beforehand, from the true gaps."""

from __future__ import annotations

from thresher.policy import ALL, Algorithm, RuleSetup, State, Stop, Traits, Turn, step
from thresher.problem import Problem
from thresher.research.theory.rounding import whole_oracle, whole_static_optimum

ARM = 0  # place in the memory: the arm that is being pulled
TRAITS = Traits(needs_truth=True, needs_horizon=True, in_flight=False, peak=True)


@step
def oracle_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the next arm of the allocation that minimises Hoeffding's bound on the loss; gives hard arms up."""
    return _next(known, state, turn)


@step
def static_optimum_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the next arm of the allocation that minimises the expected loss itself (of Gaussian arms)."""
    return _next(known, state, turn)


@step
def _next(known: RuleSetup, state: State, turn: Turn) -> int:  # noqa: ARG001
    """Return the first arm that has fewer pulls than it is to have, or -1."""
    k = int(state.memory[ARM])
    while k < state.counts.size and (not state.is_open[k] or state.counts[k] >= known.parameters[k]):
        k += 1
    state.memory[ARM] = k
    return k if k < state.counts.size else -1


def _oracle(problem: Problem, stop: Stop, values: tuple[float, ...]) -> tuple[float, ...]:  # noqa: ARG001
    return tuple(whole_oracle(problem.gaps, problem.costs, problem.pull_costs, budget=stop.budget))


def _static_optimum(problem: Problem, stop: Stop, values: tuple[float, ...]) -> tuple[float, ...]:  # noqa: ARG001
    return tuple(whole_static_optimum(problem.gaps, problem.costs, problem.pull_costs, budget=stop.budget))


ORACLE = Algorithm(
    "oracle",
    choose=oracle_choose,
    source="ouhamma2021, section 2.1 and appendix B",
    families=(*ALL, "two-point"),
    traits=TRAITS,
    first_pulls=0,
    prepare=_oracle,
)
STATIC_OPTIMUM = Algorithm(
    "static-optimum",
    choose=static_optimum_choose,
    source="thresher: the oracle with the exact error",
    families=(*ALL, "two-point"),
    traits=TRAITS,
    first_pulls=0,
    prepare=_static_optimum,
)
