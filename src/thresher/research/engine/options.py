"""The options of a simulation: when runs end, how they are judged, and how a policy plays them."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.number_text import exact
from thresher.policy import Policy, Rule, Stop, go_on
from thresher.problem import MOST_MONEY, SMALLEST_COST, Problem, budget_of, ticks_of
from thresher.research.engine.losses import Loss
from thresher.research.engine.schedule import Schedule

PULLS_PER_ARM = 1_000  # of a run that stops by itself, about


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
        if self.in_flight and self.at_peak:
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
    def at_peak(self) -> bool:
        """Whether runs are judged at the paper's t_max instead of at the end."""
        return self.recommend == "peak"

    @property
    def has_total(self) -> bool:
        """Whether mistakes and budget are paid in the same unit, so that they can be added up."""
        return self.stop_price > 0 and self.loss == "costs"

    def loss_of(self, policy: Policy) -> Loss:
        """Return the measure of a policy: the loss, or the rate that it promises to keep."""
        return Loss(policy.traits.promise) if self.alpha is not None else Loss.named(self.loss, self.tolerance)

    def parts(self, policy: Policy, problem: Problem) -> list[tuple[float, ...]]:
        """Return the budgets by passes: one pass serves all, if runs to a larger budget go on from a smaller one.

        They do not if the policy is told the horizon, if a budget ends with pulls in flight, or if pull costs differ:
        what is left of the smaller budget goes to cheaper arms.
        """
        at_once = not policy.traits.needs_horizon and self.in_flight <= 1
        return one_pass(problem, self.budgets) if at_once else [(budget,) for budget in self.budgets]

    def pulls_on(self, problem: Problem) -> float:
        """Return about how many pulls a run on a problem takes."""
        pulls = self.budgets[-1] / float(problem.pull_costs.mean())
        return pulls if self.alpha is None else min(pulls, PULLS_PER_ARM * problem.n_arms)

    def pulls_in_all(self, policy: Policy, problem: Problem) -> float:
        """Return about how many pulls a run takes in all its passes."""
        last = [budgets[-1] for budgets in self.parts(policy, problem)]
        return self.pulls_on(problem) * sum(last) / self.budgets[-1]

    def bind(self, policy: Policy, problem: Problem, budget: float) -> Rule:
        """Return the rule of a policy for a budget."""
        return policy.bind(problem, Stop(budget, self.stop_price, self.alpha or 0.0))

    def schedule(self, policy: Policy, rule: Rule, budgets: Sequence[float]) -> Schedule:
        """Return how the rule of a policy is played and judged at these budgets, as compiled engines take it."""
        n_arms = rule.origin.size
        return Schedule(
            budgets=np.array([ticks_of(budget) for budget in budgets], dtype=np.int64),
            at_peak=self.at_peak,
            ceiling=rule.known.ceiling,
            loss=self.loss_of(policy).code,
            in_flight=max(self.in_flight, 1),
            asynchronous=self.delays == "random",
            n_outputs=n_arms if policy.traits.stops else 0,
            n_judged=n_arms if self.keep_mistakes else 0,
            first_pulls=rule.first_pulls,
            memory=rule.memory,
            learns=rule.learn is not go_on,
            ends_when_found=rule.ends_when_found,
        )


def one_pass(problem: Problem, budgets: Sequence[float]) -> list[tuple[float, ...]]:
    """Return the budgets by passes of an index policy: one for all if every pull costs the same, else one for each."""
    costs_differ = bool((problem.ticks != problem.ticks[0]).any())
    return [(budget,) for budget in budgets] if costs_differ else [tuple(budgets)]


def whole_number(name: str, value: Any, *, least: int = 0) -> int:
    """Return a whole number as a Python integer, also from NumPy and other libraries.

    Raises
    ------
    InvalidInputError
        If it is not a whole number, or less than the least.
    """
    rule = f"must be a whole number, at least {least}"
    try:
        number = operator.index(value)
    except TypeError as error:
        raise InvalidInputError(name, value, rule=rule) from error
    if number < least:
        raise InvalidInputError(name, number, rule=rule)
    return number


def non_negative_number(name: str, value: Any) -> float:
    """Return a finite number that is not negative.

    Raises
    ------
    InvalidInputError
        If it is not such a number.
    """
    try:
        number = math.nan if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise InvalidInputError(name, value, rule="must be 0 or a positive number")
    return number


def error_rate(value: Any) -> float:
    """Return an error rate.

    Raises
    ------
    InvalidInputError
        If it is not a number between 0 and 1.
    """
    try:
        rate = math.nan if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        rate = math.nan
    if not 0.0 < rate < 1.0:
        raise InvalidInputError(
            "alpha", value, rule="must be an error rate between 0 and 1 (exclusive)", fix="alpha=0.05 (--alpha 0.05)"
        )
    return rate
