"""From the code of a rule to its formulas, inside compiled code."""

from __future__ import annotations

from thresher.jit import njit
from thresher.policy.confidence.any_above import settle_answer
from thresher.policy.confidence.apt_g import apt_g_score
from thresher.policy.confidence.discoveries import next_to_discover, settle_discovery
from thresher.policy.confidence.good_arms import good_arm_radius, side_of
from thresher.policy.confidence.hdoc import hdoc_score
from thresher.policy.confidence.lucb_g import lucb_g_score
from thresher.policy.confidence.murphy import above_at
from thresher.policy.confidence.sticky_tas import next_to_track
from thresher.policy.confidence.trial import (
    APT_G,
    HDOC,
    LIL_HDOC,
    LUCB_G,
    MURPHY,
    PULLS,
    STEP,
    STICKY,
    Demand,
    Trial,
    gap_of,
    output,
    part,
)
from thresher.policy.confidence.warm_up import lil_radius


@njit(cache=True, inline="always")
def score_of(demand: Demand, gap: float, count: float, sigma: float, n_arms: float, pulls: float) -> float:
    """Return the score by which good arms are looked for; the open arm of highest score is pulled next."""
    if demand.code == LUCB_G:
        return lucb_g_score(gap, count, sigma, n_arms, demand.delta)
    if demand.code == APT_G:
        return apt_g_score(gap, count, sigma)
    return hdoc_score(gap, count, sigma, pulls)


@njit(cache=True, inline="always")
def radius_of(demand: Demand, count: float, sigma: float, n_arms: float) -> float:
    """Return half the width of the interval by which an arm is output or given up."""
    if demand.code == LIL_HDOC:
        return lil_radius(count, sigma, n_arms, demand.delta, demand.first)
    return good_arm_radius(count, sigma, n_arms, demand.delta)


@part
def next_good_arm(demand: Demand, trial: Trial) -> int:
    """Return the open arm of highest score (ties: lowest arm)."""
    n_arms, pulls = trial.rows.size, float(trial.clock[PULLS])
    moves = demand.code in (HDOC, LIL_HDOC)  # their scores change with time, the others' with a pull of the arm
    best, highest = -1, 0.0
    for k in range(n_arms):
        if trial.rows[k]["verdict"] == 0:
            score = trial.rows[k]["kept"]
            if moves:
                score = hdoc_score(gap_of(trial, k), float(trial.rows[k]["count"]), trial.rows[k]["sigma"], pulls)
            if best < 0 or score > highest:
                best, highest = k, score
    return best


@part
def settle_good_arm(demand: Demand, trial: Trial, k: int) -> bool:
    """Output the arm just pulled, or give it up, if its interval says so; return whether no arm is left."""
    n_arms, count, gap = trial.rows.size, float(trial.rows[k]["count"]), gap_of(trial, k)
    if count < demand.rounds:
        return False
    side = side_of(gap, radius_of(demand, count, trial.rows[k]["sigma"], float(n_arms)))
    if side > 0:
        output(trial, k)
    elif side < 0:
        trial.rows[k]["verdict"] = -1
    else:
        trial.rows[k]["kept"] = score_of(
            demand, gap, count, trial.rows[k]["sigma"], float(n_arms), float(trial.clock[PULLS])
        )
        return False
    trial.clock[STEP] += 1  # arms that are done with
    return bool(trial.clock[STEP] == n_arms)


@part
def choose(demand: Demand, trial: Trial) -> int:
    """Return the arm that a rule pulls next; Murphy sampling needs random numbers, and is the engine's."""
    if demand.code <= LIL_HDOC:
        return next_good_arm(demand, trial)
    if demand.code == STICKY:
        return next_to_track(demand, trial)
    return next_to_discover(trial)


@part
def settle(demand: Demand, trial: Trial, k: int) -> bool:
    """Bring outputs and memory up to date after a pull of arm k; return whether the rule stops."""
    if demand.code <= LIL_HDOC:
        return settle_good_arm(demand, trial, k)
    if demand.code in (MURPHY, STICKY):
        if demand.code == MURPHY:
            trial.rows[k]["kept"] = above_at(demand, trial, k)
        return settle_answer(demand, trial, k)
    return settle_discovery(demand, trial, k)
