"""A job: one policy on one problem, with everything that a worker needs to run a range of runs."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from thresher.errors import InvalidInputError, ThresherError, UnknownNameError
from thresher.policy import ALGORITHMS, Policy, find_policy
from thresher.problem import MOST_MONEY, SMALLEST_COST, Problem, budget_of
from thresher.report import exact
from thresher.research.engine import REFERENCE, BoundPolicy, Loss, RunCounts, Setting, bind_policy
from thresher.research.simulation.arguments import error_rate, non_negative_number, seed_of, whole_number

PULLS_PER_CHUNK = 5_000_000  # a few tenths of a second: short enough for progress, long enough to be worth sending
PULLS_PER_ARM = 1_000  # of a run that stops by itself, about
PYTHON_PULLS_PER_CHUNK = 50_000  # where the user's own Python is called for every pull


@dataclass(frozen=True)
class SimulationOptions:
    """Options of a simulation, in the words of the command line.

    Parameters
    ----------
    budgets : tuple of float
        Increasing, in the unit of the pull costs. With an error rate one, the most pulls of a run.
    recommend : str
        ``"final"``, or ``"peak"`` for the paper's t_max.
    loss : str
        ``"costs"``, ``"gaps"``, ``"any"``, or ``"more-than:m=2"``: 1 where there are more than 2 mistakes, an arm
        without a verdict being half a mistake.
    tolerance : float
        Arms within it of the bar are forgiven.
    stop_price : float
        Stop once no measurement saves that much cost per unit of budget; 0 spends the whole budget.
    in_flight : int
        Pulls that may be outstanding at a time; 0 waits for each.
    delays : str
        How outstanding pulls come back: ``"batch"``, all before the next are asked for, or ``"random"``, one at a time,
        each equally likely.
    alpha : float, optional
        The error rate at which policies stop by themselves; None spends the budgets.
    keep_mistakes : bool
        Keep the mistakes of every run by arm.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If an option is invalid.
    """

    budgets: tuple[float, ...]
    recommend: str = "final"
    loss: str = "costs"
    tolerance: float = 0.0
    stop_price: float = 0.0
    in_flight: int = 0
    delays: str = "batch"
    alpha: float | None = None
    keep_mistakes: bool = False

    def __post_init__(self) -> None:
        for kind, word, known in (
            ("kind of delays", self.delays, ["batch", "random"]),
            ("recommendation", self.recommend, ["final", "peak"]),
        ):
            if word not in known:
                raise UnknownNameError(kind, str(word), known)
        if not self.budgets:
            raise InvalidInputError("budget", rule="at least one is needed")
        object.__setattr__(self, "budgets", tuple(map(budget_of, self.budgets)))
        if any(second <= first for first, second in pairwise(self.budgets)):
            raise InvalidInputError("budgets", self.budgets, rule="must increase")
        object.__setattr__(self, "tolerance", non_negative_number("tolerance", self.tolerance))
        object.__setattr__(self, "stop_price", non_negative_number("stop_price", self.stop_price))
        object.__setattr__(self, "in_flight", whole_number("in_flight", self.in_flight))
        Loss.named(self.loss)
        if self.in_flight and self.recommend == "peak":
            raise InvalidInputError(
                "recommend", self.recommend, rule="must be 'final' with pulls in flight: there is no peak then"
            )
        if self.in_flight and self.stop_price:
            raise InvalidInputError(
                "stop_price", self.stop_price, rule="must be 0 with pulls in flight", fix="leave one of the two out"
            )
        if self.alpha is not None:
            self._check_error_rate(self.alpha)

    def _check_error_rate(self, alpha: float) -> None:
        object.__setattr__(self, "alpha", error_rate(alpha))
        if len(self.budgets) > 1 or not self.budgets[0].is_integer():
            raise InvalidInputError(
                "budgets",
                list(self.budgets),
                rule=f"must be one whole number with alpha={exact(alpha)}: the most pulls of a run",
                fix="give one budget (--budget 10000), or none",
            )
        plain = SimulationOptions(self.budgets)
        for name in ("recommend", "loss", "tolerance", "stop_price", "in_flight", "delays"):
            if (value := getattr(self, name)) != getattr(plain, name):
                raise InvalidInputError(
                    name,
                    value,
                    rule=f"must not be given with alpha={exact(alpha)}: it is for policies that spend a budget",
                    fix=f"leave {name} (--{name.replace('_', '-')}) out",
                )

    def check_against(self, problem: Problem) -> None:
        """Raise unless every budget pays for the first pulls of all arms."""
        least = problem.least_budget
        for budget in self.budgets:
            if budget < least - SMALLEST_COST / 2:
                raise InvalidInputError(
                    f"budget for {problem.n_arms} arms",
                    budget,
                    rule=f"must be at least {exact(least)}: every arm is pulled first",
                )
            if budget > MOST_MONEY:
                raise InvalidInputError("budget", budget, rule=f"must be at most {exact(MOST_MONEY)}")

    @property
    def has_total(self) -> bool:
        """Whether mistakes and budget are paid in the same unit, so that they can be added up."""
        return self.stop_price > 0 and self.loss == "costs"

    def loss_of(self, policy: Policy) -> Loss:
        """Return the measure of a policy: the loss, or the rate that it promises to keep."""
        return Loss(policy.traits.promise) if self.alpha is not None else Loss.named(self.loss, self.tolerance)

    def pulls_on(self, problem: Problem) -> float:
        """Return about how many pulls a run on a problem takes."""
        pulls = self.budgets[-1] / float(problem.pull_costs.mean())
        return pulls if self.alpha is None else min(pulls, PULLS_PER_ARM * problem.n_arms)

    def pulls_in_all(self, policy: Policy, problem: Problem) -> float:
        """Return about how many pulls a run takes in all its passes: see :meth:`Setting.parts`."""
        last = [budgets[-1] for budgets in self.setting(policy).parts(policy, problem)]
        return self.pulls_on(problem) * sum(last) / self.budgets[-1]

    def setting(self, policy: Policy, work: float = math.inf) -> Setting:
        """Return this in the form that engines take; `work` is the number of pulls of the whole simulation, about."""
        return Setting(
            budgets=self.budgets,
            loss=self.loss_of(policy),
            alpha=self.alpha or 0.0,
            price=self.stop_price,
            at_peak=self.recommend == "peak",
            in_flight=self.in_flight,
            asynchronous=self.delays == "random",
            keeps_mistakes=self.keep_mistakes,
            work=work,
        )


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
        return bind_policy(self.policy, self.problem, self.asked.setting(self.policy, self.work))

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
