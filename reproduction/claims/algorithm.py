"""Claims on index policies themselves: Assumption 1, the recipe, the two lemmas on times (section 3, appendix C)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.errors import InvalidIndexError
from thresher.policy import Stop, find_policy
from thresher.policy.index import INDICES
from thresher.policy.index.assumption import check_assumption
from thresher.problem import named
from thresher.research.engine.reference import play
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import Grid
from thresher.types import Floats, Ints

FAMILY = ("apt", "lsa", "fwt")


@claim(
    "assumption-1",
    ClaimVerdict.HOLDS,
    place="Section 3, Assumption 1",
    says="APT, LSA and FWT have indices that do not decrease in pulls and evidence, and grow without bound.",
    why="Checked on a grid of pulls, evidence and costs; it holds for FWT's other forms too.",
    evidence="thresher.policy.index.assumption.check_assumption",
)
def _assumption_1(_: Grid) -> Finding:
    for name in (*FAMILY, "fwt-sqrt", "fwt-gaps"):
        check_assumption(name, INDICES[name])
    return found("no counter-example for apt, lsa, fwt, fwt-sqrt, fwt-gaps", holds=True)


@claim(
    "plain-index",
    ClaimVerdict.HOLDS,
    place="Section 3.1",
    says="The first index of the derivation, x − log x + log n, decreases for evidence below 1 and violates "
    "Assumption 1.",
    why="The check of the assumption finds a counter-example.",
    evidence="thresher.policy.index.assumption.check_assumption",
)
def _plain_index(_: Grid) -> Finding:
    try:
        check_assumption("plain", lambda n, x, a: x - math.log(max(x, 1e-300)) + math.log(n / a))
    except InvalidIndexError as error:
        return found(str(error), holds=True)
    return found("no counter-example", holds=False)


@claim(
    "recipe",
    ClaimVerdict.HOLDS,
    place="Section 3.1",
    says="FWT's index is minus the logarithm of the estimated gradient of the oracle's bound, wherever the evidence "
    "is at least 1.",
    why="The two agree at every point tried.",
    evidence="thresher.policy.index.fwt.fwt_formula",
)
def _recipe(_: Grid) -> Finding:
    worst = 0.0
    for n in (1.0, 3.0, 40.0, 1000.0):
        for x in (1.0, 1.5, 4.0, 30.0):
            for a in (0.3, 1.0, 7.0):
                gradient = a * (x / n) * math.exp(-x)
                worst = max(worst, abs(INDICES["fwt"](n, x, a) + math.log(gradient)))
    return found(f"largest difference: {worst:.1e}", holds=worst < 1e-9)


@claim(
    "recovers-apt",
    ClaimVerdict.CONDITION,
    place="Section 3.1, 'Recovering APT'",
    says="With the maximum of exp(−NΔ²) as the bound, the derivation gives the sampling rule of APT.",
    why="For the loss 'any mistake', which that maximum bounds; the text names the sum of costs. The "
    "recommendation at t_max differs from APT's own.",
    evidence="thresher.policy.index.apt.apt_formula",
)
def _recovers_apt(_: Grid) -> Finding:
    rng, agree, is_bound_of_sum = np.random.default_rng(3), True, True
    for _trial in range(200):
        counts, gaps = rng.integers(1, 30, 6).astype(float), rng.uniform(0.1, 1.0, 6)
        errors = np.exp(-counts * gaps**2)
        lowered = [np.exp(-(counts + np.eye(6)[k] * 1e-6) * gaps**2).max() < errors.max() for k in range(6)]
        indices = [INDICES["apt"](n, n * gap**2, 1.0) for n, gap in zip(counts, gaps, strict=True)]
        agree &= int(np.argmax(lowered)) == int(np.argmin(indices)) and sum(lowered) == 1
        is_bound_of_sum &= bool(errors.sum() <= errors.max())
    numbers = (
        "200 random states: only a pull of APT's arm lowers the bound; the bound is below the sum of the errors in "
        "all of them"
    )
    return found(numbers, holds=agree and is_bound_of_sum, if_conditioned=agree)


@claim(
    "one-arm-after-peak",
    ClaimVerdict.HOLDS,
    place="Section 3 and appendix C, last lemma",
    says="Between t_max and the end at most one arm is pulled.",
    why="True in every run of the reference loop that was checked.",
    evidence="thresher.research.engine.reference.play",
)
def _one_arm_after_peak(_: Grid) -> Finding:
    problem, most, later = named("linear:K=8"), 0, 0
    for name in FAMILY:
        for run in range(20):
            budget = 40.0 + 3 * run
            rule = find_policy(name).bind(problem, Stop(budget))
            end, peak = (play(rule, problem, budget=budget, at_peak=peak, seed=5, run=run) for peak in (False, True))
            moved = int((end.state.counts != peak.state.counts).sum())
            most, later = max(most, moved), later + (moved > 0)
    return found(f"of 60 runs {later} go on after t_max, with at most {most} arm", holds=most == 1)


@dataclass(frozen=True, eq=False)
class _Walk:
    """The index of each arm after each of its pulls, shape (K, T), and the least of all after each pull."""

    indices: Floats
    least: Floats


def _walk(name: str, outcomes: Floats) -> _Walk:
    """Return what Algorithm 1 does with given outcomes of unit variance, every arm pulled once first."""
    n_arms, budget = outcomes.shape
    counts: Ints = np.ones(n_arms, dtype=np.int64)
    pulls, sums = np.arange(1.0, budget + 1.0), np.cumsum(outcomes, axis=1)
    indices = np.array(
        [[INDICES[name](n, s * s / (2.0 * n), 1.0) for n, s in zip(pulls, row, strict=True)] for row in sums]
    )
    least = np.full(budget + 1, -np.inf)
    for t in range(n_arms, budget + 1):
        now = indices[np.arange(n_arms), counts - 1]
        least[t] = now.min()
        counts[int(np.argmin(now))] += 1
    return _Walk(indices, least)


@claim(
    "all-reach-a-level",
    ClaimVerdict.HOLDS,
    place="Appendix C, the lemma on F_C",
    says="Within T pulls all indices are at least C at the same time if and only if the pulls that each arm needs "
    "by itself to reach C sum to at most T.",
    why="Checked run by run, for every budget and many levels, with a separate loop.",
    evidence="thresher.research.engine.reference.play",
)
def _all_reach_a_level(_: Grid) -> Finding:
    rng, checked, wrong = np.random.default_rng(7), 0, 0
    means = np.array([0.2, -0.4, 0.8, -1.2])
    for name in FAMILY:
        for _run in range(10):
            walk = _walk(name, rng.normal(means[:, None], 1.0, (4, 80)))
            highest = np.maximum.accumulate(walk.least)
            for level in np.linspace(0.0, 6.0, 25):
                reached = walk.indices >= level
                needed = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf).sum()
                budgets = np.arange(4, 81)
                wrong += int(((highest[4:] >= level) != (needed <= budgets)).sum())
                checked += budgets.size
    return found(f"{checked} cases, {wrong} against it", holds=wrong == 0)
