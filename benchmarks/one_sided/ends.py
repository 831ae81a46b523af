"""What was seen of every arm at the end of runs of `stopping`: the data of which verdicts are made."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.jit import kernel
from thresher.policy import Stop, find_policy
from thresher.policy.ranking import Ranking
from thresher.problem import Problem
from thresher.problem.numbers import ticks_of
from thresher.research.engine.draws import Arms, arms_of
from thresher.research.engine.settle import spend_rest
from thresher.research.engine.sweep import spend
from thresher.research.engine.table import new_table, open_every_arm, see, start_run
from thresher.types import Bools, Floats, Ints


class Ends(NamedTuple):
    """The ends of runs; arrays have shape (runs, K)."""

    counts: Floats
    totals: Floats
    truths: Floats

    def is_above(self, problem: Problem) -> Bools:
        """Return which empirical means are above the bar: the verdicts by the sign."""
        return np.asarray(self.totals / self.counts > problem.thresholds)


@kernel
def _play(ranking: Ranking, arms: Arms, money: int, seed: int, runs: int) -> tuple[Floats, Floats, Floats]:
    shape = (runs, arms.means.size)
    counts, totals, truths = np.empty(shape), np.empty(shape), np.empty(shape)
    table = new_table(ranking, arms)
    for i in range(runs):
        start_run(table, arms, seed, i)
        left = spend(table, money - open_every_arm(table, arms.first_pulls), np.inf)
        seen = see(table)
        if left >= arms.ticks.min():
            spend_rest(table, left, np.inf, seen, -math.inf)
        counts[i], totals[i], truths[i] = seen.counts, seen.totals, seen.means
    return counts, totals, truths


def ends_of(problem: Problem, *, budget: float, runs: int, seed: int) -> Ends:
    """Return the ends of runs of `stopping`; the random numbers are those of `simulate`."""
    rule = find_policy("stopping").bind(problem, Stop(budget))
    return Ends(*_play(rule.known.ranking, arms_of(problem), ticks_of(budget), seed, runs))


def mistakes(verdicts: Bools, problem: Problem, ends: Ends) -> Ints:
    """Return the number of wrong verdicts in each run; a mean on its bar is on both sides."""
    wrong = (verdicts != (ends.truths > problem.thresholds)) & (ends.truths != problem.thresholds)
    return np.asarray(wrong.sum(axis=1))
