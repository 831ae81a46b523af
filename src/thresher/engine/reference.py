"""The reference engine: Algorithm 1 of the paper as it stands there, to be read.

Nothing here is fast and nothing is clever; every faster engine is checked against it to the last bit. Formulas, evidence and luck
are the shared ones: what is written again here is the loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.engine.draws import Arm, arm_of, arms_of, has_sample, mean_of, outcome_at, ticks_of
from thresher.engine.streams import arm_key, run_key
from thresher.policy import IndexPolicy, Rule, rule_of, urgency_of
from thresher.problem import Problem
from thresher.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Spent:
    """Where the budget went: pulls and sums of every arm, at the end and at the peak; arrays of shape (K,)."""

    counts: Ints
    totals: Floats
    peak_counts: Ints
    peak_totals: Floats


def spend(policy: IndexPolicy, problem: Problem, *, budget: float, seed: int, run: int) -> Spent:
    """Return where one run of an index policy spends the budget.

    :cite:p:`ouhamma2021`, Algorithm 1: every arm once (or as often as its family demands), then the arm of least index; ties go to
    the lowest arm, the budget is spent when that arm cannot be paid. The peak is the paper's :math:`t_{\\max}`, the last time at which
    the least index was largest.
    """
    arms, ranking = arms_of(problem), policy.rank(problem)
    key = run_key(seed, run)
    keys = [np.uint64(arm_key(np.uint64(key), k)) for k in range(problem.n_arms)]
    drawn = [
        # A key that comes back from compiled code is a Python integer, too large for a signed one.
        arm_of(arms, k, mean_of(arms, k, keys[k]), keys[k])._replace(key=keys[k])  # type: ignore[arg-type]
        for k in range(problem.n_arms)
    ]
    rules = [rule_of(ranking, k) for k in range(problem.n_arms)]
    money = ticks_of(budget)
    counts = np.zeros(problem.n_arms, np.int64)
    totals, squares, urgencies = np.zeros(problem.n_arms), np.zeros(problem.n_arms), np.zeros(problem.n_arms)

    def pull(k: int) -> None:
        outcome = outcome_at(drawn[k], arms.pool, counts[k])
        counts[k] += 1
        totals[k] += outcome
        squares[k] += (outcome - problem.thresholds[k]) ** 2

    for k in range(problem.n_arms):
        for _ in range(arms.first_pulls):
            if has_sample(drawn[k], counts[k]):
                pull(k)
                money -= int(arms.ticks[k])
        urgencies[k] = _urgency(rules[k], drawn[k], counts[k], totals[k], squares[k])

    highest, peak_counts, peak_totals = urgencies.min(), counts.copy(), totals.copy()
    while True:
        k = int(np.argmin(urgencies))  # the first of equals: ties go to the lowest arm
        if arms.ticks[k] > money or urgencies[k] == math.inf:
            return Spent(counts, totals, peak_counts, peak_totals)
        pull(k)
        money -= int(arms.ticks[k])
        urgencies[k] = _urgency(rules[k], drawn[k], counts[k], totals[k], squares[k])
        if urgencies.min() >= highest:
            highest, peak_counts, peak_totals = urgencies.min(), counts.copy(), totals.copy()


def _urgency(rule: Rule, arm: Arm, count: int, total: float, squares: float) -> float:
    if not has_sample(arm, count):
        return math.inf  # the pool has run dry
    return urgency_of(rule, float(count), total, squares)
