"""Many runs of a policy on arms with several coordinates, compiled.

The twin, to be read, is :mod:`thresher.feasible.reference`; the two agree to the last bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.engine.compiled import formula, kernel, part
from thresher.engine.streams import Word, arm_key, normal, run_key, uniform, word_at
from thresher.feasible.choice import key_of, next_arm
from thresher.feasible.policy import UNIFORM, Rules, State
from thresher.feasible.problem import FeasibleProblem
from thresher.feasible.region import Bar, depth_at, slacks_at
from thresher.types import Bools, Floats, Ints


class Points(NamedTuple):
    """A problem in arrays; K arms, D coordinates.

    Attributes
    ----------
    is_binary : bool
        Outcomes are 0 or 1 in every coordinate.
    means : ndarray of float64, shape (K, D)
    sigma, tolerance : float
    is_inside, matters : ndarray of bool, shape (K,)
        The right answers, and which of them count.
    """

    is_binary: bool
    means: Floats
    sigma: float
    tolerance: float
    is_inside: Bools
    matters: Bools


class Judged(NamedTuple):
    """What came out of a range of runs; B budgets, K arms.

    Attributes
    ----------
    failures : ndarray of float64, shape (runs, B)
        1 where an arm that counts was misjudged.
    pulls, pulls_squared : ndarray of int64, shape (B, K)
        Sums over the runs.
    """

    failures: Floats
    pulls: Ints
    pulls_squared: Ints


def points_of(problem: FeasibleProblem) -> Points:
    """Return a problem in the arrays that kernels take."""
    return Points(
        problem.family == "bernoulli",
        np.array(problem.means),  # copies: compiled code takes arrays that may be written and frozen ones for two types
        float(problem.sigma),
        float(problem.tolerance),
        problem.is_inside,
        problem.matters,
    )


@formula
def coordinate_at(is_binary: bool, mean: float, sigma: float, key: Word, place: int) -> float:
    """Return one coordinate of an outcome; that of the pull n (0, 1, …) in coordinate d is at the place D·n + d."""
    word = word_at(key, place)
    if is_binary:
        return 1.0 if uniform(word) < mean else 0.0
    return mean + sigma * normal(word)


@kernel
def fails(bar: Bar, points: Points, counts: Ints, sums: Floats) -> bool:
    """Return whether an arm that counts is misjudged: its mean so far is inside and the true one is not, or vice versa.

    :cite:p:`katz-samuels2018`, section 3. Inside is what the boundary belongs to.
    """
    mean, slacks = np.empty(sums.shape[1]), np.empty(bar.offsets.size)
    for k in range(counts.size):
        if points.matters[k]:
            for d in range(mean.size):
                mean[d] = sums[k, d] / counts[k]
            if (slacks_at(bar, mean, slacks) >= 0.0) != points.is_inside[k]:
                return True
    return False


@part
def _start(state: State) -> None:
    """Set a state to the start of a run: every arm is to be pulled once before any key counts."""
    state.counts[:], state.sums[:], state.margins[:], state.rounds[:] = 0, 0.0, 0.0, 0
    state.keys[:] = -math.inf


@part
def _pull(
    code: int, bonus: float, bar: Bar, points: Points, state: State, k: int, key: Word, mean: Floats, room: Floats
) -> None:
    """Pull one arm, and set its margin and its key."""
    n, size = state.counts[k], mean.size
    state.counts[k] = n + 1
    for d in range(size):
        state.sums[k, d] += coordinate_at(points.is_binary, points.means[k, d], points.sigma, key, size * n + d)
        mean[d] = state.sums[k, d] / (n + 1)
    if code != UNIFORM:  # the only one that does not look
        state.margins[k] = abs(depth_at(bar, mean, room)) + points.tolerance
    state.keys[k] = key_of(code, float(n + 1), state.margins[k], bonus)


@kernel
def run_feasible(rules: Rules, bar: Bar, points: Points, budgets: Ints, seed: int, first_run: int, runs: int) -> Judged:
    """Run a policy, and judge it at every budget."""
    n_arms, size = points.means.shape
    judged = Judged(
        np.zeros((runs, budgets.size)),
        np.zeros((budgets.size, n_arms), np.int64),
        np.zeros((budgets.size, n_arms), np.int64),
    )
    state = State(
        np.zeros(n_arms, np.int64),
        np.zeros((n_arms, size)),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(1, np.int64),
    )
    mean, room, keys = np.zeros(size), np.zeros((3, bar.offsets.size)), np.zeros(n_arms, np.uint64)
    for i in range(runs):
        run, pulls = run_key(seed, first_run + i), 0
        for k in range(n_arms):
            keys[k] = arm_key(run, k)
        for b in range(budgets.size):
            if b == 0 or rules.restarts:
                _start(state)
                pulls = 0
            quotas, bonus = rules.quotas[b], rules.bonuses[b]
            while pulls < budgets[b]:
                k = next_arm(rules.code, state, quotas)
                if k < 0:
                    break
                _pull(rules.code, bonus, bar, points, state, k, keys[k], mean, room)
                pulls += 1
            judged.failures[i, b] = 1.0 if fails(bar, points, state.counts, state.sums) else 0.0
            for k in range(n_arms):
                judged.pulls[b, k] += state.counts[k]
                judged.pulls_squared[b, k] += state.counts[k] * state.counts[k]
    return judged
