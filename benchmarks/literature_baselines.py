"""Nanoseconds of one core's own time for a pull of every policy of other papers, and of `apt`, at K = 50.

Below it, what a pull takes where arms have several coordinates, on the experiments of `katz-samuels2018`.

Run by ``python -m benchmarks.literature_baselines``. CPU time of the thread: other processes do not count.
"""

from __future__ import annotations

import time

import numpy as np

from reproduction.feasible import FEASIBLE, FEASIBLE_PROBLEMS, find_feasible_policy, named_feasible
from reproduction.feasible.simulate import FeasibleJob
from thresher.policy import find_policy
from thresher.problem import Problem, named
from thresher.report.markdown import markdown_table
from thresher.research.engine import SimulationOptions
from thresher.research.league.suite import NEIGHBOURS
from thresher.research.simulation.job import Job

PULLS, RUNS, REPEATS = 2000.0, 20, 5
PROBLEMS = {"gaussian": named("linear:K=50"), "bernoulli": Problem.bernoulli(np.linspace(0.1, 0.9, 50))}


def pull_ns(name: str, problem: Problem) -> float | None:
    """Return what a pull takes, or None if the policy cannot play the problem."""
    policy = find_policy(name)
    if policy.why_not(problem) is not None:
        return None
    return _least_ns(Job(problem, policy, SimulationOptions((PULLS,)), seed=1))


def feasible_pull_ns(name: str, problem: str) -> float:
    """Return what a pull takes on a problem of several coordinates."""
    return _least_ns(FeasibleJob(named_feasible(problem), find_feasible_policy(name), (int(PULLS),), seed=1))


def _least_ns(job: Job | FeasibleJob) -> float:
    """Return what a pull takes in the fastest of some repeats."""
    times = []
    job.run(0, 1)
    for _ in range(REPEATS):
        start = time.thread_time()
        counted = job.run(0, RUNS)
        times.append(1e9 * (time.thread_time() - start) / counted.pulls.sum())
    return float(min(times))


def main() -> None:
    """Print one line for each policy."""
    rows = []
    for name in ("apt", *NEIGHBOURS):
        figures = [pull_ns(name, problem) for problem in PROBLEMS.values()]
        rows.append([name, *("–" if each is None else f"{each:,.0f}" for each in figures)])
    print(markdown_table(["policy", *PROBLEMS], rows, left=(0,)))
    print()
    rows = [[name, *(f"{feasible_pull_ns(name, each):,.0f}" for each in FEASIBLE_PROBLEMS)] for name in FEASIBLE]
    print(markdown_table(["policy", *FEASIBLE_PROBLEMS], rows, left=(0,)))


if __name__ == "__main__":
    main()
