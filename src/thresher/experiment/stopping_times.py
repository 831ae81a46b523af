"""How long policies take that stop by themselves, and how often they are wrong: many runs on one problem."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thresher.engine import arms_of
from thresher.engine.confidence import Ending, Stopped, run_until_sure
from thresher.errors import InvalidProblemError, ThresherError
from thresher.experiment.executors import executor_of
from thresher.experiment.given import policies_of, runs_of, seed_of, whole_number
from thresher.experiment.pieces import Piece, Progress, cut, work
from thresher.experiment.simulate import about, identity_of
from thresher.experiment.stopping_result import StoppingTimes
from thresher.experiment.store import Store
from thresher.experiment.warm_up import Say, warm_up
from thresher.policy import ConfidencePolicy, Policy, find_policy
from thresher.policy.confidence import CONFIDENCE, PROMISES
from thresher.problem import Problem, find_problem

MOST_PULLS = 1_000_000  # of a run, unless told otherwise: so that none is endless
PULLS_PER_CHUNK, PULLS_PER_ARM = 5_000_000, 1_000  # a piece of work, if a run takes about that many for each arm


@dataclass(frozen=True)
class StopJob:
    """Runs of one policy that stops by itself, on one problem."""

    problem: Problem
    policy: ConfidencePolicy
    confidence: float
    most_pulls: int
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", seed_of(self.seed))
        object.__setattr__(self, "most_pulls", whole_number("most_pulls", self.most_pulls))
        if not self.problem.n_arms <= self.most_pulls < 2**53:
            raise InvalidProblemError(
                f"at most {self.most_pulls} pulls for {self.problem.n_arms} arms",
                instead="give at least one pull of every arm",
            )
        self.policy.demand(self.problem, self.confidence)  # complains before any work is done

    @property
    def key(self) -> str:
        """Under what results of this policy are kept: its name, and a hash where the name does not say what it does."""
        try:
            known = find_policy(self.policy.name) == self.policy
        except ThresherError:
            known = False
        said = hashlib.sha256(repr(self.policy).encode()).hexdigest()[:16]
        return self.policy.name if known else f"{self.policy.name}#{said}"

    def chunk_size(self) -> int:
        """Return how many runs make one piece of work; it does not depend on who works."""
        pulls = min(self.most_pulls, PULLS_PER_ARM * self.problem.n_arms)
        return max(1, PULLS_PER_CHUNK // pulls)

    def run(self, first_run: int, runs: int) -> Stopped:
        """Return what came out of a range of runs."""
        demand = self.policy.demand(self.problem, self.confidence)
        ending = Ending(self.most_pulls, self.policy.runs_on, PROMISES.index(self.policy.promise))
        return run_until_sure(demand, arms_of(self.problem), ending, self.seed, first_run, runs)


def stopping_times(
    problem: Problem | Path | str,
    policies: Sequence[str | Policy] | Policy | str = "hdoc",
    *,
    confidence: float = 0.05,
    most_pulls: int = MOST_PULLS,
    runs: int = 1000,
    seed: int = 0,
    executor: str | Executor = "threads",
    workers: int | None = None,
    address: str | None = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> StoppingTimes:
    """Return how many pulls each policy takes until it stops by itself, and how often it is wrong.

    Every policy meets the same luck in run `r`; a row does not change when other policies stand beside it, nor with the
    executor or the number of workers.

    Parameters
    ----------
    problem : Problem or str
        A problem, a file or a name.
    policies : str or sequence
        Names such as ``"hdoc"`` or ``"sticky-tas:log_c=2"``, or policies; only such as stop by themselves.
    confidence : float
        δ in (0, 1): the error that is allowed.
    most_pulls : int
        A run ends there at the latest.
    runs, seed : int
        How often, and which luck.
    executor, workers, address, out, progress, say
        As in :func:`thresher.experiment.simulate`.

    Raises
    ------
    InvalidProblemError, UnknownNameError, ExperimentError
        If something that was asked for does not exist or cannot be done.
    """
    runs = runs_of(runs)
    whole, chosen = find_problem(problem), map(_until_sure, policies_of(policies, find_policy))
    jobs = [StopJob(whole, policy, confidence, most_pulls, seed) for policy in chosen]
    warm_up([_smallest()], say)
    pieces: list[Piece[Stopped]] = cut(jobs, runs)
    store = Store(Path(out), Stopped, identity=_identity(jobs[0]), about=about()) if out is not None else None
    done: dict[Piece[Stopped], Stopped] = {}
    try:
        with executor_of(executor, workers=workers, address=address) as pool:
            work(pool, pieces, done, store, progress)
    finally:
        if store is not None:
            store.close()
    stopped = {job.policy.name: _joined([done[piece] for piece in pieces if piece.job is job]) for job in jobs}
    promises = {job.policy.name: job.policy.promise for job in jobs}
    job = jobs[0]
    return StoppingTimes(job.problem, confidence, job.most_pulls, runs, job.seed, promises, stopped, about())


def _until_sure(policy: Policy) -> ConfidencePolicy:
    """Return a policy that stops by itself.

    Raises
    ------
    InvalidProblemError
        If it does not.
    """
    if not isinstance(policy, ConfidencePolicy):
        raise InvalidProblemError(
            f"{policy.name!r} spends a budget and has no confidence",
            instead=f"type --budget instead of --confidence, or name one of {', '.join(CONFIDENCE)}",
        )
    return policy


def _smallest() -> StopJob:
    return StopJob(Problem.gaussian([0.5, -0.5]), _until_sure(find_policy("hdoc")), 0.1, 4, seed=0)


def _joined(parts: list[Stopped]) -> Stopped:
    return Stopped(
        times=np.concatenate([part.times for part in parts]),
        capped=np.concatenate([part.capped for part in parts]),
        errors=np.concatenate([part.errors for part in parts]),
        outputs=np.concatenate([part.outputs for part in parts]),
        pulls=np.asarray(sum(part.pulls for part in parts)),
        pulls_squared=np.asarray(sum(part.pulls_squared for part in parts)),
    )


def _identity(job: StopJob) -> dict[str, Any]:
    """Return what makes this grid this one; policies and runs can be added later."""
    return {
        **identity_of(job.problem),
        "confidence": job.confidence,
        "budget": job.most_pulls,
        "seed": job.seed,
    }
