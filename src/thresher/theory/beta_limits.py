"""What no adaptive policy can pass on average over a Beta population of 0/1 arms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from thresher.errors import InvalidInputError
from thresher.jit import njit
from thresher.theory.arms import checked_budget
from thresher.types import Floats

PRICES = np.geomspace(1e-5, 0.5, 160)  # any price gives a limit: a grid can only lose
DEPTH = 1000  # samples of one arm that are looked at one by one

__all__ = ["beta_limit"]


def beta_limit(n_arms: int, *, a: float, b: float, threshold: float, budget: float) -> float:
    r"""Return a number below the expected mistakes of every policy when each mean is drawn from Beta(a, b).

    With a price :math:`c` for each pull every arm is a stopping problem of its own, and with :math:`V(c)` its least
    expected cost, mistakes and pulls together, every policy has

    .. math:: E[L_T] \ge \max_c \{ K \, V(c) - c T \}

    :math:`V` is solved backwards over successes and failures. At the last depth an arm pays either its posterior error
    or one more pull at least, so that :math:`\min(e, c)` there keeps the number a limit.

    Parameters
    ----------
    n_arms : int
        :math:`K \ge 0`.
    a, b : float
        Of the population, above 0.
    threshold : float
        :math:`\theta`, in (0, 1).
    budget : float
        :math:`T \ge 0`, in pulls.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    if not n_arms >= 0:
        raise InvalidInputError("n_arms", n_arms, rule="must be at least 0")
    for name, value in (("a", a), ("b", b)):
        if not value > 0.0:
            raise InvalidInputError(f"{name} of the Beta population", value, rule="must be positive")
    if not 0.0 < threshold < 1.0:
        raise InvalidInputError("threshold", threshold, rule="must be between 0 and 1 (exclusive)")
    values = _values(float(a), float(b), float(threshold))
    return max(0.0, float(np.max(n_arms * values - PRICES * checked_budget(budget))))


@lru_cache(maxsize=16)
def _values(a: float, b: float, threshold: float) -> Floats:
    """Return V at every price of the grid, shape (P,)."""
    from scipy.special import betainc

    successes, failures = np.meshgrid(np.arange(DEPTH + 1), np.arange(DEPTH + 1), indexing="ij")
    below = betainc(a + successes, b + failures, threshold)
    errors = np.minimum(below, 1.0 - below)
    return np.array([_least_cost(errors, a, b, price) for price in PRICES])


@njit(cache=True)
def _least_cost(errors: Floats, a: float, b: float, price: float) -> float:
    """Return the least expected cost of one arm; `errors` by successes and failures, shape (D + 1, D + 1)."""
    depth = errors.shape[0] - 1
    costs = np.empty(depth + 1)
    for s in range(depth + 1):
        costs[s] = min(errors[s, depth - s], price)
    for n in range(depth - 1, -1, -1):
        for s in range(n + 1):
            chance = (a + s) / (a + b + n)
            costs[s] = min(errors[s, n - s], price + chance * costs[s + 1] + (1.0 - chance) * costs[s])
    return float(costs[0])
