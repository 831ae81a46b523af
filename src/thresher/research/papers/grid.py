"""The simulations behind figures and claims, cached by experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from thresher.policy import Policy
from thresher.problem import Problem
from thresher.research.papers.normalisation import with_raw_gaps
from thresher.research.simulation import Progress, Result, Say, simulate

PAPER = ("apt", "lsa", "fwt-sqrt")  # the policies of the paper's experiments; its FWT there is the smooth form
OURS = (*PAPER, "stopping")
READINGS = ("lsa", "lsa, Δ = |μ|", "fwt-sqrt", "fwt-sqrt, Δ = |μ|", "fwt", "fwt, Δ = |μ|")  # APT pulls alike under both
RUNS = 500  # of the paper

Found = TypeVar("Found", covariant=True)


class Simulation(Protocol[Found]):
    """An experiment that a grid runs once: it has a name and returns a result."""

    @property
    def name(self) -> str:
        """The key of its result in the cache."""
        ...

    def run(self, *, runs: int, seed: int, progress: Progress, say: Say | None) -> Found:
        """Return the result of that many runs."""
        ...


@dataclass(frozen=True)
class Experiment:
    """Policies on one problem at some budgets.

    Parameters
    ----------
    name : str
        By which a grid remembers it.
    problem : str or Problem
        A named problem, for figures; any problem, for claims.
    policies : tuple of str or Policy
    budgets : tuple of float
    runs : int
        How many times the runs of the grid; 10 for a paper with 5000 where the first one has 500.
    tolerance : float
        Arms within it of the bar are forgiven.
    recommend : str
        ``"final"`` or ``"peak"``.
    """

    name: str
    problem: str | Problem
    policies: tuple[str | Policy, ...]
    budgets: tuple[float, ...]
    runs: int = 1
    tolerance: float = 0.0
    recommend: str = "final"

    def run(self, *, runs: int, seed: int, progress: Progress, say: Say | None) -> Result:
        """Return what the policies lost."""
        return simulate(
            self.problem,
            self.policies,
            budgets=self.budgets,
            runs=runs * self.runs,
            seed=seed,
            recommend=self.recommend,
            tolerance=self.tolerance,
            progress=progress,
            say=say,
        )


ALL: tuple[str | Policy, ...] = (*OURS, "fwt", "uniform", *(with_raw_gaps(name) for name in ("lsa", "fwt-sqrt", "fwt")))
# The paper does not give its range of budgets. These go from few correct verdicts to few mistakes.
BUDGETS = (100.0, 150.0, 250.0, 350.0, 500.0, 700.0, 1000.0, 1400.0, 2000.0, 2800.0, 4000.0, 5600.0, 8000.0)
FEW_BUDGETS = tuple(float(budget) for budget in (*range(100, 300, 25), *range(300, 601, 50)))

LINEAR = Experiment("linear", "linear", ALL, BUDGETS)
QUADRATIC = Experiment("quadratic", "quadratic", ALL, BUDGETS)
CONSTANT = Experiment("constant", "constant", ALL, FEW_BUDGETS)


class Grid:
    """A cache of simulation results by experiment.

    Parameters
    ----------
    runs, seed : int
        Number of runs, and the random seed.
    progress : callable, optional
        Called with the share of the present simulation that is done, from 0 to 1.
    say : callable, optional
        Called with a sentence when something takes long, such as compilation; standard error unless given.
    """

    def __init__(
        self,
        *,
        runs: int = RUNS,
        seed: int = 0,
        progress: Callable[[float], None] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.runs, self.seed = runs, seed
        self._progress, self._say = progress, say
        self._results: dict[tuple[type, str], Any] = {}

    def result(self, experiment: Simulation[Found]) -> Found:
        """Return the result of an experiment; run it if it is not in the cache."""
        key = type(experiment), experiment.name
        if key not in self._results:
            self._results[key] = self.run(experiment)
        found: Found = self._results[key]
        return found

    def run(self, experiment: Simulation[Found]) -> Found:
        """Return the result of an experiment, run now."""
        return experiment.run(runs=self.runs, seed=self.seed, progress=self._show, say=self._say)

    def mean(self, experiment: Experiment, policy: str, budget: float) -> float:
        """Return the mean loss of a policy at a budget."""
        result = self.result(experiment)
        return float(result.losses(policy)[:, result.asked.budgets.index(budget)].mean())

    def _show(self, done: int, whole: int) -> None:
        if self._progress is not None:
            self._progress(done / whole)
