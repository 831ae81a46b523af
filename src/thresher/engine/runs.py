"""Many runs of one policy on one problem: losses by run and budget, and where the pulls went."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.engine.draws import ENDLESS, REPLAYING, Arms
from thresher.engine.judge import Judged, judge
from thresher.engine.settle import peak_of
from thresher.engine.sweep import spend
from thresher.engine.table import Table, new_table, open_every_arm, pull_below, start_run
from thresher.jit import kernel, part
from thresher.policy.ranking import Ranking
from thresher.streams import CHOICES, arm_key, uniform, word_at
from thresher.types import Floats, Ints


class Question(NamedTuple):
    """What is asked of every run.

    Attributes
    ----------
    budgets : ndarray of int64, shape (B,)
        In ticks, increasing.
    at_peak : bool
        Judge at the paper's t_max instead of at the end.
    loss : int
        Code of the loss.
    tolerance : float
        Arms this close to the bar are forgiven.
    ceiling : float
        Stop once every index is this large.
    """

    budgets: Ints
    at_peak: bool
    loss: int
    tolerance: float
    ceiling: float


class Counted(NamedTuple):
    """What came out of a range of runs; B budgets, K arms.

    Attributes
    ----------
    losses, any_mistakes : ndarray of float64, shape (runs, B)
    spent : ndarray of int64, shape (runs, B)
        In ticks.
    pulls, pulls_squared : ndarray of int64, shape (B, K)
        Sums over the runs: whole numbers, so that no order of adding changes them.
    """

    losses: Floats
    any_mistakes: Floats
    spent: Ints
    pulls: Ints
    pulls_squared: Ints


class Seen(NamedTuple):
    """What the verdicts of a run are made of; arrays of shape (K,)."""

    means: Floats
    counts: Ints
    totals: Floats


@part
def new_counted(runs: int, n_budgets: int, n_arms: int) -> Counted:
    """Return room for what comes out, with nothing counted yet."""
    return Counted(
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
    )


@part
def see(table: Table) -> Seen:
    """Return what was seen of every arm, to be judged."""
    n_arms = table.rows.size
    seen = Seen(np.empty(n_arms), np.empty(n_arms, np.int64), np.empty(n_arms))
    for k in range(n_arms):
        row = table.rows[k]
        seen.means[k], seen.counts[k], seen.totals[k] = row["mean"], row["count"], row["total"]
    return seen


@part
def count_run(
    counted: Counted, i: int, b: int, ranking: Ranking, arms: Arms, seen: Seen, question: Question, spent: int
) -> None:
    """Judge what was seen in a run up to a budget and note it."""
    judged = judge(ranking, arms, seen.means, seen.counts, seen.totals, question.loss, question.tolerance)
    note(counted, i, b, judged, seen.counts, spent)


@part
def note(counted: Counted, i: int, b: int, judged: Judged, counts: Ints, spent: int) -> None:
    """Note what a run came to at a budget."""
    counted.losses[i, b], counted.any_mistakes[i, b] = judged.loss, judged.any_mistake
    counted.spent[i, b] = spent
    for k in range(counts.size):
        counted.pulls[b, k] += counts[k]
        counted.pulls_squared[b, k] += counts[k] * counts[k]


@kernel
def run_index_policy(ranking: Ranking, arms: Arms, question: Question, seed: int, first_run: int, runs: int) -> Counted:
    """Run an index policy and judge it at every budget; one pass serves all budgets."""
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted, table = new_counted(runs, n_budgets, n_arms), new_table(ranking, arms)
    for i in range(runs):
        start_run(table, arms, seed, first_run + i)
        left = -open_every_arm(table, arms.first_pulls)
        for b in range(n_budgets):
            left += question.budgets[b] - (question.budgets[b - 1] if b > 0 else 0)
            left = spend(table, left, question.ceiling)
            seen = see(table)
            if question.at_peak:
                peak = peak_of(table)
                if peak.arm >= 0:
                    seen.counts[peak.arm], seen.totals[peak.arm] = peak.pulls, peak.total
            count_run(counted, i, b, ranking, arms, seen, question, question.budgets[b] - left)
    return counted


@part
def _pull_to(table: Table, k: int, count: int) -> None:
    """Pull one arm until it has been pulled `count` times, or its pool is dry."""
    row = table.rows[k]
    pull_below(table.kind, table.pool, row, -math.inf, math.inf, count - row["count"])


@kernel
def run_allocation(
    ranking: Ranking, arms: Arms, question: Question, allocations: Ints, seed: int, first_run: int, runs: int
) -> Counted:
    """Run a policy whose pulls are fixed beforehand, shape (B, K), and judge it at every budget."""
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted, table = new_counted(runs, n_budgets, n_arms), new_table(ranking, arms)
    for i in range(runs):
        for b in range(n_budgets):  # an allocation may shrink as the budget grows: start again each time
            start_run(table, arms, seed, first_run + i)
            spent = 0
            for k in range(n_arms):
                _pull_to(table, k, allocations[b, k])
                spent += table.rows[k]["count"] * arms.ticks[k]
            count_run(counted, i, b, ranking, arms, see(table), question, spent)
    return counted


@kernel
def run_at_random(ranking: Ranking, arms: Arms, question: Question, seed: int, first_run: int, runs: int) -> Counted:
    """Run the policy that draws the arm of every pull at random, and judge it at every budget."""
    n_arms, n_budgets = arms.means.size, question.budgets.size
    counted, table = new_counted(runs, n_budgets, n_arms), new_table(ranking, arms)
    supply = arms.sizes.sum() if arms.draw == REPLAYING else ENDLESS
    for i in range(runs):
        key = arm_key(start_run(table, arms, seed, first_run + i), CHOICES)
        spent = pulls = place = 0
        for b in range(n_budgets):
            while pulls < supply:
                k = int(uniform(word_at(key, place)) * n_arms)
                if spent + arms.ticks[k] > question.budgets[b]:
                    break
                place += 1
                before = table.rows[k]["count"]
                _pull_to(table, k, before + 1)
                pulled = table.rows[k]["count"] - before  # none if the arm has run dry
                pulls += pulled
                spent += pulled * arms.ticks[k]
            count_run(counted, i, b, ranking, arms, see(table), question, spent)
    return counted
