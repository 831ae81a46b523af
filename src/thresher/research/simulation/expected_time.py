"""How long a simulation takes, before it starts."""

from __future__ import annotations

import os
from collections.abc import Sequence

from thresher.problem import Problem

SECONDS_PER_PULL = 5e-8  # of one core: the fast sweep takes 3e-8, a policy that looks at all arms 1e-7


def expected_seconds(
    problem: Problem, *, n_policies: int, budgets: Sequence[float], runs: int, workers: int | None = None
) -> float:
    """Return about how long runs to these budgets take, one pass for all budgets; for built-in policies."""
    pulls = max(budgets) / float(problem.pull_costs.min())
    if not problem.sampling.is_independent:
        pulls = min(pulls, problem.n_arms * float(problem.sampling.layout.size or pulls))
    return runs * n_policies * pulls * SECONDS_PER_PULL / (workers or os.cpu_count() or 1)
