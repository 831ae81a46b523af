"""Simulation on arms of several coordinates: policies × budgets × runs on one problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from reproduction.feasible.catalogue import named_feasible
from reproduction.feasible.policy import FeasiblePolicy
from reproduction.feasible.problem import FeasibleProblem
from reproduction.feasible.region import half_space
from reproduction.feasible.registry import find_feasible_policy
from reproduction.feasible.result import FeasibleResult
from reproduction.feasible.runs import Judged, points_of, run_feasible
from thresher.errors import InvalidInputError
from thresher.research.simulation.arguments import policies_of, runs_of, seed_of
from thresher.research.simulation.chunks import Chunk, Progress, run_chunks, split_into_chunks
from thresher.research.simulation.executors import executor_of
from thresher.research.simulation.warm_up import Say, warm_up

PULLS_PER_CHUNK = 1_000_000  # about half a second of work


@dataclass(frozen=True, eq=False)
class FeasibleJob:
    """Runs of one policy on one problem."""

    problem: FeasibleProblem
    policy: FeasiblePolicy
    budgets: tuple[int, ...]
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", seed_of(self.seed))
        self.policy.rules(self.problem, self.budgets)  # complains before any work is done

    @property
    def key(self) -> str:
        """Under what its results are kept."""
        return self.policy.name

    def chunk_size(self) -> int:
        """Return how many runs make one chunk of work; it does not depend on the executor."""
        return max(1, PULLS_PER_CHUNK // self.budgets[-1])

    def run(self, first_run: int, runs: int) -> Judged:
        """Return the counts of a range of runs."""
        rules, budgets = self.policy.rules(self.problem, self.budgets), np.array(self.budgets, dtype=np.int64)
        bar, points = self.problem.region.bar, points_of(self.problem)
        return run_feasible(rules, bar, points, budgets, self.seed, first_run, runs)


def simulate_feasible(
    problem: FeasibleProblem | str,
    policies: Sequence[str | FeasiblePolicy] | str = "md-apt",
    *,
    budgets: Iterable[int],
    runs: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> FeasibleResult:
    """Return how often each policy fails at each budget, over many runs, and where its pulls went.

    A run fails if it misjudges an arm that is inside by the problem's tolerance or more, or outside by more than it.
    All policies share random numbers in run `r`; a row changes neither with other budgets and policies nor with the
    number of workers.

    Parameters
    ----------
    problem : FeasibleProblem or str
        A problem, or a name (``"katz-samuels-1"``).
    policies : str or sequence
        Names such as ``"md-apt"`` or ``"md-ucbe:scale=10"``, or policies.
    budgets : iterable of int
        Pulls in all; at least one for every arm.
    runs, seed : int
        Number of runs, and the random seed.
    workers : int, optional
        How many threads.
    progress : callable, optional
        Called with (chunks done, chunks in all).
    say : callable, optional
        Called with a sentence when something takes long, such as compilation; standard error unless given.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If something that was asked for does not exist or cannot be done.
    """
    runs, asked = runs_of(runs), _in_order(budgets)
    whole = named_feasible(problem) if isinstance(problem, str) else problem
    jobs = [FeasibleJob(whole, policy, asked, seed) for policy in policies_of(policies, find_feasible_policy)]
    warm_up({"md-apt": partial(_smallest().run, 0, 1)}, say)
    chunks: list[Chunk[Judged]] = split_into_chunks(jobs, runs)
    done: dict[Chunk[Judged], Judged] = {}
    with executor_of("threads", workers=workers) as pool:
        run_chunks(pool, chunks, done, None, progress)
    judged = {job.policy.name: _joined([done[chunk] for chunk in chunks if chunk.job is job]) for job in jobs}
    return FeasibleResult(whole, asked, runs, jobs[0].seed, judged)


def _in_order(budgets: Iterable[int]) -> tuple[int, ...]:
    asked = sorted({float(budget) for budget in budgets})
    if not asked or not all(budget.is_integer() for budget in asked):
        raise InvalidInputError("budgets", asked, rule="must be whole pulls, at least one budget")
    return tuple(int(budget) for budget in asked)


def _smallest() -> FeasibleJob:
    problem = FeasibleProblem(means=np.array([[0.5], [-0.5]]), region=half_space([1.0], 0.0))
    return FeasibleJob(problem, find_feasible_policy("md-apt"), (4,), seed=0)


def _joined(parts: list[Judged]) -> Judged:
    return Judged(
        np.concatenate([part.failures for part in parts]),
        np.asarray(sum(part.pulls for part in parts)),
        np.asarray(sum(part.pulls_squared for part in parts)),
    )
