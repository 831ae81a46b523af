"""Runs of a policy that stops by itself: one loop for all of them.

Its twin, to be read, is :mod:`thresher.engine.confidence_reference`; the two agree to the last bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from thresher.engine.draws import Arm, Arms, is_plain, mean_of, other_outcome_at, plain_outcome_at
from thresher.engine.murphy import murphy_arm
from thresher.jit import formula, kernel, part
from thresher.policy.confidence.dispatch import choose, settle
from thresher.policy.confidence.trial import MURPHY, OUTPUTS, PULLS, Demand, Rows, Trial, new_trial
from thresher.streams import CHOICES, Word, arm_key, run_key
from thresher.types import Floats, Ints

ANY_MISTAKE, FALSE_SHARE, ANY_FALSE = range(3)


class Ending(NamedTuple):
    """When a run ends and how it is judged.

    Attributes
    ----------
    most : int
        The most pulls of a run.
    runs_on : bool
        End when every arm above the bar has been output; without one, at the most pulls.
    promise : int
        What counts as an error: one of the codes above.
    """

    most: int
    runs_on: bool
    promise: int


class Noise(NamedTuple):
    """How outcomes are drawn, as far as all arms have it in common; the fields are those of :class:`Arms`."""

    draw: int
    low: float
    width: float
    concentration: float


class Stopped(NamedTuple):
    """What came out of a range of runs; K arms.

    Attributes
    ----------
    times : ndarray of int64, shape (runs,)
        Pulls until the run ended.
    capped : ndarray of int64, shape (runs,)
        1 where it ended at the most pulls.
    errors : ndarray of float64, shape (runs,)
        0 or 1, or a share.
    outputs : ndarray of int64, shape (runs, K)
        Pulls until the first, the second, … arm was output as above; 0 where there was none.
    pulls, pulls_squared : ndarray of int64, shape (K,)
        Sums over the runs.
    """

    times: Ints
    capped: Ints
    errors: Floats
    outputs: Ints
    pulls: Ints
    pulls_squared: Ints


@part
def _open_trial(arms: Arms) -> Trial:
    """Return room for the runs of a problem."""
    trial = new_trial(arms.means.size)
    for k in range(trial.rows.size):
        row = trial.rows[k]
        row["threshold"], row["sigma"] = arms.thresholds[k], arms.sigma[k]
        if arms.sizes.size > 0:
            row["start"], row["size"] = arms.starts[k], arms.sizes[k]
    return trial


@part
def _start(arms: Arms, trial: Trial, run: Word) -> int:
    """Set a trial to the start of a run; return how many arms are above the bar."""
    above = 0
    trial.clock[:] = 0
    for k in range(trial.rows.size):
        row = trial.rows[k]
        row["count"], row["total"], row["verdict"], row["kept"], row["stage"] = 0, 0.0, 0, 0.0, 0
        row["key"] = arm_key(run, k)
        row["mean"] = mean_of(arms, k, row["key"])
        above += 1 if row["mean"] > row["threshold"] else 0
    return above


@part
def _found(rows: Rows) -> int:
    """Return how many arms above the bar have been output."""
    found = 0
    for k in range(rows.size):
        if rows[k]["verdict"] > 0 and rows[k]["mean"] > rows[k]["threshold"]:
            found += 1
    return found


@kernel
def error_of(promise: int, rows: Rows) -> float:
    """Return the error of one run.

    A mistake is an arm on the wrong side, a mean on its bar being on both. A false output is an arm that is not above
    its bar: for the rules that promise few of them a mean on the bar is the hypothesis that they test.
    """
    wrong = outputs = false = 0
    for k in range(rows.size):
        gap = rows[k]["mean"] - rows[k]["threshold"]
        if rows[k]["verdict"] > 0:
            outputs += 1
            false += 1 if gap <= 0.0 else 0
            wrong += 1 if gap < 0.0 else 0
        elif rows[k]["verdict"] < 0:
            wrong += 1 if gap > 0.0 else 0
    if promise == FALSE_SHARE:
        return false / outputs if outputs > 0 else 0.0
    return 1.0 if (wrong if promise == ANY_MISTAKE else false) > 0 else 0.0


@part
def _next(demand: Demand, trial: Trial, choices: Word) -> int:
    """Return the arm that is pulled next: each in turn at first, then as the rule says."""
    pulls = trial.clock[PULLS]
    if pulls < demand.rounds * trial.rows.size:
        return int(pulls % trial.rows.size)
    if demand.code == MURPHY:
        return murphy_arm(demand, trial, choices)
    return choose(demand, trial)


@formula
def _drawn_by(noise: Noise, row: Any) -> Arm:
    """Return how the arm of a row draws."""
    return Arm(
        noise.draw,
        row["mean"],
        row["sigma"],
        row["threshold"],
        noise.low,
        noise.width,
        noise.concentration,
        row["start"],
        row["size"],
        row["key"],
    )


@part
def _play(
    demand: Demand, trial: Trial, noise: Noise, pool: Floats, ending: Ending, above: int, choices: Word, outputs: Ints
) -> bool:
    """Play one run until it ends, noting when arms are output; return whether it stopped before the most pulls."""
    done, before = False, 0
    while not done and trial.clock[PULLS] < ending.most:
        k = _next(demand, trial, choices)
        row = trial.rows[k]
        arm, count = _drawn_by(noise, row), row["count"]
        outcome = plain_outcome_at(arm, count) if is_plain(arm) else other_outcome_at(arm, pool, count)
        row["total"] += outcome - arm.threshold
        row["count"] = count + 1
        trial.clock[PULLS] += 1
        done = settle(demand, trial, k)
        if trial.clock[OUTPUTS] > before:
            outputs[before : trial.clock[OUTPUTS]] = trial.clock[PULLS]
            before = trial.clock[OUTPUTS]
            done = done or (ending.runs_on and above > 0 and _found(trial.rows) == above)
    return done


@kernel
def run_until_sure(demand: Demand, arms: Arms, ending: Ending, seed: int, first_run: int, runs: int) -> Stopped:
    """Run a policy until it stops, or has to."""
    n_arms = arms.means.size
    stopped = Stopped(
        np.zeros(runs, np.int64),
        np.zeros(runs, np.int64),
        np.zeros(runs),
        np.zeros((runs, n_arms), np.int64),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
    )
    trial, noise = _open_trial(arms), Noise(arms.draw, arms.low, arms.width, arms.concentration)
    for i in range(runs):
        run = run_key(seed, first_run + i)
        above, choices = _start(arms, trial, run), arm_key(run, CHOICES)
        done = _play(demand, trial, noise, arms.pool, ending, above, choices, stopped.outputs[i])
        stopped.times[i], stopped.capped[i] = trial.clock[PULLS], 0 if done else 1
        stopped.errors[i] = error_of(ending.promise, trial.rows)
        for k in range(n_arms):
            count = trial.rows[k]["count"]
            stopped.pulls[k] += count
            stopped.pulls_squared[k] += count * count
    return stopped
