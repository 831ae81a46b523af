r"""Discoveries: which arms are above the bar, with few false ones among those output.

:cite:p:`jamieson2018`, Algorithm 1. The arms output at any time are those that the procedure of Benjamini and Hochberg
rejects with anytime-valid p-values; the arm pulled is the one outside of them with the highest upper limit. The rule
goes on for ever: the paper asks how many pulls it takes until most arms above the bar are found, and simulations end
when all are. Formulas and constants were read in a public implementation, not in the paper.
"""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.confidence.trial import (
    JJ_FDR,
    OUTPUTS,
    PULLS,
    STEP,
    TURN,
    Demand,
    Rows,
    Trial,
    gap_of,
    output,
    part,
)


@njit(cache=True)
def discovery_radius(count: float, sigma: float, delta: float) -> float:
    r"""Return half the width of the intervals, valid for all n at once.

    .. math:: \phi(n, \delta) = \sigma \sqrt{\frac{2 \log \frac1\delta + 6 \log\log \frac1\delta
              + 3 \log\log \frac{e n}{2}}{n}}

    :cite:p:`jamieson2018`, section 4 (experiments), there for :math:`\sigma = 1`. Where δ is so close to 1 that the
    numerator is negative it is taken for 0.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    sigma : float
        :math:`\sigma > 0`, sub-Gaussian.
    delta : float
        δ in (0, 1).
    """
    level = math.log(1.0 / delta)
    square = 2.0 * level + 6.0 * math.log(level) + 3.0 * math.log(1.0 + math.log(0.5 * count))
    return sigma * math.sqrt(max(square, 0.0) / count)


@njit(cache=True)
def corrected(delta: float) -> float:
    r"""Return :math:`\delta' = \delta / (6.4 \log(36/\delta))`, with which the share of false outputs is at most δ."""
    return delta / (6.4 * math.log(36.0 / delta))


@njit(cache=True)
def rank_of(gap: float, count: float, sigma: float, delta: float, n_arms: int) -> int:
    r"""Return the least k at which the lower limit :math:`\hat\mu - \phi(n, \delta' k / K)` clears the bar.

    K + 1 if there is none. It is the anytime-valid p-value of the arm, rounded up to the next of the levels that
    Benjamini and Hochberg compare it with.
    """
    if gap <= 0.0 or gap < discovery_radius(count, sigma, delta):
        return n_arms + 1
    low, high = 0, n_arms
    while high - low > 1:
        middle = (low + high) // 2
        if gap >= discovery_radius(count, sigma, delta * middle / n_arms):
            high = middle
        else:
            low = middle
    return high


@njit(cache=True)
def family_level(n_arms: int, discovered: int, delta: float) -> float:
    r"""Return by how much δ is divided for an output that is false with probability at most δ in all.

    .. math:: \chi = K - (1 - 2 \delta' (1 + 4 \delta')) |S|
              + \tfrac43 (1 + 4 \delta') \log \frac{5 \log_2(K/\delta')}{\delta'}

    :cite:p:`jamieson2018`, Algorithm 1 (FWER), with δ' in place of δ as in the public implementation.
    """
    corrections = 1.0 + 4.0 * delta
    return (
        n_arms
        - (1.0 - 2.0 * delta * corrections) * discovered
        + 4.0 / 3.0 * corrections * math.log(5.0 * math.log2(n_arms / delta) / delta)
    )


@njit(cache=True)
def discovery_level(delta: float, discovered: int, is_inside: bool, for_all: bool) -> float:
    r"""Return by how much δ is divided in the limits by which arms are pulled.

    1 if a share of the arms above the bar is to be found; if all of them are (the paper's FWPD), outside of S and
    inside

    .. math:: \xi = \max\Big(2 |S|, \frac{5}{3 (1 - 4\delta)} \log \frac1\delta\Big), \qquad \nu = \max(|S|, 1)
    """
    if not for_all:
        return 1.0
    if is_inside:
        return max(float(discovered), 1.0)
    return max(2.0 * discovered, 5.0 / (3.0 * (1.0 - 4.0 * delta)) * math.log(1.0 / delta))


@njit(cache=True, inline="always")
def is_discovered(trial: Trial, k: int) -> bool:
    """Return whether an arm is in the set S."""
    return bool(0 < trial.rows[k]["stage"] <= trial.clock[STEP])


@njit(cache=True, nogil=True)
def largest_step(rows: Rows) -> int:
    """Return the largest k such that at least k arms have a rank of at most k: where Benjamini and Hochberg stop."""
    for k in range(rows.size, 0, -1):
        at_most = 0
        for j in range(rows.size):
            if 0 < rows[j]["stage"] <= k:
                at_most += 1
        if at_most >= k:
            return k
    return 0


@part
def settle_discovery(demand: Demand, trial: Trial, k: int) -> bool:
    """Bring the set S up to date after a pull, output what is to be output; return whether all arms are."""
    n_arms, delta = trial.rows.size, corrected(demand.delta)
    rank = rank_of(gap_of(trial, k), float(trial.rows[k]["count"]), trial.rows[k]["sigma"], delta, n_arms)
    moved = rank != trial.rows[k]["stage"]
    trial.rows[k]["stage"] = rank
    if moved:
        trial.clock[STEP] = largest_step(trial.rows)
    discovered, waiting = 0, 0
    for j in range(n_arms):
        if is_discovered(trial, j):
            discovered += 1
    if demand.code == JJ_FDR:
        _output_all(trial)
    else:
        waiting = _output_sure(demand, trial, discovered, delta)
    for j in range(n_arms):
        if (moved or j == k) and trial.rows[j]["count"] > 0:
            trial.rows[j]["kept"] = _score(demand, trial, j, discovered)
    is_first = trial.clock[TURN] == 0 and trial.clock[PULLS] > n_arms
    trial.clock[TURN] = 1 if is_first and waiting > 0 else 0
    return bool(trial.clock[OUTPUTS] == n_arms)


@part
def _output_all(trial: Trial) -> None:
    """Output every arm of S."""
    for j in range(trial.rows.size):
        if trial.rows[j]["verdict"] == 0 and is_discovered(trial, j):
            output(trial, j)


@part
def _output_sure(demand: Demand, trial: Trial, discovered: int, delta: float) -> int:
    """Output the arms of S that clear the bar at the level of the whole family; return how many of S are left."""
    level, waiting = family_level(trial.rows.size, discovered, delta), 0
    for j in range(trial.rows.size):
        if trial.rows[j]["verdict"] == 0 and is_discovered(trial, j):
            if gap_of(trial, j) >= discovery_radius(
                float(trial.rows[j]["count"]), trial.rows[j]["sigma"], demand.delta / level
            ):
                output(trial, j)
            else:
                waiting += 1
    return waiting


@part
def _score(demand: Demand, trial: Trial, j: int, discovered: int) -> float:
    """Return the upper limit by which an arm is pulled."""
    level = discovery_level(demand.delta, discovered, is_discovered(trial, j), demand.first == 1.0)
    return gap_of(trial, j) + discovery_radius(
        float(trial.rows[j]["count"]), trial.rows[j]["sigma"], demand.delta / level
    )


@part
def next_to_discover(trial: Trial) -> int:
    """Return the arm of highest score outside of S; on the other turn, in S but not output (ties: lowest arm).

    Where there is no such arm, one of the others.
    """
    best, other = -1, -1
    for j in range(trial.rows.size):
        if trial.rows[j]["verdict"] == 0:
            if is_discovered(trial, j) == (trial.clock[TURN] == 1):
                if best < 0 or trial.rows[j]["kept"] > trial.rows[best]["kept"]:
                    best = j
            elif other < 0 or trial.rows[j]["kept"] > trial.rows[other]["kept"]:
                other = j
    return best if best >= 0 else other
