"""What a policy is that looks at all arms at once, at the clock or at the horizon: an algorithm and its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thresher.errors import InvalidProblemError
from thresher.policy.field.state import Known
from thresher.problem import Problem

ALL = ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance")
BINARY = ("bernoulli",)
WITH_POSTERIOR = ("gaussian", "bernoulli")
MEMORY = 4  # numbers that an algorithm may keep for itself, unless it asks for more


@dataclass(frozen=True)
class Parameter:
    """One number that an algorithm takes."""

    name: str
    default: float
    may_be_zero: bool = False

    def check(self, policy: str, value: float) -> None:
        """Raise unless the value is one that the algorithm can work with."""
        if not (np.isfinite(value) and (value > 0.0 or (value == 0.0 and self.may_be_zero))):
            wanted = "0 or a positive number" if self.may_be_zero else "a positive number"
            raise InvalidProblemError(f"{self.name}={value:g} of {policy!r}", instead=f"give {wanted}")


@dataclass(frozen=True)
class Algorithm:
    """A rule that says which arm is next, from all that was seen.

    Parameters
    ----------
    name : str
        As on the command line.
    code : int
        How compiled code knows it (:mod:`thresher.policy.field.dispatch`); lives in memory only.
    choose : callable
        ``choose(known, state, turn)``, compiled: the arm to pull, or -1 to stop. Asked again without a pull in between
        it must answer alike, unless it needs the horizon.
    source : str
        Key in ``docs/references.bib``, and place there.
    parameters : tuple of Parameter
    families : tuple of str
        On which it plays.
    needs_truth, needs_horizon : bool
        It is told the gaps; it is told how many pulls the budget pays for, so that every budget has runs of its own.
    has_phases : bool
        It goes through phases, rounds or steps whose ends it decides by its own pulls, one after the other. With pulls
        in flight nobody has said when such a phase ends, so that it is refused there. The others rank the arms by what
        has come back and nothing else: they can be asked again before an outcome is there.
    first_pulls : int
        Of every arm, before it is asked.
    least_pulls : callable, optional
        From the number of arms to the least horizon; `first_pulls` of every arm unless given.
    memory : callable, optional
        From the number of arms to how many numbers it keeps for itself.
    why_not : callable, optional
        From a problem to why it cannot play it, or None.
    """

    name: str
    code: int
    choose: Callable[..., int]
    source: str
    parameters: tuple[Parameter, ...] = ()
    families: tuple[str, ...] = ALL
    needs_truth: bool = False
    needs_horizon: bool = False
    has_phases: bool = False
    first_pulls: int = 1
    least_pulls: Callable[[int], int] | None = None
    memory: Callable[[int], int] | None = None
    why_not: Callable[[Problem], str | None] | None = None

    @property
    def summary(self) -> str:
        """The first line of the docstring of `choose`."""
        function = getattr(self.choose, "py_func", self.choose)
        return str((function.__doc__ or "").strip().splitlines()[0])

    def __reduce__(self) -> tuple[Callable[[str], Algorithm], tuple[str]]:
        """Travel by name, so that other processes use their own compiled code."""
        from thresher.policy.field.registry import find_algorithm

        return find_algorithm, (self.name,)


@dataclass(frozen=True)
class FieldPolicy:
    """An algorithm with its parameters. Mistake costs are ignored; pulls of different cost are counted alike.

    Parameters
    ----------
    name : str
        What results call it.
    algorithm : Algorithm
    parameters : tuple of float
        As many as the algorithm has.
    """

    name: str
    algorithm: Algorithm
    parameters: tuple[float, ...]

    def __post_init__(self) -> None:
        assert len(self.parameters) == len(self.algorithm.parameters), "one value for each parameter"
        for parameter, value in zip(self.algorithm.parameters, self.parameters, strict=True):
            parameter.check(self.name, value)

    @property
    def needs_truth(self) -> bool:
        """Whether it is told the gaps."""
        return self.algorithm.needs_truth

    @property
    def needs_horizon(self) -> bool:
        """Whether it is told how many pulls there will be."""
        return self.algorithm.needs_horizon

    @property
    def has_phases(self) -> bool:
        """Whether it goes through phases of its own, so that it cannot be asked while pulls are in flight."""
        return self.algorithm.has_phases

    def why_not(self, problem: Problem) -> str | None:
        """Return why it cannot play a problem, or None."""
        families = self.algorithm.families
        if problem.family not in families:
            return f"plays {', '.join(families)} and not {problem.family}"
        if self.needs_truth and problem.population is not None:
            return "needs the true means, and here every run draws its own"
        return None if self.algorithm.why_not is None else self.algorithm.why_not(problem)

    def brief(self, problem: Problem) -> Known:
        """Return what it is told before the first pull.

        Raises
        ------
        InvalidProblemError
            If it cannot play the problem.
        """
        if reason := self.why_not(problem):
            raise InvalidProblemError(f"{self.name!r} {reason}", instead="use another policy or another problem")
        gaps = np.abs(problem.means - problem.thresholds)
        is_noise_known = problem.family != "gaussian-unknown-variance"
        return Known(
            is_binary=problem.family == "bernoulli",
            # Copies: compiled code takes arrays that may be written and frozen ones for two types.
            thresholds=np.array(problem.thresholds),
            sigma=np.array(problem.sigma) if is_noise_known else np.zeros(problem.n_arms),
            gaps=gaps if self.needs_truth else np.zeros(problem.n_arms),
            width=float(problem.high - problem.low) if problem.family == "bounded" else 1.0,
            parameters=np.array(self.parameters, dtype=np.float64),
        )

    def first_pulls(self, problem: Problem) -> int:
        """Return how often every arm is pulled before the algorithm is asked."""
        own = self.algorithm.first_pulls
        return max(own, problem.kind.first_pulls) if own else 0

    def least_pulls(self, problem: Problem) -> int:
        """Return how many pulls the algorithm needs at least."""
        first = self.first_pulls(problem) * problem.n_arms
        return first if self.algorithm.least_pulls is None else max(first, self.algorithm.least_pulls(problem.n_arms))

    def memory(self, problem: Problem) -> int:
        """Return how many numbers the algorithm keeps for itself."""
        return MEMORY if self.algorithm.memory is None else self.algorithm.memory(problem.n_arms)

    def horizon(self, problem: Problem, budget: float) -> int:
        """Return how many pulls of average cost a budget pays for.

        Raises
        ------
        InvalidProblemError
            If those are too few for the algorithm.
        """
        cost, least = float(problem.pull_costs.mean()), self.least_pulls(problem)
        pulls = int(budget / cost + 1e-6)
        if pulls < least:
            raise InvalidProblemError(
                f"budget {budget:g} for {self.name!r} on {problem.n_arms} arms",
                instead=f"it needs {least} pulls: give at least {least * cost:g}",
            )
        return pulls
