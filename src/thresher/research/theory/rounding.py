"""Fixed allocations rounded to whole pulls: the rest of the budget goes where one more pull helps most."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.number_text import figure
from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.research.theory.oracle_allocation import oracle
from thresher.research.theory.static_allocation import static_optimum
from thresher.types import Floats, Ints

__all__ = ["whole_oracle", "whole_static_optimum"]

SLACK = 1e-12
MOST = 2.0**53  # above it not every whole number is a float

LogGain = Callable[[Floats, ArmRates], Floats]


def whole_oracle(
    gaps: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None, *, budget: float
) -> Ints:
    r"""Return the oracle's allocation in whole pulls, rounded for the sum of :math:`a_k e^{-N_k\Delta_k^2}`.

    It is `oracle` rounded down; what is left goes pull by pull to the arm whose next pull lowers that sum most for
    its price (ties: fewest pulls, then lowest arm). With pull costs of 1 a whole budget is spent exactly; otherwise
    never more than the budget, to a part in 1e12, and no arm that can be misjudged is affordable any more. When no
    arm can be misjudged, all are pulled alike.

    Parameters
    ----------
    gaps, costs, pull_costs, budget
        As for `oracle`.

    Returns
    -------
    array of int, shape (K,)

    Raises
    ------
    InvalidInputError
        For numbers outside their ranges.
    """
    arms = ArmRates.of(gaps, costs, pull_costs)
    return _rounded(oracle(gaps, costs, pull_costs, budget=budget).counts, arms, hoeffding_log_gain, budget)


def whole_static_optimum(
    gaps: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None, *, budget: float
) -> Ints:
    """Return the static optimum in whole pulls, rounded for the expected loss of Gaussian arms.

    As `whole_oracle`, with the exact error in place of Hoeffding's bound.

    Parameters
    ----------
    gaps, costs, pull_costs, budget
        As for `static_optimum`.

    Returns
    -------
    array of int, shape (K,)

    Raises
    ------
    InvalidInputError
        For numbers outside their ranges.
    """
    arms = ArmRates.of(gaps, costs, pull_costs)
    return _rounded(static_optimum(gaps, costs, pull_costs, budget=budget).counts, arms, gaussian_log_gain, budget)


def hoeffding_log_gain(counts: Floats, arms: ArmRates) -> Floats:
    r"""Return :math:`\log a_k(e^{-n\Delta_k^2} - e^{-(n+1)\Delta_k^2})`, -inf for a gap of 0.

    Parameters
    ----------
    counts : array of float, shape (K,)
        :math:`n \ge 0`.
    arms : ArmRates
        With the gaps as rates.
    """
    exponents = np.where(arms.judged, arms.rates, 1.0) ** 2
    # 1 - e^(-x) rounds to 0 for no x > 0, and to 1 for large ones: its logarithm is finite.
    gain = np.log(arms.costs) - counts * exponents + np.log(-np.expm1(-exponents))
    return np.asarray(np.where(arms.judged, gain, -np.inf))


def gaussian_log_gain(counts: Floats, arms: ArmRates) -> Floats:
    r"""Return :math:`\log a_k\big(\Phi(-\sqrt{2n}\Delta_k) - \Phi(-\sqrt{2(n+1)}\Delta_k)\big)`, -inf for a gap of 0.

    Parameters
    ----------
    counts : array of float, shape (K,)
        :math:`n \ge 0`.
    arms : ArmRates
        With the gaps as rates.
    """
    from scipy.special import log_ndtr

    gaps = np.where(arms.judged, arms.rates, 1.0)
    here, there = np.sqrt(2.0 * counts) * gaps, np.sqrt(2.0 * (counts + 1.0)) * gaps
    apart = 2.0 * gaps / (here + there) * gaps
    middle = 0.5 * (here + there)
    # Close together the difference is the density times the distance; far out it is all of the first tail but
    # e^(-gap²).
    density = np.log(apart) - 0.5 * middle**2 - 0.5 * math.log(2.0 * math.pi)
    tail = log_ndtr(-here)
    ratio = np.where(here > 50.0, -(gaps**2), log_ndtr(-there) - tail)
    difference = tail + np.log(-np.expm1(np.minimum(ratio, -1e-300)))
    gain = np.where(apart * np.maximum(there, 1.0) < 1e-4, density, difference)
    return np.asarray(np.where(arms.judged, np.log(arms.costs) + gain, -np.inf))


def _rounded(counts: Floats, arms: ArmRates, log_gain: LogGain, budget: float) -> Ints:
    least = float(arms.pull_costs.min())
    # Sums of pull costs such as 0.1 are not exact; the allowance stays far below the price of any pull.
    allowed = checked_budget(budget) + min(SLACK * budget, 1e-3 * least)
    if not arms.judged.any():
        counts = np.full(counts.size, budget / float(arms.pull_costs.sum()))
    if counts.max() >= MOST:
        raise InvalidInputError(
            "budget", budget, rule=f"must pay fewer than 2**53 pulls of an arm, not {figure(counts.max())}"
        )
    whole = np.floor(
        counts * (1.0 - SLACK)
    )  # one pull less where rounding errors would overspend; it is won back below
    return _spend_the_rest(whole, arms, log_gain, allowed).astype(np.int64)


def _spend_the_rest(whole: Floats, arms: ArmRates, log_gain: LogGain, allowed: float) -> Floats:
    """Return the counts after the rest of the money is spent, each pull on the best affordable arm."""
    gains = log_gain(whole, arms) - np.log(arms.pull_costs)
    queue = [(-gain, count, arm) for arm, (gain, count) in enumerate(zip(gains.tolist(), whole.tolist(), strict=True))]
    heapq.heapify(queue)
    spent = float(arms.pull_costs @ whole)
    some_help = bool(arms.judged.any())
    while queue:
        gain, count, arm = heapq.heappop(queue)
        price = float(arms.pull_costs[arm])
        if spent + price > allowed or (some_help and gain == math.inf):
            continue  # what cannot be paid now cannot be paid later
        spent += price
        whole[arm] = count + 1.0
        heapq.heappush(queue, (_next(arm, count + 1.0, arms, log_gain), count + 1.0, arm))
    return whole


def _next(arm: int, count: float, arms: ArmRates, log_gain: LogGain) -> float:
    """Return minus the logarithm of what the next pull of one arm gains for its price."""
    one = slice(arm, arm + 1)
    alone = ArmRates(arms.rates[one], arms.costs[one], arms.pull_costs[one])
    return float(np.log(arms.pull_costs[arm]) - log_gain(np.array([count]), alone)[0])
