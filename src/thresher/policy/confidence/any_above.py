"""Is any arm above the bar? Output one that is, or say that there is none: when to stop.

An arm is output when its own evidence suffices; "none" when that of every arm does, all of them on the lower side.
"""

from __future__ import annotations

import math

from thresher.index.evidence import squared_evidence
from thresher.jit import njit
from thresher.policy.confidence.trial import MURPHY, PULLS, Demand, Trial, output, part


@njit(cache=True)
def mixture_level(count: float, alpha: float, rho: float) -> float:
    r"""Return the evidence that a mean on the bar reaches at any time with probability at most α.

    .. math:: \frac{n + \rho}{2n} \log \frac{n + \rho}{\rho \alpha^2}

    The two-sided normal mixture :cite:p:`robbins1970`: the same boundary as that of
    :func:`thresher.policy.intervals.gaussian_radius`, as evidence :math:`n r^2 / (2\sigma^2)`.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    alpha, rho : float
        α in (0, 1), and the pseudo-samples ρ > 0 of the mixture.
    """
    return 0.5 * (count + rho) / count * math.log((count + rho) / (rho * alpha * alpha))


@njit(cache=True)
def track_level(pulls: float, delta: float, log_c: float) -> float:
    r"""Return the evidence at which sticky Track-and-Stop stops, :math:`\log(C t^2 / \delta)` after t pulls.

    :cite:p:`degenne2019`, Theorem 10, where C is only said to be large enough; read in a public reproduction. Here one
    arm alone decides whether an answer is wrong. Its n-th pull is pull n + K - 1 or a later one, and its evidence is
    that large on the wrong side with probability at most :math:`\delta / (C t^2)`: summed over n and K arms
    :math:`\frac{\delta}{C} K \sum_{t \ge K} t^{-2} \le 2 \delta / C`, so that any :math:`C \ge 2` will do, whatever
    the means (ours).
    """
    return log_c + 2.0 * math.log(pulls) - math.log(delta)


@njit(cache=True, inline="always")
def evidence_at(trial: Trial, k: int) -> float:
    """Return the evidence of one arm about its side."""
    sigma = trial.rows[k]["sigma"]
    return squared_evidence(float(trial.rows[k]["count"]), trial.rows[k]["total"], 0.0, 0.5 / (sigma * sigma))


@njit(cache=True, inline="always")
def level_at(demand: Demand, trial: Trial, k: int) -> float:
    """Return how much evidence of an arm is enough."""
    if demand.code == MURPHY:
        return mixture_level(float(trial.rows[k]["count"]), demand.delta / trial.rows.size, demand.second)
    return track_level(float(trial.clock[PULLS]), demand.delta, demand.first)


@part
def settle_answer(demand: Demand, trial: Trial, k: int) -> bool:
    """Answer if what was seen is enough after a pull of arm k; return whether it was."""
    if trial.rows[k]["total"] > 0.0:  # the others have shown nothing new
        if evidence_at(trial, k) > level_at(demand, trial, k):
            output(trial, k)
            return True
        return False
    n_arms = trial.rows.size
    if trial.clock[PULLS] < n_arms:
        return False
    for j in range(n_arms):
        if trial.rows[j]["total"] > 0.0 or evidence_at(trial, j) <= level_at(demand, trial, j):
            return False
    for j in range(n_arms):
        trial.rows[j]["verdict"] = -1
    return True
