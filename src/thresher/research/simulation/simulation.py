"""Simulation: policies × budgets × runs on one problem, spread over workers, each part stored when it is done."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import InvalidInputError
from thresher.policy import Chooser, Policy, find_policy
from thresher.problem import Problem, find_problem, suggests_keywords
from thresher.report import notebook_progress
from thresher.research.engine import DRIVER, KERNELS, SWEEP, RunCounts, SimulationOptions, after
from thresher.research.simulation.arguments import budgets_of, policies_of, runs_of
from thresher.research.simulation.chunks import Chunk, Progress, run_chunks, split_into_chunks
from thresher.research.simulation.executors import executor_of
from thresher.research.simulation.job import Job
from thresher.research.simulation.own_loss import LossFunction, OwnLoss, own_loss
from thresher.research.simulation.result import Result
from thresher.research.simulation.store import Store
from thresher.research.simulation.warm_up import Say, warm_up

MOST_PULLS = 1_000_000  # of a run that stops by itself, unless told otherwise: so that none is endless
PLAYED_BY = {SWEEP: "apt", DRIVER: "uniform-iid"}  # a policy that is quickly compiled, for each compiled engine
COMPILE_TIMES, STEPS_TIME = {SWEEP: 12.0, DRIVER: 7.0}, 1.5  # seconds for an engine, and for the steps of a policy


class Interrupted(KeyboardInterrupt):
    """Ctrl-C interrupted a simulation; finished runs are in `result`, if every policy has some."""

    def __init__(self, result: Result | None) -> None:
        super().__init__()
        self.result = result


@suggests_keywords
def simulate(
    problem: Problem | Path | str,
    policies: Sequence[str | Policy | Chooser] | Policy | Chooser | str | None = None,
    *,
    budgets: Iterable[float] | float | None = None,
    alpha: float | None = None,
    runs: int = 1000,
    seed: int = 0,
    recommend: str = "final",
    loss: str | LossFunction = "costs",
    tolerance: float = 0.0,
    stop_price: float = 0.0,
    in_flight: int = 0,
    delays: str = "batch",
    keep_mistakes: bool = False,
    executor: str | Executor = "threads",
    workers: int | None = None,
    address: str | None = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> Result:
    """Return how many arms each policy misjudges at each budget, or how long it takes at an error rate, over many runs.

    All policies share random numbers in run `r`, so that they can be compared run by run; a row does not change when
    other budgets or policies are simulated too, nor with the executor or the number of workers.

    Parameters
    ----------
    problem : Problem, Path or str
        A problem, a file or a name (``"linear:K=200"``).
    policies : str, Policy, object or sequence
        Names such as ``"lsa:alpha=1.35"``, policies, or objects with a method ``choose(seen, rng)``; ``"stopping"``
        (``"hdoc"`` with an error rate) unless given.
    budgets : float or iterable of float
        At least the cost of pulling every arm once. With an error rate: the most pulls of a run, 1,000,000 unless
        given.
    alpha : float, optional
        The error rate that policies are to keep that stop by themselves, such as 0.05.
    runs, seed : int
        How many runs, and the random seed.
    recommend : str
        ``"final"``, or ``"peak"`` for the paper's t_max.
    loss : str or callable
        ``"costs"``, ``"gaps"``, ``"any"``, or ``"more-than:m=2"``: 1 where there are more than 2 mistakes, an arm
        without a verdict being half a mistake. Or a function ``loss(mistakes, gaps, costs)`` of the arrays of one run,
        shape (K,): 1 for each wrong verdict and ½ for none, how far each mean is above its bar, and the mistake costs.
    tolerance : float
        Forgive arms within it of the bar.
    stop_price : float
        Stop early once no measurement saves that much cost per unit of budget.
    in_flight, delays : int, str
        How many pulls may be outstanding, and whether they come back as a ``"batch"`` or in ``"random"`` order.
    keep_mistakes : bool
        Keep the mistakes of every run by arm, for :meth:`Result.mistakes`: a byte for each run, budget and arm.
    executor : str or concurrent.futures.Executor
        ``"threads"``, ``"processes"``, ``"dask"`` (with `address` for a cluster), or your own.
    workers : int, optional
        How many.
    out : path, optional
        Keep finished runs in this file, a database of results, and go on from it.
    progress : callable, optional
        Called with (chunks done, chunks in all); a notebook shows a bar unless it is given.
    say : callable, optional
        Called with a sentence when something takes long, such as compilation; standard error unless given.

    Raises
    ------
    InvalidInputError, UnknownNameError, ExperimentError
        If something that was asked for does not exist or cannot be done.
    Interrupted
        On Ctrl-C, with what was done.
    """
    if budgets is None and alpha is None:
        raise InvalidInputError(
            "budget",
            rule="a budget or an error rate is needed",
            fix="give budgets=[…], or alpha=0.05 for policies that stop",
        )
    limits = budgets_of(MOST_PULLS if budgets is None else budgets)
    own = own_loss(loss, alpha)
    named, is_kept = ("costs", True) if own else (str(loss), keep_mistakes)
    asked = SimulationOptions(limits, recommend, named, tolerance, stop_price, in_flight, delays, alpha, is_kept)
    whole, runs = find_problem(problem), runs_of(runs)
    chosen = policies_of(("stopping" if alpha is None else "hdoc") if policies is None else policies, find_policy)
    work = runs * sum(asked.pulls_in_all(policy, whole) for policy in chosen)
    jobs = [Job(whole, policy, asked, seed, work) for policy in chosen]
    _warm_up(jobs, say)
    chunks = split_into_chunks(jobs, runs)
    store = Store(Path(out), RunCounts, identity=_identity(jobs), about=about()) if out is not None else None
    done: dict[Chunk[RunCounts], RunCounts] = {}
    try:
        with executor_of(executor, workers=workers, address=address) as pool:
            run_chunks(pool, chunks, done, store, progress or notebook_progress("Simulating"))
    except KeyboardInterrupt:
        raise Interrupted(_finished(jobs, chunks, done, own)) from None
    finally:
        if store is not None:
            store.close()
    return _collect(jobs, chunks, done, runs, own)


def about() -> dict[str, Any]:
    """Return the versions and the command that results carry."""
    return {
        "thresher": _version(),
        "numpy": np.__version__,
        "numba": version("numba"),
        "python": platform.python_version(),
        "command": " ".join(["thresher", *sys.argv[1:]]) if Path(sys.argv[0]).name == "thresher" else "python",
    }


def _warm_up(jobs: Sequence[Job], say: Say | None) -> None:
    """Compile the engines, and what is compiled for single policies."""
    smallest, engines = Problem.gaussian([0.5, -0.5]), {job.engine for job in jobs}
    names = [name for engine, name in PLAYED_BY.items() if engine in engines]
    tasks = {
        name: partial(Job(smallest, find_policy(name), SimulationOptions((4.0,)), seed=0).run, 0, 1) for name in names
    }
    warm_up(tasks | {f"steps of {job.key}": job.compile for job in jobs}, say, seconds=_compile_time(jobs))


def _compile_time(jobs: Sequence[Job]) -> float:
    """Estimate the seconds that compiling takes, without what is in the cache on disk."""
    engines = [job.engine for job in jobs]
    missing = [engine for engine in PLAYED_BY if engine in engines and not KERNELS[engine].is_on_disk]
    return sum(COMPILE_TIMES[engine] for engine in missing) + STEPS_TIME * engines.count(DRIVER)


def _collect(
    jobs: list[Job],
    chunks: list[Chunk[RunCounts]],
    done: dict[Chunk[RunCounts], RunCounts],
    runs: int,
    own: OwnLoss | None,
) -> Result:
    counted, problem = {}, jobs[0].problem
    for job in jobs:
        parts = [done[chunk] for chunk in chunks if chunk.job is job and chunk.first_run + chunk.runs <= runs]
        counted[job.policy.name] = after(parts) if own is None else own.judge(after(parts), problem.costs)
    promises = {job.policy.name: job.policy.traits.promise for job in jobs}
    label = own.name if own else ""
    return Result(problem, jobs[0].asked, runs, jobs[0].seed, counted, about(), promises, label)


def _finished(
    jobs: list[Job], chunks: list[Chunk[RunCounts]], done: dict[Chunk[RunCounts], RunCounts], own: OwnLoss | None
) -> Result | None:
    """Return the result of the first runs that all policies have finished, if there are any."""
    runs = 0
    for chunk in chunks:
        if chunk not in done:
            break
        if chunk.job is jobs[-1]:
            runs = chunk.first_run + chunk.runs
    return _collect(jobs, chunks, done, runs, own) if runs else None


def _identity(jobs: list[Job]) -> dict[str, Any]:
    """Return what makes this grid this one; policies and runs can be added later."""
    job = jobs[0]
    options = {key: value for key, value in asdict(job.asked).items() if key != "keep_mistakes" or value}
    asked = {WORDS.get(key, key.replace("_", " ")): value for key, value in options.items()}
    return identity_of(job.problem) | asked | {"seed": job.seed}


WORDS = {"recommend": "recommendation", "in_flight": "pulls in flight"}  # for messages about a difference


def identity_of(problem: Problem) -> dict[str, Any]:
    """Return what makes experiments on this problem, by this version, ones of the same kind."""
    parts = {key.replace("_", " "): digest for key, digest in problem.digests().items()}
    return {"problem": problem.name, **parts, "version of thresher": _version()}


def _version() -> str:
    """Return the version of thresher, also in a checkout that was updated after its installation."""
    return str(sys.modules["thresher"].__version__)  # the package above: importing it here would be a cycle
