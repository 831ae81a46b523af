"""The one place where it is decided which engine plays a policy.

All engines give the same numbers bit for bit, so the choice is one of time. The level sweep is the fastest, once it
is compiled, which takes about a quarter of a minute on a new installation; the driver takes two thirds of that. The
reference engine plays what ends before either is compiled, and what ends before Numba is loaded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidPolicyError
from thresher.jit import is_numba_loaded
from thresher.policy import Policy, Rule
from thresher.problem import Combination, Problem
from thresher.research.engine.counted import RunCounts, join_budgets
from thresher.research.engine.draws import ZERO_ONE, arms_of, draw_of
from thresher.research.engine.driver import NoSuchArmError, drive
from thresher.research.engine.options import SimulationOptions
from thresher.research.engine.reference import play_runs
from thresher.research.engine.runs import run_index_policy

SWEEP: str = "sweep"
DRIVER: str = "driver"
REFERENCE: str = "reference"
KERNELS: dict[str, Any] = {SWEEP: run_index_policy, DRIVER: drive}
LOADED_PULLS = 30_000  # interpreted, about 12 µs each: less than it takes to load Numba
INTERPRETED_PULLS = 400_000  # less than the driver takes to compile
DRIVEN_PULLS = 100_000_000  # with more the level sweep saves what it takes longer to compile


@dataclass(frozen=True, eq=False)
class BoundPolicy:
    """A policy bound to a problem and the options of a simulation: one rule for each pass over the runs.

    Attributes
    ----------
    passes : tuple
        The budgets of each pass, increasing, and the rule that plays them.
    work : float
        Pulls of the whole simulation, about: for few of them nothing is compiled.
    """

    policy: Policy
    problem: Problem
    options: SimulationOptions
    passes: tuple[tuple[tuple[float, ...], Rule], ...]
    work: float = math.inf

    @property
    def engine(self) -> str:
        """Which engine plays it: the level sweep, the driver or the reference engine."""
        rule, problem, options = self.passes[-1][1], self.problem, self.options
        if not rule.is_compiled or problem.truth.samplers is not None:
            return REFERENCE
        by_level = rule.by_level and not options.in_flight and problem.sampling.repeats == 1
        fastest = SWEEP if by_level else DRIVER
        if rule.by_level and self._is_soon_interpreted(fastest):
            return REFERENCE
        pays = options.at_peak or self.work > DRIVEN_PULLS or KERNELS[fastest].is_on_disk
        return fastest if pays else DRIVER

    def _is_soon_interpreted(self, fastest: str) -> bool:
        """Return whether an index policy is played before Numba is loaded, or the fastest engine is compiled."""
        if not self.problem.sampling.is_independent or draw_of(self.problem) > ZERO_ONE:
            return False
        if self.work <= LOADED_PULLS and not is_numba_loaded():
            return True
        return self.work <= INTERPRETED_PULLS and not KERNELS[fastest].is_on_disk

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
        engine, problem = self.engine, self.problem
        schedule = self.options.schedule(self.policy, rule, budgets)
        if engine == SWEEP:
            return run_index_policy(rule.known.ranking, arms_of(problem), schedule, seed, first_run, runs)
        if engine == DRIVER:
            steps, told = rule.pointers(), (rule.known, rule.origin, arms_of(problem))
            return drive(*steps, schedule, *told, seed, first_run, runs)
        return play_runs(rule, problem, schedule, seed=seed, first_run=first_run, runs=runs)


def bind_policy(policy: Policy, problem: Problem, options: SimulationOptions, *, work: float = math.inf) -> BoundPolicy:
    """Return a policy bound to a problem, once for each pass; `work` is the number of pulls of the whole simulation.

    Raises
    ------
    InvalidInputError
        If it cannot play the problem, or not with every budget or with this recommendation.
    """
    parts = options.parts(policy, problem)
    passes = tuple((budgets, options.bind(policy, problem, budgets[-1])) for budgets in parts)
    for budget in options.budgets:
        policy.check_budget(problem, budget)
    Combination(
        problem.family,
        has_control=not problem.has_known_bar,
        policy=policy.name,
        repeats=problem.sampling.repeats,
        recommend=options.recommend,
        shares_items=passes[-1][1].shares_items,
    ).check()
    return BoundPolicy(policy, problem, options, passes, work)


def run_policy(
    policy: Policy, problem: Problem, options: SimulationOptions, *, seed: int, first_run: int = 0, runs: int = 1
) -> RunCounts:
    """Return the counts of a range of runs of a policy on a problem."""
    return bind_policy(policy, problem, options).run(seed=seed, first_run=first_run, runs=runs)
