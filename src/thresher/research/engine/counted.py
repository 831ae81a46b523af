"""The counts of many runs of one policy on one problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.jit import kernel
from thresher.research.engine.draws import Arms
from thresher.research.engine.losses import LossCode, RunLoss, gap_of, weight_of
from thresher.types import Bytes, Floats, Ints


class RunCounts(NamedTuple):
    """The counts of a range of runs; B budgets, K arms.

    Attributes
    ----------
    losses, any_mistakes : ndarray of float64, shape (runs, B)
    spent : ndarray of int64, shape (runs, B)
        In millionths of the unit of the pull costs.
    stopped : ndarray of int64, shape (runs, B)
        1 where the policy stopped by itself, before the budget was spent.
    outputs : ndarray of int64, shape (runs, K) or (runs, 0)
        Pulls until the first, the second, … arm was output as above the bar, 0 where there was none; for policies that
        output arms one by one.
    pulls, pulls_squared : ndarray of int64, shape (B, K)
        Sums over the runs: whole numbers, so that no order of adding changes them.
    halves : ndarray of uint8, shape (runs, B, K) or (runs, B, 0)
        Mistakes of every run by arm, in halves: 2 for a wrong verdict, 1 for none, 0 for a right one and for an arm on
        its bar or within the tolerance; empty unless they are kept.
    gaps : ndarray of float64, shape (runs, K) or (runs, 0)
        How far the mean of each arm is above its bar in each run, negative below it.
    """

    losses: Floats
    any_mistakes: Floats
    spent: Ints
    stopped: Ints
    outputs: Ints
    pulls: Ints
    pulls_squared: Ints
    halves: Bytes
    gaps: Floats


@kernel
def new_counted(runs: int, n_budgets: int, n_arms: int, n_outputs: int, n_judged: int = 0) -> RunCounts:
    """Return empty counts."""
    return RunCounts(
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets), np.int64),
        np.zeros((runs, n_budgets), np.int64),
        np.zeros((runs, n_outputs), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
        np.zeros((runs, n_budgets, n_judged), np.uint8),
        np.zeros((runs, n_judged)),
    )


@kernel
def note(counted: RunCounts, i: int, b: int, judged: RunLoss, counts: Ints, spent: int, stopped: bool) -> None:
    """Count a run at a budget."""
    counted.losses[i, b], counted.any_mistakes[i, b] = judged.loss, judged.any_mistake
    counted.spent[i, b] = spent
    counted.stopped[i, b] = 1 if stopped else 0
    for k in range(counts.size):
        counted.pulls[b, k] += counts[k]
        counted.pulls_squared[b, k] += counts[k] * counts[k]


@kernel
def note_mistakes(
    counted: RunCounts, i: int, b: int, arms: Arms, means: Floats, verdicts: Ints, loss: LossCode
) -> None:
    """Keep the mistakes of a run at a budget by arm, if they are asked for."""
    for k in range(counted.gaps.shape[1]):
        gap = gap_of(arms, means, k)
        counted.gaps[i, k] = gap
        if weight_of(gap, arms.sigma[k], arms.costs[k], loss) > 0.0:
            counted.halves[i, b, k] = 1 if verdicts[k] == 0 else (2 if (verdicts[k] > 0) != (gap > 0.0) else 0)


def join_budgets(parts: list[RunCounts]) -> RunCounts:
    """Return the counts of the same runs at several budgets, each counted separately."""
    return RunCounts(
        losses=np.concatenate([part.losses for part in parts], axis=1),
        any_mistakes=np.concatenate([part.any_mistakes for part in parts], axis=1),
        spent=np.concatenate([part.spent for part in parts], axis=1),
        stopped=np.concatenate([part.stopped for part in parts], axis=1),
        outputs=parts[-1].outputs,
        pulls=np.concatenate([part.pulls for part in parts]),
        pulls_squared=np.concatenate([part.pulls_squared for part in parts]),
        halves=np.concatenate([part.halves for part in parts], axis=1),
        gaps=parts[-1].gaps,
    )


def after(parts: list[RunCounts]) -> RunCounts:
    """Return the combined counts of several ranges of runs."""
    return RunCounts(
        losses=np.concatenate([part.losses for part in parts]),
        any_mistakes=np.concatenate([part.any_mistakes for part in parts]),
        spent=np.concatenate([part.spent for part in parts]),
        stopped=np.concatenate([part.stopped for part in parts]),
        outputs=np.concatenate([part.outputs for part in parts]),
        pulls=np.asarray(sum(part.pulls for part in parts)),
        pulls_squared=np.asarray(sum(part.pulls_squared for part in parts)),
        halves=np.concatenate([part.halves for part in parts]),
        gaps=np.concatenate([part.gaps for part in parts]),
    )
