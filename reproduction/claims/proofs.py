"""Claims on steps of the proofs and on the sum of gaps (appendices D and E, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from reproduction.proof_steps import exponential_sum_tail, mistake_tail, reaching_tail, uniform_deviation
from thresher.policy.index import INDICES
from thresher.research.papers.claims.bounds import ONE_PULL_EACH
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import Grid
from thresher.research.theory.upper_bound import (
    apt,
    apt_corollary_1,
    far_exponent,
    sum_of_gaps,
    sum_of_gaps_corollary_3,
)
from thresher.types import Floats

LINEAR_GAPS: Floats = np.arange(1, 51) / 50.0


@claim(
    "root-form",
    ClaimVerdict.CONDITION,
    place="Appendix D, the remark after the lemma on Στ",
    says="For APT the sharper form of the deviation leads to the same final bound.",
    why="It leads to the same exponent. The bound itself is smaller, because another level is then the best one.",
    evidence="thresher.research.theory.upper_bound.apt",
)
def _root_form(_: Grid) -> Finding:
    complexity = float((LINEAR_GAPS**-2.0).sum())
    ratio = (
        apt(LINEAR_GAPS, budget=40.0 * complexity).value / apt_corollary_1(LINEAR_GAPS, budget=40.0 * complexity).value
    )
    same = abs(far_exponent(apt, LINEAR_GAPS) / far_exponent(apt_corollary_1, LINEAR_GAPS) - 1.0) < 0.01
    return found(
        f"at T = 40 H it is {ratio:.3f} times Corollary 1",
        holds=abs(ratio - 1.0) < 1e-3,
        if_conditioned=same and ratio < 1.0,
    )


@claim(
    "reaching-tail",
    ClaimVerdict.CONDITION,
    place="Appendix D, the theorem on τ_k(C)",
    says="The square root of the pulls after which an arm reaches a level exceeds √t + x with probability at most "
    "exp(−Δ²x²).",
    why="It holds for τ − 1 instead of τ, because pulls are integers and at least one. For τ it fails at every level "
    "that is reached at t < 1.",
    evidence="reproduction.proof_steps.reaching_tail",
)
def _reaching_tail(_: Grid) -> Finding:
    rng, gap, worst = np.random.default_rng(11), 0.5, 0.0
    paths = _evidence(rng, gap, runs=2000, pulls=400)
    pulls = np.arange(1.0, 401.0)
    indices = paths + np.log(pulls)
    for level in (2.0, 4.0, 6.0):
        reached = indices >= level
        needed = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, 400.0)
        time = _solve(partial(_lsa_excess, gap=gap, level=level))
        for excess in (0.5, 1.0, 2.0, 3.0):
            seen = float((np.sqrt(needed - 1.0) > math.sqrt(time) + excess).mean())
            worst = max(worst, seen - reaching_tail(excess, gap=gap))
    # t = 0.01 and x = 0.5: the first pull comes at √τ = 1 > 0.6 for sure.
    printed = reaching_tail(0.5, gap=gap)
    numbers = (
        f"with τ − 1 no frequency exceeds the bound by more than {worst:.3f}; with τ, t = 0.01 and x = ½ it is "
        f"certain where the bound says {printed:.2f}"
    )
    return found(numbers, holds=printed >= 1.0, if_conditioned=worst <= 0.01)


@claim(
    "exponential-sums",
    ClaimVerdict.HOLDS,
    place="Appendix D, the lemma on sums of exponential tails",
    says="A sum of variables with tails exp(−a_k x) exceeds λ Σ1/a_k with probability at most exp(1 − λ).",
    why="For equal rates the exact tail of the sum, a Gamma variable, lies below it.",
    evidence="reproduction.proof_steps.exponential_sum_tail",
)
def _exponential_sums(_: Grid) -> Finding:
    from scipy.special import gammaincc

    worst = 0.0
    for terms in (1, 2, 5, 50):
        for excess in (0.5, 1.0, 1.5, 2.0, 4.0):
            bound = exponential_sum_tail(excess * terms, rates=np.ones(terms))
            worst = max(worst, float(gammaincc(terms, excess * terms)) / bound)
    return found(f"largest ratio of the exact tail to the bound: {worst:.3f}", holds=worst <= 1.0)


@claim(
    "uniform-deviation",
    ClaimVerdict.FAILS,
    place="Appendix D, the lemma before the three facts",
    says="With probability 1 − δ, √n(μ̂ − μ) ≤ √log(T/δ) at all of the first T pulls.",
    why="The division by √(2σ²) is missing: for σ = 1 one pull is a counter-example. With the division it holds.",
    evidence="reproduction.proof_steps.uniform_deviation",
)
def _uniform_deviation(_: Grid) -> Finding:
    from scipy.special import ndtr

    chance = 0.01
    edge = uniform_deviation(budget=1.0, chance=chance)
    printed, divided = float(ndtr(-edge)), float(ndtr(-edge * math.sqrt(2.0)))
    numbers = f"T = 1, σ = 1, δ = {chance}: exceeded with probability {printed:.4f}; with the division {divided:.4f}"
    return found(numbers, holds=printed <= chance or divided > chance)


@claim(
    "mistakes-at-high-index",
    ClaimVerdict.HOLDS,
    place="Appendix D, the theorem on mistakes",
    says="The probability that an arm is ever on the wrong side with an index of C or more is at most T exp(−t(C)Δ²).",
    why="No frequency in simulations of LSA's index exceeds it.",
    evidence="reproduction.proof_steps.mistake_tail",
)
def _mistakes_at_high_index(_: Grid) -> Finding:
    rng, gap, budget = np.random.default_rng(13), 0.7, 20
    sums = np.cumsum(rng.normal(gap * math.sqrt(2.0), 1.0, (20000, budget)), axis=1)
    pulls = np.arange(1.0, budget + 1.0)
    indices, wrong = sums**2 / (2.0 * pulls) + np.log(pulls), sums < 0.0
    parts, worst = [], 0.0
    for level in (5.0, 6.0, 7.0):
        time = _solve(partial(_lsa_excess, gap=gap, level=level))
        bound = mistake_tail(time, gap=gap, budget=budget)
        seen = float((wrong & (indices >= level)).any(axis=1).mean())
        worst = max(worst, seen / bound)
        parts.append(f"C = {level:g}: {seen:.4f} ≤ {bound:.2g}")
    return found("; ".join(parts), holds=worst <= 1.0)


def _evidence(rng: np.random.Generator, gap: float, *, runs: int, pulls: int) -> Floats:
    sums = np.cumsum(rng.normal(gap * math.sqrt(2.0), 1.0, (runs, pulls)), axis=1)
    return np.asarray(sums**2 / (2.0 * np.arange(1.0, pulls + 1.0)))


def _lsa_excess(time: float, *, gap: float, level: float) -> float:
    return INDICES["lsa"](time, time * gap**2, 1.0) - level


def _solve(function: Callable[[float], float]) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, 1e-9, 1e9))


@claim(
    "gaps-index",
    ClaimVerdict.HOLDS,
    place="Section 3.3 and appendix E",
    says="For the sum of misjudged gaps the derivation gives x − (3/2) log x + (3/2) log n, constant below x = 3/2.",
    why="It is minus the logarithm of the gradient of Σ Δ exp(−NΔ²), which is Δ³ exp(−NΔ²); its minimum is at 3/2.",
    evidence="thresher.policy.index.fwt_gaps.fwt_gaps_formula",
)
def _gaps_index(_: Grid) -> Finding:
    worst = 0.0
    for n in (1.0, 7.0, 300.0):
        for x in (1.5, 2.0, 9.0):
            worst = max(worst, abs(INDICES["fwt-gaps"](n, x, 1.0) + math.log((x / n) ** 1.5 * math.exp(-x))))
        worst = max(worst, abs(INDICES["fwt-gaps"](n, 0.2, 1.0) - INDICES["fwt-gaps"](n, 1.5, 1.0)))
    return found(f"largest difference: {worst:.1e}", holds=worst < 1e-9)


@claim(
    "gaps-idle-time",
    ClaimVerdict.FAILS,
    place="Appendix E, the displays with (3/2)Δ_j e^(2C/3 − 1)",
    says="In the index for the sum of gaps an arm without evidence reaches a level C after (3/2)Δ_j e^(2C/3 − 1) "
    "pulls.",
    why="The number is (3/2) e^(2C/3 − 1): the index does not depend on the weight, so the factor Δ_j is wrong.",
    evidence="thresher.research.theory.upper_bound.sum_of_gaps",
)
def _gaps_idle_time(_: Grid) -> Finding:
    level, gap = 5.0, 0.3
    idle = 1.5 * math.exp(2.0 * level / 3.0 - 1.0)
    at, printed = INDICES["fwt-gaps"](idle, 0.0, 1.0), INDICES["fwt-gaps"](gap * idle, 0.0, 1.0)
    return found(
        f"index {printed:.3f} instead of {level:g} for Δ = {gap}; without the factor {at:.3f}",
        holds=abs(printed - level) < 1e-9,
    )


@claim(
    "corollary-3",
    ClaimVerdict.CONDITION,
    place="Corollary 3",
    says="For large budgets the sum of misjudged gaps is at most 2√(eT) times a sum with a quarter of the oracle's "
    "exponent.",
    why="If its condition holds, it is never below the bound for every budget, from which it follows; like Theorem 2, "
    "it needs one pull per arm more. Its exponent is T/(4H).",
    evidence="thresher.research.theory.upper_bound.sum_of_gaps_corollary_3",
)
def _corollary_3(_: Grid) -> Finding:
    complexity, excess = float((LINEAR_GAPS**-2.0).sum()), []
    for factor in (20.0, 40.0, 80.0, 160.0):
        bound = sum_of_gaps_corollary_3(LINEAR_GAPS, budget=factor * complexity)
        if bound.applies:
            excess.append(bound.log_value - sum_of_gaps(LINEAR_GAPS, budget=factor * complexity, form="half").log_value)
    exponent = far_exponent(sum_of_gaps_corollary_3, LINEAR_GAPS)
    numbers = (
        f"it applies in {len(excess)} of 4 cases, log of the ratio at least {min(excess):.1e}; exponent "
        f"{exponent:.4f} T/H"
    )
    follows = min(excess) >= -1e-6 and abs(exponent - 0.25) < 1e-3
    room = sum_of_gaps_corollary_3(ONE_PULL_EACH, budget=ONE_PULL_EACH.size).value > 0.07
    return found(numbers, holds=follows and room, if_conditioned=follows)
