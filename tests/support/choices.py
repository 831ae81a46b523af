"""Runs of a policy as a list of choices, so that its rule can be worked out again from what was seen before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.support.plays import uncompiled
from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine.draws import arms_of, outcome_at
from thresher.research.engine.reference import drawn_arms, play
from thresher.types import Floats, Ints

#: One problem of each family on which all these policies can be tried.
PROBLEMS = (
    Problem.gaussian([0.5, -0.2, 0.01, 1.0, -0.7, 0.1], sigma=[1.0, 0.5, 2.0, 1.0, 0.3, 1.0]),
    Problem.bernoulli([0.05, 0.3, 0.45, 0.55, 0.6, 0.95], thresholds=[0.5, 0.5, 0.5, 0.5, 0.4, 0.8]),
    Problem.bounded([-0.8, 0.0, 0.5, 1.7, 0.1, 0.3], 0.2, low=-1.0, high=2.0),
    Problem.gaussian_unknown_variance([0.5, -0.2, 0.1, 0.05, 2.0, -0.4]),
)


@dataclass(frozen=True, eq=False)
class Choice:
    """The outcomes of every arm before a choice, and the arm that was chosen; -1 where the policy stopped early."""

    outcomes: tuple[tuple[float, ...], ...]
    arm: int

    @property
    def counts(self) -> Ints:
        """Pulls of every arm."""
        return np.array([len(each) for each in self.outcomes])

    @property
    def ones(self) -> Floats:
        """Sums of the outcomes."""
        return np.array([sum(each) for each in self.outcomes])

    @property
    def means(self) -> Floats:
        """Means of every arm."""
        return np.array([np.mean(each) for each in self.outcomes])

    @property
    def variances(self) -> Floats:
        """Variances of every arm, over n."""
        return np.array([np.var(each) for each in self.outcomes])


def choices(name: str, problem: Problem, *, budget: int, seed: int) -> Iterator[Choice]:
    """Yield every choice of one run, after the first pulls of every arm; the last one if the policy stopped early."""
    rule, arms = uncompiled(find_policy(name).bind(problem, Stop(budget))), arms_of(problem)
    order = play(rule, problem, budget=budget, seed=seed, run=0).order
    drawn, outcomes = drawn_arms(arms, seed, 0), [list[float]() for _ in range(problem.n_arms)]
    for place, k in enumerate([*order, -1]):
        if place >= rule.first_pulls * problem.n_arms and (k >= 0 or len(order) < budget):
            yield Choice(tuple(tuple(each) for each in outcomes), k)
        if k >= 0:
            outcomes[k].append(outcome_at(drawn[k], arms.pool, len(outcomes[k])))
