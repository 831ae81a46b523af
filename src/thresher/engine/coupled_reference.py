"""The readable twin of :mod:`thresher.engine.coupled`: one run of a coupled policy, in plain Python.

Evidence, index, weights and luck are the shared ones; what is written again is the loop, and in :func:`others_make` the
weights of ``more-than``, by multiplying out the others of every arm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher.engine.draws import arm_of, arms_of, has_sample, mean_of, outcome_at, ticks_of
from thresher.policy import Ranking, rule_of, urgency_of
from thresher.policy.coupled import LEAST_WEIGHT, Coupling, evidence_by, new_room, nothing_seen, weigh
from thresher.problem import Problem
from thresher.streams import arm_key, run_key
from thresher.types import Floats, Ints


def others_make(chances: Floats, most: int) -> Floats:
    """Return the chance that all others make exactly `most` mistakes, for each arm, shape (K,)."""
    weights = []
    for k in range(chances.size):
        counts = np.ones(1)
        for other in np.delete(chances, k):
            counts = np.convolve(counts, [1.0 - other, other])
        weights.append(counts[most] if most < counts.size else 0.0)
    return np.asarray(np.maximum(np.array(weights), LEAST_WEIGHT))


def spend_coupled(
    ranking: Ranking, coupling: Coupling, problem: Problem, *, budget: float, seed: int, run: int
) -> tuple[Ints, Floats]:
    """Return pulls and sums of every arm after one run of a coupled policy, shape (K,) each."""
    arms, n_arms = arms_of(problem), problem.n_arms
    # Compiled code gives words as plain integers, of which Numba takes the first one's size for that of all.
    key: Any = np.uint64(run_key(seed, run))
    keys: list[Any] = [np.uint64(arm_key(key, k)) for k in range(n_arms)]
    drawn = [arm_of(arms, k, mean_of(arms, k, keys[k]), keys[k])._replace(key=keys[k]) for k in range(n_arms)]
    rules = [rule_of(ranking, k) for k in range(n_arms)]
    seen, room, money = nothing_seen(n_arms), new_room(coupling, n_arms), ticks_of(budget)

    def pull(k: int) -> None:
        nonlocal money
        outcome = outcome_at(drawn[k], arms.pool, seen.counts[k])
        seen.counts[k] += 1
        seen.totals[k] += outcome
        seen.squares[k] += (outcome - problem.thresholds[k]) ** 2
        money -= int(arms.ticks[k])
        count, total, squares = float(seen.counts[k]), seen.totals[k], seen.squares[k]
        seen.sizes[k] = count + rules[k].pseudo_count
        seen.evidences[k] = evidence_by(rules[k], count, total, squares)
        is_dry = not has_sample(drawn[k], seen.counts[k])
        seen.urgencies[k] = math.inf if is_dry else urgency_of(rules[k], count, total, squares)

    for k in range(n_arms):
        for _ in range(arms.first_pulls):
            if seen.urgencies[k] < math.inf:
                pull(k)
    # The shared weights, not `others_make`: arms that are alike must stay alike to the last bit.
    weigh(coupling, seen, -1, room)
    while True:
        k = min(range(n_arms), key=lambda k: seen.urgencies[k] - seen.logs[k])  # the first of equals
        if arms.ticks[k] > money or seen.urgencies[k] == math.inf:
            return seen.counts, seen.totals
        pull(k)
        weigh(coupling, seen, k, room)
