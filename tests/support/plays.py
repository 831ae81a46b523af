"""One run of a policy in the reference engine, to compare other engines with."""

from __future__ import annotations

from thresher.policy import Policy, Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine.reference import Played, play


def played(
    policy: Policy | str,
    problem: Problem,
    *,
    budget: float,
    seed: int,
    run: int = 0,
    price: float = 0.0,
    alpha: float = 0.0,
    in_flight: int = 1,
    asynchronous: bool = False,
    at_peak: bool = False,
) -> Played:
    """Return one run of a policy on a problem."""
    rule = find_policy(policy).bind(problem, Stop(budget, price, alpha))
    return play(
        rule, problem, budget=budget, in_flight=in_flight, asynchronous=asynchronous, at_peak=at_peak,
        seed=seed, run=run,
    )  # fmt: skip
