"""The counts of many runs of one policy on one problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.engine.judge import RunLoss
from thresher.jit import kernel
from thresher.types import Floats, Ints


class Counted(NamedTuple):
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
    """

    losses: Floats
    any_mistakes: Floats
    spent: Ints
    stopped: Ints
    outputs: Ints
    pulls: Ints
    pulls_squared: Ints


@kernel
def new_counted(runs: int, n_budgets: int, n_arms: int, n_outputs: int) -> Counted:
    """Return empty counts."""
    return Counted(
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets)),
        np.empty((runs, n_budgets), np.int64),
        np.zeros((runs, n_budgets), np.int64),
        np.zeros((runs, n_outputs), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
        np.zeros((n_budgets, n_arms), np.int64),
    )


@kernel
def note(counted: Counted, i: int, b: int, judged: RunLoss, counts: Ints, spent: int, stopped: bool) -> None:
    """Count a run at a budget."""
    counted.losses[i, b], counted.any_mistakes[i, b] = judged.loss, judged.any_mistake
    counted.spent[i, b] = spent
    counted.stopped[i, b] = 1 if stopped else 0
    for k in range(counts.size):
        counted.pulls[b, k] += counts[k]
        counted.pulls_squared[b, k] += counts[k] * counts[k]


def beside(parts: list[Counted]) -> Counted:
    """Return the counts of the same runs at several budgets, each counted separately."""
    return Counted(
        losses=np.concatenate([part.losses for part in parts], axis=1),
        any_mistakes=np.concatenate([part.any_mistakes for part in parts], axis=1),
        spent=np.concatenate([part.spent for part in parts], axis=1),
        stopped=np.concatenate([part.stopped for part in parts], axis=1),
        outputs=parts[-1].outputs,
        pulls=np.concatenate([part.pulls for part in parts]),
        pulls_squared=np.concatenate([part.pulls_squared for part in parts]),
    )


def after(parts: list[Counted]) -> Counted:
    """Return the combined counts of several ranges of runs."""
    return Counted(
        losses=np.concatenate([part.losses for part in parts]),
        any_mistakes=np.concatenate([part.any_mistakes for part in parts]),
        spent=np.concatenate([part.spent for part in parts]),
        stopped=np.concatenate([part.stopped for part in parts]),
        outputs=np.concatenate([part.outputs for part in parts]),
        pulls=np.asarray(sum(part.pulls for part in parts)),
        pulls_squared=np.asarray(sum(part.pulls_squared for part in parts)),
    )
