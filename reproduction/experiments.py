"""The kinds of simulations of other papers: policies that stop by themselves, and arms of several coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from reproduction.feasible import FeasibleResult, simulate_feasible
from thresher.problem import Problem
from thresher.research.simulation import Result, simulate
from thresher.research.simulation.chunks import Progress
from thresher.research.simulation.warm_up import Say


@dataclass(frozen=True)
class StoppingExperiment:
    """Policies that stop by themselves, on one problem.

    Parameters
    ----------
    name : str
        By which a grid remembers it.
    problem : str or Problem
    policies : tuple of str
    alpha : float
        The error rate, δ in the papers.
    """

    name: str
    problem: str | Problem
    policies: tuple[str, ...]
    alpha: float

    def run(self, *, runs: int, seed: int, progress: Progress, say: Say | None) -> Result:
        """Return how long the policies took."""
        return simulate(self.problem, self.policies, alpha=self.alpha, runs=runs, seed=seed, progress=progress, say=say)


@dataclass(frozen=True)
class FeasibleExperiment:
    """Policies on one problem of several coordinates, at some budgets.

    Parameters
    ----------
    problem : str
        A named problem, by which a grid remembers the experiment.
    policies : tuple of str
    budgets : tuple of int
    runs : int
        How many times the runs of the grid.
    """

    problem: str
    policies: tuple[str, ...]
    budgets: tuple[int, ...]
    runs: int = 1

    @property
    def name(self) -> str:
        """By which a grid remembers it."""
        return self.problem

    def run(self, *, runs: int, seed: int, progress: Progress, say: Say | None) -> FeasibleResult:
        """Return how often the policies failed, and where their pulls went."""
        return simulate_feasible(
            self.problem,
            self.policies,
            budgets=self.budgets,
            runs=runs * self.runs,
            seed=seed,
            progress=progress,
            say=say,
        )
