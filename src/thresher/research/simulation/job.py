"""A job: one policy on one problem, with everything that a worker needs to run a range of runs."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher.errors import InvalidInputError, ThresherError
from thresher.policy import ALGORITHMS, Policy, find_policy
from thresher.problem import Problem
from thresher.research.engine import REFERENCE, BoundPolicy, RunCounts, SimulationOptions, bind_policy
from thresher.research.simulation.arguments import seed_of

PULLS_PER_CHUNK = 5_000_000  # a few tenths of a second: short enough for progress, long enough to be worth sending
PYTHON_PULLS_PER_CHUNK = 50_000  # where the user's own Python is called for every pull


def refusal(policy: Policy, problem: Problem, asked: SimulationOptions) -> tuple[str, str] | None:
    """Return which rule keeps a policy from doing what is asked, and how to fix that; None if it can do it."""
    traits = policy.traits
    if traits.stops and asked.alpha is None:
        return "it stops at an error rate, whatever the budget", "give an error rate: alpha=0.05 (--alpha 0.05)"
    if asked.alpha is not None and not traits.stops:
        others = ", ".join(other for other, algorithm in ALGORITHMS.items() if algorithm.traits.stops)
        return (
            "it spends a budget and keeps no error rate",
            f"give budgets (--budget) in place of alpha, or use one of {others}",
        )
    if traits.needs_truth and problem.population is not None:
        return "it needs the true means", "use it on a problem with fixed means"
    if asked.stop_price and not traits.price:
        return "it has no price", "use a stop price with an index policy such as 'stopping'"
    if asked.in_flight and not traits.in_flight:
        return "it cannot choose while pulls are in flight", "use a policy that can, such as 'stopping' or 'evt-pf'"
    if asked.recommend == "peak" and not traits.peak:
        return "it has no peak: its indices move without a pull", "use recommend='final'"
    return None


@dataclass(frozen=True)
class Job:
    """Runs of one policy on one problem; `work` is the number of pulls of the whole simulation, about."""

    problem: Problem
    policy: Policy
    asked: SimulationOptions
    seed: int
    work: float = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", seed_of(self.seed))
        if reason := refusal(self.policy, self.problem, self.asked):
            raise InvalidInputError("policy", self.policy.name, rule=reason[0], fix=reason[1])
        self.asked.check_against(self.problem)
        self.bound  # noqa: B018 - raises if the policy cannot play

    @cached_property
    def bound(self) -> BoundPolicy:
        """The policy bound to the problem, once for each pass: all ranges of runs are played by it."""
        return bind_policy(self.policy, self.problem, self.asked, work=self.work)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to send to another process, which binds the policy itself: compiled steps stay here."""
        return {name: value for name, value in self.__dict__.items() if name != "bound"}

    @property
    def engine(self) -> str:
        """Which engine plays it."""
        return self.bound.engine

    @property
    def key(self) -> str:
        """The key of the results of this policy: its name, and a hash if the name does not determine the policy."""
        policy = self.policy
        if not policy.is_own and _is_known(policy):
            return policy.name
        return f"{policy.name}#{hashlib.sha256(repr(policy.identity()).encode()).hexdigest()[:16]}"

    def chunk_size(self) -> int:
        """Return how many runs make one chunk of work; it does not depend on the executor."""
        most = PYTHON_PULLS_PER_CHUNK if self.engine == REFERENCE else PULLS_PER_CHUNK
        return max(1, int(most / max(self.pulls, 1.0)))

    @property
    def pulls(self) -> float:
        """About how many pulls a run takes."""
        return self.asked.pulls_on(self.problem)

    def compile(self) -> None:
        """Compile the functions that only this policy uses."""
        self.bound.compile()

    def run(self, first_run: int, runs: int) -> RunCounts:
        """Return the counts of a range of runs."""
        return self.bound.run(seed=self.seed, first_run=first_run, runs=runs)


def _is_known(policy: Policy) -> bool:
    try:
        return find_policy(policy.name) == policy
    except ThresherError:
        return False
