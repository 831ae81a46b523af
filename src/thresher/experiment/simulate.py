"""Simulation: policies × budgets × runs on one problem, spread over whoever works, kept as it comes."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from thresher.engine import Counted
from thresher.experiment.executors import executor_of
from thresher.experiment.given import budgets_of, policies_of, runs_of
from thresher.experiment.job import Asked, Job
from thresher.experiment.pieces import Piece, Progress, cut, work
from thresher.experiment.result import Result
from thresher.experiment.store import Store
from thresher.experiment.warm_up import Say, warm_up
from thresher.policy import FieldPolicy, Policy, find_policy
from thresher.problem import Problem, find_problem
from thresher.problem.keywords import suggests_keywords


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came while runs were under way; what was done is in `result`, if every policy had finished some runs."""

    def __init__(self, result: Result | None) -> None:
        super().__init__()
        self.result = result


@suggests_keywords
def simulate(
    problem: Problem | Path | str,
    policies: Sequence[str | Policy] | Policy | str = "stopping",
    *,
    budgets: Iterable[float] | float,
    runs: int = 1000,
    seed: int = 0,
    recommend: str = "final",
    loss: str = "costs",
    tolerance: float = 0.0,
    stop_price: float = 0.0,
    in_flight: int = 0,
    delays: str = "batch",
    executor: str | Executor = "threads",
    workers: int | None = None,
    address: str | None = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> Result:
    """Return how many arms each policy misjudges at each budget, over many runs.

    Every policy meets the same luck in run `r`, so that they can be compared run by run; a row does not change when
    other budgets or policies stand beside it, nor with the executor or the number of workers.

    Parameters
    ----------
    problem : Problem, Path or str
        A problem, a file or a name (``"linear:K=200"``).
    policies : str, Policy or sequence
        Names such as ``"lsa:alpha=1.35"``, or policies.
    budgets : float or iterable of float
        At least the cost of pulling every arm once.
    runs, seed : int
        How often, and which luck.
    recommend : str
        ``"final"``, or ``"peak"`` for the paper's t_max.
    loss : str
        ``"costs"``, ``"gaps"``, ``"any"``, or ``"more-than:m=2"``: 1 where there are more than 2 mistakes, an arm
        without a verdict being half a mistake.
    tolerance : float
        Forgive arms within it of the bar.
    stop_price : float
        Stop early once no measurement saves that much cost per unit of budget.
    in_flight, delays : int, str
        How many pulls may be outstanding, and whether they come back as a ``"batch"`` or in ``"random"`` order.
    executor : str or concurrent.futures.Executor
        ``"threads"``, ``"processes"``, ``"dask"`` (with `address` for a cluster), or your own.
    workers : int, optional
        How many.
    out : path, optional
        Keep finished runs in this file, a database of results, and go on from it.
    progress : callable, optional
        Called with (pieces done, pieces in all).
    say : callable, optional
        Called with a sentence when something takes long, such as compilation; standard error unless given.

    Raises
    ------
    InvalidProblemError, UnknownNameError, ExperimentError
        If something that was asked for does not exist or cannot be done.
    Interrupted
        On Ctrl-C, with what was done.
    """
    asked = Asked(budgets_of(budgets), recommend, loss, tolerance, stop_price, in_flight, delays)
    whole = find_problem(problem)
    jobs = [Job(whole, policy, asked, seed) for policy in policies_of(policies, find_policy)]
    runs = runs_of(runs)
    _warm_up(jobs, say)
    pieces = cut(jobs, runs)
    store = Store(Path(out), Counted, identity=_identity(jobs), about=about()) if out is not None else None
    done: dict[Piece[Counted], Counted] = {}
    try:
        with executor_of(executor, workers=workers, address=address) as pool:
            work(pool, pieces, done, store, progress)
    except KeyboardInterrupt:
        raise Interrupted(_finished(jobs, pieces, done)) from None
    finally:
        if store is not None:
            store.close()
    return _collect(jobs, pieces, done, runs)


def about() -> dict[str, Any]:
    """Return the versions and the command that results carry."""
    import numba

    return {
        "thresher": version("thresher-bandits"),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        "command": " ".join(["thresher", *sys.argv[1:]]) if Path(sys.argv[0]).name == "thresher" else "python",
    }


def _warm_up(jobs: Sequence[Job], say: Say | None) -> None:
    """Compile the loop of all policies that rank by an index, and that of the field's if there are any."""
    has_field = any(isinstance(job.policy, FieldPolicy) for job in jobs)
    smallest, names = Problem.gaussian([0.5, -0.5]), ["apt", "straddle"] if has_field else ["apt"]
    alike = [Job(smallest, find_policy(name), Asked((4.0,)), seed=0) for name in names]
    warm_up(alike, say, how_long="half a minute" if has_field else "ten seconds")


def _collect(jobs: list[Job], pieces: list[Piece[Counted]], done: dict[Piece[Counted], Counted], runs: int) -> Result:
    counted = {}
    for job in jobs:
        parts = [done[piece] for piece in pieces if piece.job is job and piece.first_run + piece.runs <= runs]
        counted[job.policy.name] = Counted(
            losses=np.concatenate([part.losses for part in parts]),
            any_mistakes=np.concatenate([part.any_mistakes for part in parts]),
            spent=np.concatenate([part.spent for part in parts]),
            pulls=np.asarray(sum(part.pulls for part in parts)),
            pulls_squared=np.asarray(sum(part.pulls_squared for part in parts)),
        )
    return Result(jobs[0].problem, jobs[0].asked, runs, jobs[0].seed, counted, about())


def _finished(jobs: list[Job], pieces: list[Piece[Counted]], done: dict[Piece[Counted], Counted]) -> Result | None:
    """Return the result of the first runs that all policies have finished, if there are any."""
    runs = 0
    for piece in pieces:
        if piece not in done:
            break
        if piece.job is jobs[-1]:
            runs = piece.first_run + piece.runs
    return _collect(jobs, pieces, done, runs) if runs else None


def _identity(jobs: list[Job]) -> dict[str, Any]:
    """Return what makes this grid this one; policies and runs can be added later."""
    job = jobs[0]
    asked = {WORDS.get(key, key.replace("_", " ")): value for key, value in asdict(job.asked).items()}
    return identity_of(job.problem) | asked | {"seed": job.seed}


WORDS = {"recommend": "recommendation", "in_flight": "pulls in flight"}  # for people, to whom a difference is told


def identity_of(problem: Problem) -> dict[str, Any]:
    """Return what makes experiments on this problem, by this version, ones of the same kind."""
    parts = {key.replace("_", " "): digest for key, digest in problem.digests().items()}
    return {"problem": problem.name, **parts, "version of thresher": version("thresher-bandits")}
