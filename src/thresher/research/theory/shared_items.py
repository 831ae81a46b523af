r"""Arms that answer the same items: what the best fixed numbers of answers would lose, about.

No limit is known where each answer says something about the other arms. What can be computed is a yardstick. When all
outcomes are known, the items, the past arms and the scores leave the share :math:`r_k` of the variance
:math:`\sigma_k^2` of an arm's outcomes (:mod:`thresher.inference.answers`). An adjusted mean of :math:`n_k` of
:math:`N_k` items then errs like one of :math:`\nu_k = n_k / (r_k (1 - n_k/N_k))` independent draws, and numbers of
answers that do not depend on the outcomes lose about

.. math:: \min \sum_k a_k\, \Phi\!\left(-\frac{|\mu_k - \theta_k| \sqrt{\nu_k}}{\sigma_k}\right)
          \quad\text{subject to}\quad \sum_k m_k n_k \le T.

The minimum is over allocations that may be drawn at random: each term is replaced by its convex hull, and the budget is
spent where a measurement saves most. It is an approximation by the normal law with known coefficients, not a bound: a
policy that looks at outcomes can lose less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.inference import answers_of
from thresher.problem import Problem
from thresher.types import Floats


class FixedAllocation(NamedTuple):
    """The best numbers of answers that do not depend on outcomes, where arms answer the same items.

    Attributes
    ----------
    share_left : float
        Share of the variance of outcomes that the items, past arms and scores leave when all outcomes are known.
    loss : float
        What it loses, by the normal law.
    """

    share_left: float
    loss: float


def fixed_allocation(problem: Problem, budget: float) -> FixedAllocation | None:
    """Return the best fixed allocation of a budget; None unless each arm answers each shared item at most once.

    Parameters
    ----------
    problem : Problem
    budget : float
        In the unit of the pull costs.
    """
    pool = problem.pool
    if pool is None or pool.items is None or pool.replacement or pool.repeats > 1 or problem.control is not None:
        return None
    layout = problem.sampling.layout
    outcomes = np.full(layout.shape, np.nan)
    outcomes[np.repeat(np.arange(pool.sizes.size), pool.sizes), pool.items] = pool.values
    known = answers_of(problem.question, outcomes)
    gaps = np.abs(pool.means - problem.thresholds)
    arms = zip(gaps, pool.deviations, known.shares, pool.sizes, problem.costs, problem.pull_costs, strict=True)
    savings, prices = (np.concatenate(parts) for parts in zip(*(_steps(*arm) for arm in arms), strict=True))
    order = np.argsort(-savings / prices, kind="stable")
    spent, saved = (np.concatenate([[0.0], np.cumsum(steps[order])]) for steps in (prices, savings))
    worst = 0.5 * float(problem.costs[gaps > 0.0].sum())
    return FixedAllocation(float(known.fit.share), max(worst - float(np.interp(budget, spent, saved)), 0.0))


def _steps(
    gap: float, deviation: float, share: float, size: int, cost: float, pull_cost: float
) -> tuple[Floats, Floats]:
    """Return what each step along the convex hull of the error of one arm saves, and its price."""
    from scipy.special import ndtr

    counts = np.arange(size)
    losses = np.zeros(size + 1)  # all items answered: no error
    if gap > 0.0:
        precision = np.sqrt(counts / (share * (1.0 - counts / size)))
        losses[:-1] = cost * ndtr(-gap * precision / max(deviation, 1e-12))
        losses[0] = 0.5 * cost
    hull = [0]
    for n in range(1, size + 1):
        while len(hull) > 1 and _is_above(losses, hull[-2], hull[-1], n):
            hull.pop()
        hull.append(n)
    return -np.diff(losses[hull]), pull_cost * np.diff(hull).astype(np.float64)


def _is_above(losses: Floats, first: int, middle: int, last: int) -> bool:
    """Return whether the loss in the middle lies on or above the line between the other two."""
    rise, whole = losses[middle] - losses[first], losses[last] - losses[first]
    return bool(rise * (last - first) >= whole * (middle - first))
