"""Many runs of a policy on arms with several coordinates, compiled.

The readable reference is :mod:`reproduction.feasible.reference`; the two agree bit for bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reproduction.feasible.choice import key_of, least
from reproduction.feasible.md_sar import md_sar_close
from reproduction.feasible.policy import MD_SAR, UNIFORM, Rules, State
from reproduction.feasible.problem import FeasibleProblem
from reproduction.feasible.projection import new_room
from reproduction.feasible.region import Bar, depth_at
from thresher.jit import formula, kernel
from thresher.streams import Word, arm_key, normal, run_key, uniform, word_at
from thresher.types import Bools, Floats, Ints, Words


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
    """The counts of a range of runs; B budgets, K arms.

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
    mean, room = np.empty(sums.shape[1]), new_room(bar.offsets.size)
    for k in range(counts.size):
        if points.matters[k]:
            for d in range(mean.size):
                mean[d] = sums[k, d] / counts[k]
            if (depth_at(bar, mean, room) >= 0.0) != points.is_inside[k]:
                return True
    return False


@kernel
def _start(state: State) -> None:
    """Set a state to the start of a run: every arm is to be pulled once before any key counts."""
    state.counts[:], state.sums[:], state.margins[:], state.rounds[:] = 0, 0.0, 0.0, 0
    state.keys[:] = -math.inf


@kernel
def _spend(
    rules: Rules, b: int, bar: Bar, points: Points, state: State, streams: Words, pulls: int, budget: int
) -> int:
    """Pull until the budget is spent or the policy has done; return how many pulls there were in all.

    One loop without calls that take whole tuples: those would count every array up and down at every pull, which takes
    longer than the draws.
    """
    code, bonus, quotas = rules.code, rules.bonuses[b], rules.quotas[b]
    counts, sums, margins, keys = state.counts, state.sums, state.margins, state.keys
    means, size = points.means, points.means.shape[1]
    mean, room = np.zeros(size), new_room(bar.offsets.size)
    while pulls < budget:
        k = least(keys)
        if code == MD_SAR and keys[k] >= quotas[state.rounds[0]]:
            if md_sar_close(state, quotas):
                break
            k = least(keys)
        n = counts[k]
        counts[k] = n + 1
        for d in range(size):
            sums[k, d] += coordinate_at(points.is_binary, means[k, d], points.sigma, streams[k], size * n + d)
            mean[d] = sums[k, d] / (n + 1)
        if code != UNIFORM:  # the only one that does not look
            margins[k] = abs(depth_at(bar, mean, room)) + points.tolerance
        keys[k] = key_of(code, float(n + 1), margins[k], bonus)
        pulls += 1
    return pulls


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
    streams = np.zeros(n_arms, np.uint64)
    for i in range(runs):
        run, pulls = run_key(seed, first_run + i), 0
        for k in range(n_arms):
            streams[k] = arm_key(run, k)
        for b in range(budgets.size):
            if b == 0 or rules.restarts:
                _start(state)
                pulls = 0
            pulls = _spend(rules, b, bar, points, state, streams, pulls, budgets[b])
            judged.failures[i, b] = 1.0 if fails(bar, points, state.counts, state.sums) else 0.0
            for k in range(n_arms):
                judged.pulls[b, k] += state.counts[k]
                judged.pulls_squared[b, k] += state.counts[k] * state.counts[k]
    return judged
