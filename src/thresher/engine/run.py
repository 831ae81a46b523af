"""The one place where it is decided which engine plays a policy.

All engines give the same numbers bit for bit, so the choice is one of time. The level sweep is the fastest, once it
is compiled, which takes most of a minute on a new installation; the driver takes half of that. The reference engine
plays what ends before either is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.engine.counted import Counted, beside
from thresher.engine.draws import ZERO_ONE, arms_of, draw_of
from thresher.engine.driver import NoSuchArmError, Way, drive
from thresher.engine.judge import Loss
from thresher.engine.reference import play_runs
from thresher.engine.runs import Schedule, run_index_policy
from thresher.errors import InvalidInputError, InvalidPolicyError
from thresher.policy import Policy, Rule, Stop
from thresher.policy.rule import go_on
from thresher.problem import Problem
from thresher.problem.money import ticks_of

SWEEP, DRIVER, REFERENCE = "sweep", "driver", "reference"
INTERPRETED_PULLS = 400_000  # about 20 µs each: less than the driver takes to compile
DRIVEN_PULLS = 100_000_000  # with more the level sweep saves what it takes longer to compile


@dataclass(frozen=True)
class Setting:
    """How runs are ended and judged.

    Parameters
    ----------
    budgets : tuple of float
        Increasing, in the unit of the pull costs.
    loss : Loss
    alpha : float
        The error rate for policies that stop by themselves; 0 spends the budgets.
    price : float
        Stop once no measurement saves that much cost per unit of budget; 0 spends the whole budget.
    at_peak : bool
        Judge at the paper's t_max instead of at the end.
    in_flight : int
        Pulls that may be outstanding at a time; 0 waits for each.
    asynchronous : bool
        Outstanding pulls come back one at a time, each equally likely; otherwise all before the next are asked for.
    work : float
        Pulls of the whole simulation, about: for few of them nothing is compiled.
    """

    budgets: tuple[float, ...]
    loss: Loss
    alpha: float = 0.0
    price: float = 0.0
    at_peak: bool = False
    in_flight: int = 0
    asynchronous: bool = False
    work: float = math.inf

    def parts(self, policy: Policy, problem: Problem) -> list[tuple[float, ...]]:
        """Return the budgets by passes: one pass serves all, if runs to a larger budget go on from a smaller one.

        They do not if the policy is told the horizon, if a budget ends with pulls in flight, or if pull costs differ:
        what is left of the smaller budget goes to cheaper arms.
        """
        at_once = not policy.traits.needs_horizon and self.in_flight <= 1
        return one_pass(problem, self.budgets) if at_once else [(budget,) for budget in self.budgets]

    def bind(self, policy: Policy, problem: Problem, budget: float) -> Rule:
        """Return the rule of a policy for a budget."""
        return policy.bind(problem, Stop(budget, self.price, self.alpha))

    def engine(self, policy: Policy, problem: Problem) -> str:
        """Return which engine plays a policy on a problem: the level sweep, the driver or the reference engine."""
        rule = self.bind(policy, problem, self.budgets[-1])
        if not rule.is_compiled or problem.truth.samplers is not None:
            return REFERENCE
        if not rule.by_level or self.in_flight or problem.sampling.repeats > 1:
            return DRIVER
        if self.work > DRIVEN_PULLS or run_index_policy.is_on_disk:  # type: ignore[attr-defined]
            return SWEEP
        if self.work <= INTERPRETED_PULLS and problem.sampling.is_independent and draw_of(problem) <= ZERO_ONE:
            return REFERENCE
        return SWEEP if self.at_peak else DRIVER

    def check(self, policy: Policy, problem: Problem) -> None:
        """Raise InvalidInputError unless a policy can play a problem with every budget."""
        for budget in self.budgets:
            rule = self.bind(policy, problem, budget)
        if self.at_peak and not problem.has_known_bar:
            raise InvalidInputError(
                "recommend", "peak", rule="must be 'final' with a control: a pull of it moves all indices"
            )
        if self.at_peak and problem.sampling.repeats > 1:
            raise InvalidInputError("recommend", "peak", rule="must be 'final' with repeats of items")
        if self.at_peak and rule.shares_items:
            raise InvalidInputError(
                "recommend", "peak", rule="must be 'final' with shared items: their indices move without a pull",
                fix=f"or use {policy.name}:structure=pool",
            )  # fmt: skip


def one_pass(problem: Problem, budgets: Sequence[float]) -> list[tuple[float, ...]]:
    """Return the budgets by passes of an index policy: one for all if every pull costs the same, else one for each."""
    costs_differ = bool((problem.ticks != problem.ticks[0]).any())
    return [(budget,) for budget in budgets] if costs_differ else [tuple(budgets)]


def compile_rule(policy: Policy, problem: Problem, setting: Setting) -> None:
    """Compile the steps of a policy that the driver plays."""
    if setting.engine(policy, problem) == DRIVER:
        setting.bind(policy, problem, setting.budgets[-1]).pointers()


def run_policy(
    policy: Policy, problem: Problem, setting: Setting, *, seed: int, first_run: int = 0, runs: int = 1
) -> Counted:
    """Return the counts of a range of runs of a policy on a problem."""
    parts = setting.parts(policy, problem)
    try:
        return beside([_run(policy, problem, budgets, setting, seed, first_run, runs) for budgets in parts])
    except NoSuchArmError as error:
        raise InvalidPolicyError(
            policy.name,
            "choose returned an arm that does not exist or has no samples left",
            instead="return the number of an arm of state.is_open, or -1 to stop",
        ) from error


def _run(
    policy: Policy,
    problem: Problem,
    budgets: tuple[float, ...],
    setting: Setting,
    seed: int,
    first_run: int,
    runs: int,
) -> Counted:
    rule = setting.bind(policy, problem, budgets[-1])
    ticks = np.array([ticks_of(budget) for budget in budgets], dtype=np.int64)
    n_outputs = problem.n_arms if policy.traits.stops else 0
    engine, arms = setting.engine(policy, problem), arms_of(problem)
    if engine == SWEEP:
        schedule = Schedule(ticks, setting.at_peak, rule.known.ceiling, setting.loss.code)
        return run_index_policy(rule.known.ranking, arms, schedule, seed, first_run, runs)
    way = way_of(rule, n_outputs, setting)
    if engine == DRIVER:
        loss = setting.loss.code
        return drive(*rule.pointers(), way, rule.known, rule.origin, arms, ticks, loss, seed, first_run, runs)
    # Where no index is compared the peak is the end.
    at_peak = setting.at_peak and rule.by_level
    return play_runs(
        rule, problem, way, budgets=ticks, loss=setting.loss, at_peak=at_peak, seed=seed, first_run=first_run, runs=runs
    )


def way_of(rule: Rule, n_outputs: int, setting: Setting) -> Way:
    """Return how the driver plays a rule."""
    return Way(
        first_pulls=rule.first_pulls,
        memory=rule.memory,
        learns=rule.learn is not go_on,
        ends_when_found=rule.ends_when_found,
        n_outputs=n_outputs,
        in_flight=max(setting.in_flight, 1),
        asynchronous=setting.asynchronous,
    )
