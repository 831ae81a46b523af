"""What many runs of an index policy have seen at each budget, arm by arm: to judge them by more than verdicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.jit import kernel
from thresher.policy.ranking import Ranking
from thresher.research.engine.draws import Arms, arm_of, outcome_at
from thresher.research.engine.settle import spend_rest
from thresher.research.engine.sweep import spend
from thresher.research.engine.table import new_table, open_every_arm, see, start_run
from thresher.streams import arm_key, run_key
from thresher.types import Floats, Ints


class StatisticsOfRuns(NamedTuple):
    """Runs at B budgets of K arms.

    Attributes
    ----------
    means : ndarray of float64, shape (runs, K)
        The truth, which every run may draw again.
    counts, totals, squares : ndarray of float64, shape (runs, B, K)
        Pulls, their sums, and their squares about the bar.
    """

    means: Floats
    counts: Floats
    totals: Floats
    squares: Floats


@kernel
def see_runs(ranking: Ranking, arms: Arms, budgets: Ints, seed: int, first_run: int, runs: int) -> StatisticsOfRuns:
    """Return what a range of runs has seen when each of the budgets (in ticks, increasing) is spent.

    There is one budget unless every pull costs the same.
    """
    n_arms, n_budgets, table, cheapest = arms.means.size, budgets.size, new_table(ranking, arms), arms.ticks.min()
    shape = (runs, n_budgets, n_arms)
    seen = StatisticsOfRuns(np.empty((runs, n_arms)), np.empty(shape), np.empty(shape), np.empty(shape))
    for i in range(runs):
        start_run(table, arms, seed, first_run + i)
        left = -open_every_arm(table, arms.first_pulls)
        for b in range(n_budgets):
            left = spend(table, left + budgets[b] - (budgets[b - 1] if b > 0 else 0), np.inf)
            now = see(table)
            if left >= cheapest:
                left = spend_rest(table, left, np.inf, now, -np.inf)
            seen.means[i], seen.counts[i, b], seen.totals[i, b] = now.means, now.counts, now.totals
        for k in range(n_arms):
            _square(seen, arms, i, k, seed, first_run + i)
    return seen


@kernel
def outcomes_of(arms: Arms, k: int, mean: float, count: int, seed: int, run: int) -> Floats:
    """Return the first `count` outcomes of an arm in a run, in their order."""
    arm = arm_of(arms, k, mean, arm_key(run_key(seed, run), k))
    outcomes = np.empty(count)
    for i in range(count):
        outcomes[i] = outcome_at(arm, arms.pool, i)
    return outcomes


@kernel
def _square(seen: StatisticsOfRuns, arms: Arms, i: int, k: int, seed: int, run: int) -> None:
    """Add up the squares of an arm; a table does so only for a policy that looks at them."""
    last = int(seen.counts[i, -1, k])
    sums = np.zeros(last + 1)
    outcomes = outcomes_of(arms, k, seen.means[i, k], last, seed, run)
    for j in range(last):
        sums[j + 1] = sums[j] + (outcomes[j] - arms.thresholds[k]) ** 2
    for b in range(seen.counts.shape[1]):
        seen.squares[i, b, k] = sums[int(seen.counts[i, b, k])]
