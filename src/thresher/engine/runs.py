"""Many runs of an index policy by the level sweep: losses by run and budget, and where the pulls went."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.engine.counted import Counted, new_counted, note
from thresher.engine.draws import Arms
from thresher.engine.judge import LossCode, judge
from thresher.engine.settle import peak_of
from thresher.engine.sweep import spend
from thresher.engine.table import Table, new_table, open_every_arm, start_run
from thresher.jit import kernel, part
from thresher.policy.ranking import Ranking, rule_of, verdict_of
from thresher.types import Floats, Ints


class Schedule(NamedTuple):
    """When every run is judged, and how.

    Attributes
    ----------
    budgets : ndarray of int64, shape (B,)
        In millionths of the unit of the pull costs, increasing.
    at_peak : bool
        Judge at the paper's t_max instead of at the end.
    ceiling : float
        Stop once every index is this large.
    loss : LossCode
    """

    budgets: Ints
    at_peak: bool
    ceiling: float
    loss: LossCode


class Seen(NamedTuple):
    """What the verdicts of a run are made of; arrays of shape (K,)."""

    means: Floats
    counts: Ints
    totals: Floats


@part
def see(table: Table) -> Seen:
    """Return what was seen of every arm, to be judged."""
    n_arms = table.rows.size
    seen = Seen(np.empty(n_arms), np.empty(n_arms, np.int64), np.empty(n_arms))
    for k in range(n_arms):
        row = table.rows[k]
        seen.means[k], seen.counts[k], seen.totals[k] = row["truth"], row["count"], row["total"]
    return seen


@part
def count_run(
    counted: Counted,
    i: int,
    b: int,
    ranking: Ranking,
    arms: Arms,
    seen: Seen,
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


@kernel
def run_index_policy(ranking: Ranking, arms: Arms, schedule: Schedule, seed: int, first_run: int, runs: int) -> Counted:
    """Run an index policy and judge it at every budget; one pass serves all budgets."""
    n_arms, n_budgets = arms.means.size, schedule.budgets.size
    counted, table = new_counted(runs, n_budgets, n_arms, 0), new_table(ranking, arms)
    for i in range(runs):
        start_run(table, arms, seed, first_run + i)
        left = -open_every_arm(table, arms.first_pulls)
        for b in range(n_budgets):
            left += schedule.budgets[b] - (schedule.budgets[b - 1] if b > 0 else 0)
            left = spend(table, left, schedule.ceiling)
            seen = see(table)
            if schedule.at_peak:
                peak = peak_of(table)
                if peak.arm >= 0:
                    seen.counts[peak.arm], seen.totals[peak.arm] = peak.pulls, peak.total
            count_run(counted, i, b, ranking, arms, seen, schedule, left, table.urgencies.min() >= schedule.ceiling)
    return counted
