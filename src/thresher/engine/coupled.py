"""Runs of a policy whose arms are coupled: each pull changes how much every other arm matters.

There is no level to raise here, since an index moves without a pull; every pull looks at all arms. Its twin, to be
read, is :mod:`thresher.engine.coupled_reference`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from thresher.engine.draws import Arms, arm_of, has_sample, mean_of, outcome_at
from thresher.engine.judge import judge
from thresher.engine.runs import Counted, Question
from thresher.engine.streams import arm_key, run_key
from thresher.policy.coupled import chance_of_mistake, next_arm, weigh_by_others
from thresher.policy.ranking import Ranking, rule_of, urgency_of
from thresher.types import Floats, Ints, Words


class Seen(NamedTuple):
    """What was seen of every arm in one run; arrays of shape (K,)."""

    counts: Ints
    totals: Floats
    squares: Floats
    urgencies: Floats
    chances: Floats
    keys: Words
    means: Floats


@njit(cache=True, nogil=True)
def _pull(ranking: Ranking, arms: Arms, seen: Seen, k: int) -> None:
    """Pull one arm and bring its index and its chance of a mistake up to date."""
    arm, rule = arm_of(arms, k, seen.means[k], seen.keys[k]), rule_of(ranking, k)
    outcome = outcome_at(arm, arms.pool, seen.counts[k])
    seen.counts[k] += 1
    seen.totals[k] += outcome
    seen.squares[k] += (outcome - arm.threshold) ** 2
    count, total, squares = float(seen.counts[k]), seen.totals[k], seen.squares[k]
    seen.chances[k] = chance_of_mistake(rule, count, total, squares)
    # A pool that has run dry has nothing more to ask.
    seen.urgencies[k] = urgency_of(rule, count, total, squares) if has_sample(arm, seen.counts[k]) else math.inf


@njit(cache=True, nogil=True)
def _open(ranking: Ranking, arms: Arms, seen: Seen, seed: int, run: int) -> int:
    """Pull every arm as often as it must be first; return what that cost, in ticks."""
    key, spent = run_key(seed, run), 0
    for k in range(seen.counts.size):
        seen.keys[k] = arm_key(key, k)
        seen.means[k] = mean_of(arms, k, seen.keys[k])
        seen.counts[k], seen.totals[k], seen.squares[k], seen.urgencies[k] = 0, 0.0, 0.0, -math.inf
        for _ in range(arms.first_pulls):
            if seen.urgencies[k] < math.inf:
                _pull(ranking, arms, seen, k)
                spent += arms.ticks[k]
    return spent


@njit(cache=True, nogil=True)
def run_coupled_policy(
    ranking: Ranking, most: int, arms: Arms, question: Question, seed: int, first_run: int, runs: int
) -> Counted:
    """Run the policy that weighs every arm by the chance that the others make exactly `most` mistakes.

    Judged at the end of every budget; one pass serves all, since the policy does not know its budget.
    """
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted = Counted(
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
    )
    seen = Seen(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms, np.uint64),
        np.zeros(n_arms),
    )
    weights, after = np.ones(n_arms), np.empty((n_arms + 1, most + 1))
    for run in range(runs):
        spent = _open(ranking, arms, seen, seed, first_run + run)
        for b in range(n_budgets):
            while True:
                weigh_by_others(seen.chances, most, weights, after)
                k = next_arm(seen.urgencies, weights)
                if spent + arms.ticks[k] > question.budgets[b] or seen.urgencies[k] == math.inf:
                    break
                _pull(ranking, arms, seen, k)
                spent += arms.ticks[k]
            judged = judge(ranking, arms, seen.means, seen.counts, seen.totals, question.loss, question.tolerance)
            counted.losses[run, b], counted.any_mistakes[run, b] = judged.loss, judged.any_mistake
            counted.spent[run, b] = spent
            counted.pulls[b] += seen.counts
            counted.pulls_squared[b] += seen.counts**2
    return counted
