"""Many runs of an index policy by the level sweep: losses by run and budget, and where the pulls went."""

from __future__ import annotations

import math

import numpy as np

from thresher.jit import kernel
from thresher.policy import Ranking, rule_of, verdict_of
from thresher.research.engine.counted import RunCounts, new_counted, note, note_mistakes
from thresher.research.engine.draws import Arms, supply_of
from thresher.research.engine.losses import judge
from thresher.research.engine.schedule import Schedule
from thresher.research.engine.settle import peak_of, spend_rest
from thresher.research.engine.sweep import spend
from thresher.research.engine.table import ArmTotals, Table, drawn_by, new_table, open_every_arm, see, start_run


@kernel
def count_run(
    counted: RunCounts,
    i: int,
    b: int,
    ranking: Ranking,
    arms: Arms,
    seen: ArmTotals,
    schedule: Schedule,
    left: int,
    is_done: bool,
) -> None:
    """Judge what was seen in a run up to a budget, of which so much is left, and note it."""
    verdicts = np.empty(seen.counts.size, np.int64)
    for k in range(seen.counts.size):
        verdicts[k] = verdict_of(rule_of(ranking, k), float(seen.counts[k]), seen.totals[k])
    judged = judge(arms, seen.means, verdicts, schedule.loss)
    note(counted, i, b, judged, seen.counts, schedule.budgets[b] - left, is_done)
    note_mistakes(counted, i, b, arms, seen.means, verdicts, schedule.loss)


@kernel
def _has_stopped(table: Table, left: int, ceiling: float) -> bool:
    """Return whether a run has ended by itself: it could pay an arm that has samples left, or needs no other pull."""
    for k in range(table.rows.size):
        row = table.rows[k]
        if row["ticks"] <= left and row["count"] < supply_of(drawn_by(table.kind, row)):
            return True
    return bool(table.indices.min() >= ceiling)


@kernel
def run_index_policy(
    ranking: Ranking, arms: Arms, schedule: Schedule, seed: int, first_run: int, runs: int
) -> RunCounts:
    """Run an index policy and judge it at every budget; one pass serves all budgets if every pull costs the same."""
    n_arms, n_budgets, cheapest = arms.means.size, schedule.budgets.size, arms.ticks.min()
    counted, table = new_counted(runs, n_budgets, n_arms, 0, schedule.n_judged), new_table(ranking, arms)
    for i in range(runs):
        start_run(table, arms, seed, first_run + i)
        left = -open_every_arm(table, arms.first_pulls)
        for b in range(n_budgets):
            left += schedule.budgets[b] - (schedule.budgets[b - 1] if b > 0 else 0)
            left = spend(table, left, schedule.ceiling)
            seen, highest = see(table), -math.inf
            if schedule.at_peak:
                peak = peak_of(table)
                highest = peak.highest
                if peak.arm >= 0:
                    seen.counts[peak.arm], seen.totals[peak.arm] = peak.pulls, peak.total
            if left >= cheapest:
                left = spend_rest(table, left, schedule.ceiling, seen, highest)
            is_done = _has_stopped(table, left, schedule.ceiling)
            count_run(counted, i, b, ranking, arms, seen, schedule, left, is_done)
    return counted
