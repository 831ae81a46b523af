"""Simulated campaigns that can be carried on: uniform sampling, against mistakes, for decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.decisions.calibration import RISK
from thresher.policy import Decisions, DecisionTerms, Seen
from thresher.problem import Question
from thresher.types import Bools, Floats


@dataclass(eq=False)
class Simulated:
    """A campaign at some moment: its question, the true means, and counts, totals and squares, shape (3, K)."""

    question: Question
    means: Floats
    judging: DecisionTerms
    sums: Floats

    def carried_on(self, budget: int, seed: int) -> Simulated:
        """Return the same after so many more measurements."""
        sums = self.sums.copy()
        self.judging.carry_on(self.question, self.means, np.ones(self.means.size), sums, budget, seed)
        return Simulated(self.question, self.means, self.judging, sums)

    @property
    def seen(self) -> Seen:
        """What was seen."""
        return Seen(*self.sums)

    def decided(self, guarantee: str | None = None) -> Decisions:
        """Return what is decided, under the guarantee of the campaign or another."""
        terms = self.judging if guarantee is None else self.judging._replace(guarantee=guarantee)
        return terms.decide(self.question, self.seen)

    @property
    def is_wrong(self) -> Bools:
        """Which verdicts are wrong."""
        return np.asarray((self.seen.means > self.question.thresholds) != (self.means > self.question.thresholds))


def coins(means: Floats, bar: float, goal: str, guarantee: str = "calibrated", tolerance: float = 0.0) -> Simulated:
    """Return a campaign of 0/1 arms that begins."""
    question = Question.of("bernoulli", thresholds=np.full(means.size, bar))
    return Simulated(question, means, DecisionTerms(RISK, guarantee, tolerance, goal=goal), np.zeros((3, means.size)))


def normals(means: Floats, goal: str, guarantee: str = "calibrated", tolerance: float = 0.0) -> Simulated:
    """Return a campaign of normal arms of deviation 1 with the bar 0 that begins."""
    question = Question.of("gaussian", thresholds=np.zeros(means.size), sigma=1.0)
    return Simulated(question, means, DecisionTerms(RISK, guarantee, tolerance, goal=goal), np.zeros((3, means.size)))
