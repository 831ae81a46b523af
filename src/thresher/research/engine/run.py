"""The one place where it is decided which engine plays a policy.

All engines give the same numbers bit for bit, so the choice is one of time. The level sweep is the fastest, once it
is compiled, which takes about a quarter of a minute on a new installation; the driver takes half of that. The
reference engine plays what ends before either is compiled, and what ends before Numba is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import InvalidInputError, InvalidPolicyError
from thresher.jit import is_numba_loaded
from thresher.policy import Policy, Rule, Stop, go_on
from thresher.problem import Combination, Problem, ticks_of
from thresher.research.engine.counted import RunCounts, join_budgets
from thresher.research.engine.draws import ZERO_ONE, arms_of, draw_of
from thresher.research.engine.driver import NoSuchArmError, drive
from thresher.research.engine.losses import Loss
from thresher.research.engine.reference import play_runs
from thresher.research.engine.runs import run_index_policy
from thresher.research.engine.schedule import Schedule

SWEEP: str = "sweep"
DRIVER: str = "driver"
REFERENCE: str = "reference"
KERNELS: dict[str, Any] = {SWEEP: run_index_policy, DRIVER: drive}
LOADED_PULLS = 30_000  # interpreted, about 12 µs each: less than it takes to load Numba
INTERPRETED_PULLS = 400_000  # less than the driver takes to compile
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
    keeps_mistakes : bool
        Keep the mistakes of every run by arm.
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
    keeps_mistakes: bool = False
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

    def engine(self, rule: Rule, problem: Problem) -> str:
        """Return which engine plays a rule on a problem: the level sweep, the driver or the reference engine."""
        if not rule.is_compiled or problem.truth.samplers is not None:
            return REFERENCE
        by_level = rule.by_level and not self.in_flight and problem.sampling.repeats == 1
        fastest = SWEEP if by_level else DRIVER
        if rule.by_level and self._is_soon_interpreted(problem, fastest):
            return REFERENCE
        pays = self.at_peak or self.work > DRIVEN_PULLS or KERNELS[fastest].is_on_disk
        return fastest if pays else DRIVER

    def _is_soon_interpreted(self, problem: Problem, fastest: str) -> bool:
        """Return whether an index policy is played before Numba is loaded, or the fastest engine is compiled."""
        if not problem.sampling.is_independent or draw_of(problem) > ZERO_ONE:
            return False
        if self.work <= LOADED_PULLS and not is_numba_loaded():
            return True
        return self.work <= INTERPRETED_PULLS and not KERNELS[fastest].is_on_disk

    def schedule(self, rule: Rule, budgets: Sequence[float], *, n_arms: int, outputs: bool) -> Schedule:
        """Return how a rule is played and judged at these budgets, as compiled engines take it."""
        return Schedule(
            budgets=np.array([ticks_of(budget) for budget in budgets], dtype=np.int64),
            at_peak=self.at_peak,
            ceiling=rule.known.ceiling,
            loss=self.loss.code,
            in_flight=max(self.in_flight, 1),
            asynchronous=self.asynchronous,
            n_outputs=n_arms if outputs else 0,
            n_judged=n_arms if self.keeps_mistakes else 0,
            first_pulls=rule.first_pulls,
            memory=rule.memory,
            learns=rule.learn is not go_on,
            ends_when_found=rule.ends_when_found,
        )


@dataclass(frozen=True, eq=False)
class BoundPolicy:
    """A policy bound to a problem and a setting: one rule for each pass over the runs.

    Attributes
    ----------
    passes : tuple
        The budgets of each pass, increasing, and the rule that plays them.
    """

    policy: Policy
    problem: Problem
    setting: Setting
    passes: tuple[tuple[tuple[float, ...], Rule], ...]

    @property
    def engine(self) -> str:
        """Which engine plays it."""
        return self.setting.engine(self.passes[-1][1], self.problem)

    def compile(self) -> None:
        """Compile the steps of a policy that the driver plays."""
        if self.engine == DRIVER:
            self.passes[-1][1].pointers()

    def run(self, *, seed: int, first_run: int = 0, runs: int = 1) -> RunCounts:
        """Return the counts of a range of runs.

        Raises
        ------
        InvalidPolicyError
            If the policy chooses an arm that cannot be pulled.
        """
        try:
            return join_budgets([self._pass(budgets, rule, seed, first_run, runs) for budgets, rule in self.passes])
        except NoSuchArmError as error:
            raise InvalidPolicyError(
                self.policy.name,
                "choose returned an arm that does not exist or has no samples left",
                instead="return the number of an arm of state.is_open, or -1 to stop",
            ) from error

    def _pass(self, budgets: tuple[float, ...], rule: Rule, seed: int, first_run: int, runs: int) -> RunCounts:
        engine, problem, outputs = self.engine, self.problem, self.policy.traits.stops
        schedule = self.setting.schedule(rule, budgets, n_arms=problem.n_arms, outputs=outputs)
        if engine == SWEEP:
            return run_index_policy(rule.known.ranking, arms_of(problem), schedule, seed, first_run, runs)
        if engine == DRIVER:
            steps, told = rule.pointers(), (rule.known, rule.origin, arms_of(problem))
            return drive(*steps, schedule, *told, seed, first_run, runs)
        return play_runs(rule, problem, schedule, seed=seed, first_run=first_run, runs=runs)


def bind_policy(policy: Policy, problem: Problem, setting: Setting) -> BoundPolicy:
    """Return a policy bound to a problem, once for each pass.

    Raises
    ------
    InvalidInputError
        If it cannot play the problem, or not with every budget or with this recommendation.
    """
    parts = setting.parts(policy, problem)
    bound = BoundPolicy(
        policy, problem, setting, tuple((budgets, setting.bind(policy, problem, budgets[-1])) for budgets in parts)
    )
    for budget in setting.budgets:
        policy.check_budget(problem, budget)
    asked = "peak" if setting.at_peak else "final"
    control = "" if problem.has_known_bar else "control"
    Combination(problem.family, control, repeats=problem.sampling.repeats, recommend=asked).check()
    if setting.at_peak and bound.passes[-1][1].shares_items:
        raise InvalidInputError(
            "recommend", "peak", rule="must be 'final' with shared items: their indices move without a pull",
            fix=f"or use {policy.name}:structure=pool",
        )  # fmt: skip
    return bound


def one_pass(problem: Problem, budgets: Sequence[float]) -> list[tuple[float, ...]]:
    """Return the budgets by passes of an index policy: one for all if every pull costs the same, else one for each."""
    costs_differ = bool((problem.ticks != problem.ticks[0]).any())
    return [(budget,) for budget in budgets] if costs_differ else [tuple(budgets)]


def run_policy(
    policy: Policy, problem: Problem, setting: Setting, *, seed: int, first_run: int = 0, runs: int = 1
) -> RunCounts:
    """Return the counts of a range of runs of a policy on a problem."""
    return bind_policy(policy, problem, setting).run(seed=seed, first_run=first_run, runs=runs)
