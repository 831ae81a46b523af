"""Policies that look at all arms: an algorithm, written once for all parameters, and its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.number_text import exact
from thresher.policy.index import UNIFORM
from thresher.policy.index_policy import IndexPolicy
from thresher.policy.policy import NO_CONTROL_PLAY, Policy, Stop, Traits
from thresher.policy.ranking import Ranking
from thresher.policy.rule import Rule, RuleSetup, Step, go_on, judge_by_mean
from thresher.problem import code_of
from thresher.types import Floats

if TYPE_CHECKING:
    from thresher.problem import Problem

KNOWN_NOISE = ("gaussian", "bernoulli", "bounded")
ALL = (*KNOWN_NOISE, "gaussian-unknown-variance")
BINARY = ("bernoulli",)
WITH_POSTERIOR = ("gaussian", "bernoulli")
BY_MEAN = IndexPolicy("uniform", (UNIFORM,), (0.0,))  # judges by the side of the mean
MEMORY = 4  # numbers that an algorithm may keep for itself, unless it asks for more


@dataclass(frozen=True)
class Parameter:
    """One number that an algorithm takes, or one of some words.

    Parameters
    ----------
    name : str
    default : float
        For words the place of the default among them.
    low, high : float
        Between which values lie.
    is_open : bool
        Neither end is a value; otherwise both are.
    is_whole : bool
        Values are whole numbers.
    words : tuple of str
        Values are these words; algorithms get their positions.
    """

    name: str
    default: float
    low: float = 0.0
    high: float = math.inf
    is_open: bool = True
    is_whole: bool = False
    words: tuple[str, ...] = ()

    def read(self, policy: str, text: str) -> float:
        """Return the value that was typed after the name of a policy.

        Raises
        ------
        UnknownNameError, InvalidInputError
            If it is none of the words, no number, or not between the limits.
        """
        if self.words:
            if text not in self.words:
                raise UnknownNameError(f"{self.name} of {policy!r}", text, self.words)
            return float(self.words.index(text))
        try:
            value = float(text)
        except ValueError as error:
            raise InvalidInputError(f"{self.name} of {policy!r}", text, rule=f"must be {self._wanted}") from error
        self.check(policy, value)
        return value

    def check(self, policy: str, value: float) -> None:
        """Raise unless the algorithm can work with a value."""
        inside = self.low < value < self.high if self.is_open else self.low <= value <= self.high
        if not (math.isfinite(value) and inside and (value.is_integer() or not self.is_whole)):
            raise InvalidInputError(f"{self.name} of {policy!r}", value, rule=f"must be {self._wanted}")

    @property
    def _wanted(self) -> str:
        kind = "whole number" if self.is_whole else "number"
        if self.high < math.inf:
            ends = "between" if self.is_open else "from"
            return f"a {kind} {ends} {exact(self.low)} {'and' if self.is_open else 'to'} {exact(self.high)}"
        if self.low == 0.0:
            return f"a positive {kind}" if self.is_open else f"0 or a positive {kind}"
        return f"a {kind} of {'more than' if self.is_open else 'at least'} {exact(self.low)}"

    @property
    def shown(self) -> str:
        """The name and the default, as lists show them."""
        default = self.words[int(self.default)] if self.words else f"{self.default:.4g}"
        return f"{self.name}={default}"


def no_preparation(problem: Problem, stop: Stop, values: tuple[float, ...]) -> tuple[float, ...]:  # noqa: ARG001
    """Return the parameters as they are: the algorithm needs no further numbers."""
    return values


@dataclass(frozen=True)
class Algorithm:
    """A way to choose arms from all that was seen, and perhaps to stop and to judge.

    Parameters
    ----------
    name : str
        As on the command line.
    choose, learn, conclude : callable
        The steps of :class:`~thresher.policy.rule.Rule`. The first line of `choose` is the summary.
    source : str
        Key in ``docs/references.bib``, and place there.
    parameters : tuple of Parameter
    families : tuple of str
        On which it plays.
    traits : Traits
    first_pulls : int
        Of every arm, before it chooses.
    least_pulls : callable, optional
        From the number of arms to the least horizon; `first_pulls` of every arm unless given.
    memory : callable
        From the number of arms to how many numbers it keeps for itself.
    why_not : callable
        From a problem to why it cannot play it, or None.
    prepare : callable
        ``prepare(problem, stop, values)`` returns the parameters that the steps get.
    index : IndexPolicy
        How single arms are ranked and judged; by the side of the mean unless given.
    counts_from_bar : bool
        Sums of outcomes are counted from the bar.
    ends_when_found : bool
        It never stops by itself: a simulation ends when every arm above the bar has been output.
    ignores_costs : bool
        Mistakes are counted, whatever they cost.
    is_own : bool
        The user wrote it.
    """

    name: str
    choose: Step
    source: str
    learn: Step = go_on
    conclude: Step = judge_by_mean
    parameters: tuple[Parameter, ...] = ()
    families: tuple[str, ...] = ALL
    traits: Traits = field(default_factory=Traits)
    first_pulls: int = 1
    least_pulls: Callable[[int], int] | None = None
    memory: Callable[..., int] = lambda *_: MEMORY
    why_not: Callable[[Problem], str | None] = lambda _: None
    prepare: Callable[[Problem, Stop, tuple[float, ...]], tuple[float, ...] | Floats] = no_preparation
    index: IndexPolicy = BY_MEAN
    counts_from_bar: bool = False
    ends_when_found: bool = False
    ignores_costs: bool = False
    is_own: bool = False

    @property
    def summary(self) -> str:
        """The first line of the docstring of `choose`."""
        function = getattr(self.choose, "py_func", self.choose)
        return next(iter((function.__doc__ or "").strip().splitlines()), "A policy of the user's own.")

    def policy(self, text: str, given: Mapping[str, str]) -> AlgorithmPolicy:
        """Return the policy with the parameters that were typed after its name.

        Raises
        ------
        UnknownNameError, InvalidInputError
            If there is no such parameter, or its value cannot be read or used.
        """
        values = {parameter.name: parameter.default for parameter in self.parameters}
        readers = {parameter.name: parameter for parameter in self.parameters}
        for key, value in given.items():
            if key not in values:
                raise UnknownNameError(f"parameter of {self.name!r}", key, values)
            values[key] = readers[key].read(text, value)
        return AlgorithmPolicy(text, self, tuple(values.values()))

    def __reduce__(self) -> tuple[Callable[..., Algorithm], tuple[object, ...]]:
        """Travel by name, or the user's own by its function, so that other processes compile for themselves."""
        from thresher.policy.registry import arrive, find_algorithm

        return (arrive, (self.name, self.choose)) if self.is_own else (find_algorithm, (self.name,))


@dataclass(frozen=True)
class AlgorithmPolicy(Policy):
    """An algorithm with its parameters. Pulls of different cost are counted alike.

    Parameters
    ----------
    name : str
        What results call it.
    algorithm : Algorithm
    parameters : tuple of float
        One for each parameter of the algorithm.
    """

    name: str
    algorithm: Algorithm
    parameters: tuple[float, ...]

    @property
    def traits(self) -> Traits:
        """What it needs and what it can do."""
        return self.algorithm.traits

    def why_not(self, problem: Problem) -> str | None:
        """Return why it cannot play a problem, or None."""
        families = self.algorithm.families
        if not problem.has_known_bar:
            return NO_CONTROL_PLAY[0]
        if problem.family not in families:
            return f"it plays {', '.join(families)} and not {problem.family}"
        if self.traits.needs_truth and problem.population is not None:
            return "it needs the true means, and here every run draws its own"
        if self.traits.stops and (problem.pull_costs != 1.0).any():
            return "it counts pulls: leave the pull costs out"
        if self.traits.stops and problem.pool is not None and not problem.pool.replacement:
            return "it does not play samples that run out: draw them with replacement=yes"
        return self.algorithm.why_not(problem)

    def least_budget(self, problem: Problem) -> float:
        """Return the least budget with which it can play a problem."""
        return max(self._least_pulls(problem) * float(problem.pull_costs.mean()), problem.least_budget)

    def identity(self) -> object:
        """Return what distinguishes it from other policies of the same name."""
        said = self.algorithm.name, self.parameters
        return (*said, code_of(self.algorithm.choose)) if self.is_own else said

    @property
    def is_own(self) -> bool:
        """Whether the user wrote the algorithm."""
        return self.algorithm.is_own

    def bind(self, problem: Problem, stop: Stop) -> Rule:
        """Return the rule by which engines play it."""
        if reason := self.why_not(problem):
            raise InvalidInputError("policy", self.name, rule=reason, fix="use another policy or another problem")
        own = self.algorithm
        known = RuleSetup(
            is_binary=problem.kind.is_coin,
            # Copies: compiled code takes arrays that may be written and frozen ones for two types.
            thresholds=np.array(problem.thresholds),
            sigma=self._sigma(problem),
            gaps=np.abs(problem.means - problem.thresholds) if self.traits.needs_truth else np.zeros(problem.n_arms),
            width=problem.kind.width(problem.low, problem.high),
            parameters=np.array(own.prepare(problem, stop, self.parameters), dtype=np.float64),
            horizon=self._horizon(problem, stop.budget),
            alpha=float(stop.alpha),
            ceiling=math.inf,
            ranking=self._ranking(problem),
        )
        return Rule(
            choose=own.choose,
            known=known,
            origin=np.array(problem.thresholds) if own.counts_from_bar else np.zeros(problem.n_arms),
            learn=own.learn,
            conclude=own.conclude,
            first_pulls=self._first_pulls(problem),
            memory=own.memory(problem.n_arms, *self.parameters),
            ends_when_found=own.ends_when_found,
        )

    def _sigma(self, problem: Problem) -> Floats:
        is_known = problem.family != "gaussian-unknown-variance"
        return np.array(problem.sigma) if is_known else np.zeros(problem.n_arms)

    def _ranking(self, problem: Problem) -> Ranking:
        ranking = self.algorithm.index.rank(problem)
        return ranking._replace(costs=1.0 / problem.pull_costs) if self.algorithm.ignores_costs else ranking

    def _first_pulls(self, problem: Problem) -> int:
        """Return how often every arm is pulled before the algorithm chooses."""
        own = self.algorithm.first_pulls
        return max(own, problem.kind.first_pulls) if own else 0

    def _least_pulls(self, problem: Problem) -> int:
        """Return how many pulls the algorithm needs at least."""
        first = self._first_pulls(problem) * problem.n_arms
        return first if self.algorithm.least_pulls is None else max(first, self.algorithm.least_pulls(problem.n_arms))

    def check_budget(self, problem: Problem, budget: float) -> None:
        """Raise InvalidInputError if a budget pays for too few pulls."""
        self._horizon(problem, budget)

    def _horizon(self, problem: Problem, budget: float) -> int:
        """Return how many pulls of average cost a budget pays for.

        Raises
        ------
        InvalidInputError
            If those are too few for the algorithm.
        """
        cost, least = float(problem.pull_costs.mean()), self._least_pulls(problem)
        pulls = int(budget / cost + 1e-6)
        if pulls < least:
            raise InvalidInputError(
                f"budget for {self.name!r} on {problem.n_arms} arms",
                budget,
                rule=f"must be at least {exact(least * cost)}, for {least} pulls",
            )
        return pulls
