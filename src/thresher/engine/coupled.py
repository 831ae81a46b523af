"""Runs of a policy whose arms are coupled: a pull may change how much every other arm matters.

There is no level to raise here, since an index moves without a pull; every pull looks at all arms. Its twin, to be
read, is :mod:`thresher.engine.coupled_reference`.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.engine.draws import Arms, arm_of, has_sample, mean_of, outcome_at
from thresher.engine.field import Luck
from thresher.engine.judge import judge
from thresher.engine.runs import Counted, Question, new_counted, note
from thresher.jit import njit
from thresher.policy.coupled import Coupling, Seen, evidence_by, new_room, next_arm, nothing_seen, weigh
from thresher.policy.ranking import Ranking, rule_of, urgency_of
from thresher.streams import arm_key, run_key


@njit(cache=True, nogil=True)
def _pull(ranking: Ranking, arms: Arms, seen: Seen, luck: Luck, k: int) -> None:
    """Pull one arm and bring its evidence and its index up to date."""
    arm, rule = arm_of(arms, k, luck.means[k], luck.keys[k]), rule_of(ranking, k)
    outcome = outcome_at(arm, arms.pool, seen.counts[k])
    seen.counts[k] += 1
    seen.totals[k] += outcome
    seen.squares[k] += (outcome - arm.threshold) ** 2
    count, total, squares = float(seen.counts[k]), seen.totals[k], seen.squares[k]
    seen.sizes[k], seen.evidences[k] = count + rule.pseudo_count, evidence_by(rule, count, total, squares)
    # A pool that has run dry has nothing more to ask.
    seen.urgencies[k] = urgency_of(rule, count, total, squares) if has_sample(arm, seen.counts[k]) else math.inf


@njit(cache=True, nogil=True)
def _open(ranking: Ranking, arms: Arms, seen: Seen, luck: Luck, seed: int, run: int) -> int:
    """Pull every arm as often as it must be first; return what that cost, in ticks."""
    key, spent = run_key(seed, run), 0
    for k in range(seen.counts.size):
        luck.keys[k] = arm_key(key, k)
        luck.means[k] = mean_of(arms, k, luck.keys[k])
        seen.counts[k], seen.totals[k], seen.squares[k], seen.urgencies[k] = 0, 0.0, 0.0, -math.inf
        for _ in range(arms.first_pulls):
            if seen.urgencies[k] < math.inf:
                _pull(ranking, arms, seen, luck, k)
                spent += arms.ticks[k]
    return spent


@njit(cache=True, nogil=True)
def run_coupled_policy(
    ranking: Ranking, coupling: Coupling, arms: Arms, question: Question, seed: int, first_run: int, runs: int
) -> Counted:
    """Run a policy that weighs every arm by what was seen of all, and judge it at the end of every budget.

    One pass serves all budgets, since the policy does not know its own.
    """
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted, seen, room = new_counted(runs, n_budgets, n_arms), nothing_seen(n_arms), new_room(coupling, n_arms)
    luck = Luck(np.zeros(n_arms, np.uint64), np.zeros(n_arms))
    for run in range(runs):
        spent = _open(ranking, arms, seen, luck, seed, first_run + run)
        weigh(coupling, seen, -1, room)
        for b in range(n_budgets):
            while True:
                k = next_arm(seen.urgencies, seen.logs)
                if spent + arms.ticks[k] > question.budgets[b] or seen.urgencies[k] == math.inf:
                    break
                _pull(ranking, arms, seen, luck, k)
                spent += arms.ticks[k]
                weigh(coupling, seen, k, room)
            judged = judge(ranking, arms, luck.means, seen.counts, seen.totals, question.loss, question.tolerance)
            note(counted, run, b, judged, seen.counts, spent)
    return counted
