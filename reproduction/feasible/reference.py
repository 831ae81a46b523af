"""The readable reference of :mod:`reproduction.feasible.runs`: one run in plain Python.

Random numbers, depths and keys are shared with it; the loop, MD-SAR's rounds and the judgement are written again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reproduction.feasible.choice import key_of
from reproduction.feasible.policy import MD_SAR, FeasiblePolicy
from reproduction.feasible.problem import FeasibleProblem
from reproduction.feasible.runs import coordinate_at
from thresher.streams import arm_key, run_key
from thresher.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Played:
    """One run: pulls (K,) and sums (K, D) of every arm, verdicts (K,), and the arms in the order of their pulls."""

    counts: Ints
    sums: Floats
    verdicts: Bools
    order: list[int]

    def fails(self, problem: FeasibleProblem) -> bool:
        """Return whether an arm that counts is misjudged."""
        return bool(((self.verdicts != problem.is_inside) & problem.matters).any())


def play(policy: FeasiblePolicy, problem: FeasibleProblem, *, budget: int, seed: int, run: int) -> Played:
    """Return one run of a policy: every arm once, then the arm of least key, until the budget is spent."""
    rules, n_arms, size = policy.rules(problem, [budget]), problem.n_arms, problem.region.dimension
    run_word = np.uint64(run_key(seed, run))
    keys = [np.uint64(arm_key(run_word, k)) for k in range(n_arms)]
    counts, sums, order = np.zeros(n_arms, np.int64), np.zeros((n_arms, size)), list[int]()
    margins, active, rounds = np.zeros(n_arms), set(range(n_arms)), 0

    def index(k: int) -> float:
        if counts[k] == 0:
            return -np.inf
        return key_of(rules.code, float(counts[k]), margins[k], rules.bonuses[0])

    for _ in range(budget):
        if policy.code == MD_SAR:
            while len(active) > 1 and min(counts[k] for k in active) >= rules.quotas[0, rounds]:
                active.remove(max(sorted(active), key=lambda k: margins[k]))  # the first of equals
                rounds += 1
            if len(active) == 1:
                break
        k = min(sorted(active), key=index)  # the first of equals
        for d in range(size):
            mean, place = problem.means[k, d], size * counts[k] + d
            sums[k, d] += coordinate_at(problem.family == "bernoulli", mean, problem.sigma, keys[k], place)
        counts[k] += 1
        margins[k] = abs(problem.region.depths(sums[k] / counts[k])[0]) + problem.tolerance
        order.append(k)
    return Played(counts, sums, problem.region.contains(sums / counts[:, np.newaxis]), order)
