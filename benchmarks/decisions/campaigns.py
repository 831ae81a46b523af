"""Simulated campaigns that can be carried on: uniform sampling, against mistakes, for decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.decisions.calibration import RISK
from thresher.inference import Decisions
from thresher.inference.bars import bar_of
from thresher.policy import DecisionTerms
from thresher.problem import Question, Statistics
from thresher.types import Bools, Floats


@dataclass(eq=False)
class Simulated:
    """A campaign at some moment: its question, the true means, and counts, totals and squares, shape (3, K)."""

    question: Question
    means: Floats
    judging: DecisionTerms
    sums: Floats
    deviation: float = 1.0  # of outcomes other than 0 and 1

    def carried_on(self, budget: int, seed: int) -> Simulated:
        """Return the campaign after this many more measurements."""
        sums = self.sums.copy()
        self.judging.carry_on(self.question, self.means, np.full(self.means.size, self.deviation), sums, budget, seed)
        return Simulated(self.question, self.means, self.judging, sums, self.deviation)

    @property
    def seen(self) -> Statistics:
        """What was seen."""
        return Statistics(*self.sums)

    def decided(self, guarantee: str | None = None) -> Decisions:
        """Return what is decided, under the guarantee of the campaign or another."""
        terms = self.judging if guarantee is None else self.judging._replace(guarantee=guarantee)
        return terms.decide(self.question, self.seen)

    @property
    def is_wrong(self) -> Bools:
        """Which verdicts are wrong."""
        bar = bar_of(self.question)
        return np.asarray(bar.sides(self.seen.means) != bar.sides(self.means))


def coins(means: Floats, bar: float, goal: str, guarantee: str = "calibrated", tolerance: float = 0.0) -> Simulated:
    """Return a campaign of 0/1 arms that begins."""
    question = Question.of("bernoulli", thresholds=np.full(means.size, bar))
    return Simulated(question, means, DecisionTerms(RISK, guarantee, tolerance, goal=goal), np.zeros((3, means.size)))


def normals(means: Floats, goal: str, guarantee: str = "calibrated", tolerance: float = 0.0) -> Simulated:
    """Return a campaign of normal arms of deviation 1 with the bar 0 that begins."""
    question = Question.of("gaussian", thresholds=np.zeros(means.size), sigma=1.0)
    return Simulated(question, means, DecisionTerms(RISK, guarantee, tolerance, goal=goal), np.zeros((3, means.size)))


def compared(
    means: Floats, family: str, *, guarantee: str = "calibrated", margin: float | str = 0.0, deviation: float = 1.0
) -> Simulated:
    """Return a campaign that begins and whose first arm is the control."""
    names = [str(k) for k in range(means.size)]
    sigma = deviation if family == "gaussian" else None
    question = Question.of(family, arms=names, control=0, margin=margin, sigma=sigma)
    return Simulated(question, means, DecisionTerms(RISK, guarantee), np.zeros((3, means.size)), deviation)
