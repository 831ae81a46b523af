"""Simulation on arms of several coordinates: policies × budgets × runs on one problem."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.errors import InvalidProblemError
from thresher.experiment.executors import executor_of
from thresher.experiment.pieces import Piece, Progress, cut, work
from thresher.experiment.warm_up import announced
from thresher.feasible.catalogue import named_feasible
from thresher.feasible.policy import FeasiblePolicy
from thresher.feasible.problem import FeasibleProblem
from thresher.feasible.region import half_space
from thresher.feasible.registry import find_feasible_policy
from thresher.feasible.result import FeasibleResult
from thresher.feasible.runs import Judged, points_of, run_feasible

PULLS_PER_CHUNK = 1_000_000  # about half a second of work


@dataclass(frozen=True, eq=False)
class FeasibleJob:
    """Runs of one policy on one problem."""

    problem: FeasibleProblem
    policy: FeasiblePolicy
    budgets: tuple[int, ...]
    seed: int

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise InvalidProblemError(f"seed {self.seed}", instead="give a whole number from 0 to 2^63 - 1")
        self.policy.rules(self.problem, self.budgets)  # complains before any work is done

    @property
    def key(self) -> str:
        """Under what its results are kept."""
        return self.policy.name

    def chunk_size(self) -> int:
        """Return how many runs make one piece of work; it does not depend on who works."""
        return max(1, PULLS_PER_CHUNK // self.budgets[-1])

    def run(self, first_run: int, runs: int) -> Judged:
        """Return what came out of a range of runs."""
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
    say: Callable[[str], None] | None = None,
) -> FeasibleResult:
    """Return how often each policy fails at each budget, over many runs, and where its pulls went.

    A run fails if it misjudges an arm that is inside by the problem's tolerance or more, or outside by more than it.
    Every policy meets the same luck in run `r`; a row does not change when other budgets or policies stand beside it,
    nor with the number of workers.

    Parameters
    ----------
    problem : FeasibleProblem or str
        A problem, or a name (``"katz-samuels-1"``).
    policies : str or sequence
        Names such as ``"md-apt"`` or ``"md-ucbe:scale=10"``, or policies.
    budgets : iterable of int
        Pulls in all; at least one for every arm.
    runs, seed : int
        How often, and which luck.
    workers : int, optional
        How many threads.
    progress : callable, optional
        Called with (pieces done, pieces in all).
    say : callable, optional
        Called with a sentence when something takes long, such as compilation; standard error unless given.

    Raises
    ------
    InvalidProblemError, UnknownNameError
        If something that was asked for does not exist or cannot be done.
    """
    if runs < 1:
        raise InvalidProblemError(f"{runs} runs", instead="ask for at least one")
    jobs = _jobs(problem, policies, _in_order(budgets), seed)
    _warm_up(say or (lambda text: print(text, file=sys.stderr)))  # noqa: T201
    pieces: list[Piece[Judged]] = cut(jobs, runs)
    done: dict[Piece[Judged], Judged] = {}
    with executor_of("threads", workers=workers) as pool:
        work(pool, pieces, done, None, progress)
    judged = {job.policy.name: _joined([done[piece] for piece in pieces if piece.job is job]) for job in jobs}
    return FeasibleResult(jobs[0].problem, jobs[0].budgets, runs, seed, judged)


def _in_order(budgets: Iterable[int]) -> tuple[int, ...]:
    asked = sorted({float(budget) for budget in budgets})
    if not asked or not all(budget.is_integer() for budget in asked):
        raise InvalidProblemError(f"budgets {asked}", instead="give one at least, in whole pulls")
    return tuple(int(budget) for budget in asked)


def _jobs(
    problem: FeasibleProblem | str,
    policies: Sequence[str | FeasiblePolicy] | str,
    budgets: tuple[int, ...],
    seed: int,
) -> list[FeasibleJob]:
    chosen = [policies] if isinstance(policies, str) else list(policies)
    if not chosen:
        raise InvalidProblemError("no policy", instead="name at least one")
    whole, jobs = named_feasible(problem) if isinstance(problem, str) else problem, dict[str, FeasibleJob]()
    for policy in map(find_feasible_policy, chosen):
        job = FeasibleJob(whole, policy, budgets, seed)
        if jobs.setdefault(policy.name, job).policy != policy:
            raise InvalidProblemError(
                f"two policies with the name {policy.name!r}", instead="give each a name of its own"
            )
    return list(jobs.values())


_warm = False


def _warm_up(say: Callable[[str], None]) -> None:
    """Run the smallest problem once per process; say so if that takes long enough to be a compilation."""
    global _warm
    if not _warm:
        problem = FeasibleProblem(means=np.array([[0.5], [-0.5]]), region=half_space([1.0], 0.0))
        with announced(say):
            FeasibleJob(problem, find_feasible_policy("md-apt"), (4,), seed=0).run(0, 1)
        _warm = True


def _joined(parts: list[Judged]) -> Judged:
    return Judged(
        np.concatenate([part.failures for part in parts]),
        np.asarray(sum(part.pulls for part in parts)),
        np.asarray(sum(part.pulls_squared for part in parts)),
    )
