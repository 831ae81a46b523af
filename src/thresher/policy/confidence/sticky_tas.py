r"""Sticky Track-and-Stop: is any arm above the bar? Track the best proportions for an answer, and stick to the answer.

:cite:p:`degenne2019`, for the any-arm question with Gaussian arms (its Example 1, mirrored). The answers that cannot be
ruled out are those of the means near the empirical ones; of these the first in a fixed order (the order of the arms) is
aimed at, so that the aim does not wander between answers that are equally good. The paper was not read: the rule is
that of the notes of a public reproduction, whose stopping times it gives again (``thresher reproduce degenne2019``).
"""

from __future__ import annotations

import math

from thresher.errors import InvalidProblemError
from thresher.jit import njit
from thresher.policy.confidence.any_above import evidence_at
from thresher.policy.confidence.policy import ANY_MISTAKE, ConfidencePolicy
from thresher.policy.confidence.trial import PULLS, STICKY, Demand, Trial, gap_of, part


@njit(cache=True, inline="always")
def _weight(trial: Trial, k: int) -> float:
    return float(trial.rows[k]["count"] / (trial.rows[k]["sigma"] * trial.rows[k]["sigma"]))


@njit(cache=True, nogil=True)
def distance_to_best(trial: Trial, a: int) -> float:
    r"""Return how far the means are from some of which arm `a` is the highest and above the bar.

    .. math:: \min_{x \ge \max(\hat g_a, 0)} \frac{n_a (x - \hat g_a)^2}{2 \sigma_a^2}
              + \sum_{i \ne a} \frac{n_i (\hat g_i - x)_+^2}{2 \sigma_i^2}

    with the gaps g. Its derivative is increasing and concave, so that Newton's method from the left end never passes
    the minimum and is there as soon as the arms that are higher stay the same.
    """
    n_arms, own = trial.rows.size, gap_of(trial, a)
    x = max(own, 0.0)
    while True:
        weight, pull, higher = _weight(trial, a), _weight(trial, a) * own, 0
        for i in range(n_arms):
            if i != a and gap_of(trial, i) > x:
                weight += _weight(trial, i)
                pull += _weight(trial, i) * gap_of(trial, i)
                higher += 1
        if higher == 0 or pull / weight <= x:
            break
        x = pull / weight
    distance = _weight(trial, a) * (x - own) ** 2
    for i in range(n_arms):
        if i != a and gap_of(trial, i) > x:
            distance += _weight(trial, i) * (gap_of(trial, i) - x) ** 2
    return 0.5 * distance


@part
def sticky_answer(demand: Demand, trial: Trial) -> int:
    r"""Return the first arm that is the highest mean, or has all means at or below the bar, within :math:`C_t`.

    :math:`C_t` are the means at a distance of at most :math:`\log C + 10 \log t` after t pulls. If means with none
    above the bar are among them, every arm is an answer there, and the first arm is it.
    """
    n_arms, radius = trial.rows.size, demand.first + 10.0 * math.log(float(trial.clock[PULLS]))
    below, best = 0.0, 0
    for k in range(n_arms):
        if trial.rows[k]["total"] > 0.0:
            below += evidence_at(trial, k)
        if gap_of(trial, k) > gap_of(trial, best):
            best = k
    if below < radius:
        return 0
    for a in range(best):
        if distance_to_best(trial, a) <= radius:
            return a
    return best


@njit(cache=True)
def forced_share(pulls: float, n_arms: float) -> float:
    r"""Return the least share of each arm, :math:`1/\sqrt{K^2 + t}`, where t is the number of the next pull."""
    return 1.0 / math.sqrt(n_arms * n_arms + pulls + 1.0)


@part
def aim(trial: Trial, k: int, answer: int) -> float:
    """Return the weight of an arm before it is scaled: all on the answer, or alike, or by 1/gap² if none is above."""
    if answer < 0:
        gap = gap_of(trial, k) / trial.rows[k]["sigma"]
        return float(1.0 / (gap * gap))
    if trial.rows[answer]["total"] > 0.0:
        return 1.0 if k == answer else 0.0
    return 1.0


@njit(cache=True, nogil=True)
def shift_of(trial: Trial, answer: int, whole: float, least: float) -> float:
    """Return what is taken from every weight above the least share so that with the others raised to it they sum to 1.

    By Newton's method on a convex function from the left: as soon as no further weight falls to the least share it is
    there.
    """
    shift, before = 0.0, -1
    while True:
        above, total = 0, 0.0
        for k in range(trial.rows.size):
            weight = aim(trial, k, answer) / whole
            if weight - shift > least:
                above += 1
                total += weight
        if above == before or above == 0:
            return shift
        shift, before = (total + (trial.rows.size - above) * least - 1.0) / above, above


@part
def next_to_track(demand: Demand, trial: Trial) -> int:
    """Return the arm that is farthest behind the sum of the weights so far (C-tracking; ties: lowest arm)."""
    n_arms, is_any = trial.rows.size, False
    for k in range(n_arms):
        is_any = is_any or trial.rows[k]["total"] >= 0.0
    answer = sticky_answer(demand, trial) if is_any else -1
    whole = 0.0
    for k in range(n_arms):
        whole += aim(trial, k, answer)
    least = forced_share(float(trial.clock[PULLS]), float(n_arms))
    shift, next_arm = shift_of(trial, answer, whole, least), 0
    for k in range(n_arms):
        trial.rows[k]["kept"] += max(aim(trial, k, answer) / whole - shift, least)
        if (
            trial.rows[k]["kept"] - trial.rows[k]["count"]
            > trial.rows[next_arm]["kept"] - trial.rows[next_arm]["count"]
        ):
            next_arm = k
    return next_arm


def sticky_tas(log_c: float = 1.0) -> ConfidencePolicy:
    """Return the test whether any arm is above the bar that tracks the best shares for one answer and sticks to it.

    Parameters
    ----------
    log_c : float
        log C of the stopping level and of the neighbourhood, at least log 2: 1 in the reproduction.
    """
    if not log_c >= math.log(2.0):
        raise InvalidProblemError(f"log_c={log_c:g} of 'sticky-tas'", instead="give at least 0.7, so that C is 2")
    return ConfidencePolicy("sticky-tas", STICKY, ANY_MISTAKE, "degenne2019, Sticky Track-and-Stop", first=log_c)
