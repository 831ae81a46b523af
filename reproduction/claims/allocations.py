"""Claims on allocations that are fixed beforehand: Hoeffding's bound, the exponents, which arms the oracle gives up."""

from __future__ import annotations

import math

import numpy as np

from thresher.problem import named
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import BUDGETS, Grid
from thresher.research.theory.error_rates import bernoulli_error_rates, gaussian_error_rates
from thresher.research.theory.lower_bounds import lower_bound
from thresher.research.theory.oracle_allocation import oracle

SLACK = 1e-9


@claim(
    "hoeffding",
    ClaimVerdict.HOLDS,
    place="Section 2.1, Eq. (4)",
    says="An arm with a gap Δ that is sampled N times, with N fixed in advance, is misjudged with probability at "
    "most exp(−NΔ²).",
    why="Exact error rates of Gaussian and of 0/1 outcomes (σ = ½) lie below it at every gap and number tried.",
    evidence="thresher.research.theory.error_rates.gaussian_error_rates",
)
def _hoeffding(_: Grid) -> Finding:
    counts, gaps = np.arange(1, 201)[:, None], np.geomspace(0.01, 0.7, 40)
    bound = np.exp(-counts * gaps**2)
    gaussian = gaussian_error_rates(counts, gaps) / bound
    binary = bernoulli_error_rates(counts, 0.5 - gaps / math.sqrt(2.0), 0.5) / bound
    worst = max(float(gaussian.max()), float(binary.max()))
    return found(f"largest ratio of the error rate to the bound: {worst:.3f}", holds=worst <= 1.0)


@claim(
    "uniform-decay",
    ClaimVerdict.HOLDS,
    place="Section 1",
    says="The loss of uniform sampling decays exponentially, with an exponent far from the best one.",
    why="Its exponent is the least Δ² over K, the oracle's 1/H with H the sum of 1/Δ².",
    evidence="thresher.research.theory.exponents.proved_exponents",
)
def _uniform_decay(_: Grid) -> Finding:
    ratios = {}
    for name in ("linear", "quadratic"):
        gaps = named(name).gaps
        ratios[name] = float(gaps.size / (gaps.min() ** 2 * (gaps**-2.0).sum()))
    numbers = ", ".join(
        f"{name}: the oracle's exponent is {ratio:.1f} times as large" for name, ratio in ratios.items()
    )
    return found(numbers, holds=min(ratios.values()) > 5.0)


@claim(
    "oracle-exponent",
    ClaimVerdict.HOLDS,
    place="Section 1",
    says="The oracle's loss has an exponent per sample of at least 1/H, with H the sum of 1/Δ².",
    why="The slope of its bound at large budgets is 1/H.",
    evidence="thresher.research.theory.oracle_allocation.oracle",
)
def _oracle_exponent(_: Grid) -> Finding:
    gaps = named("linear").gaps
    complexity = float((gaps**-2.0).sum())
    near, far = 50.0 * complexity, 60.0 * complexity
    slope = math.log(oracle(gaps, budget=near).bound / oracle(gaps, budget=far).bound) / (far - near)
    return found(f"slope times H: {slope * complexity:.6f}", holds=abs(slope * complexity - 1.0) < 1e-6)


@claim(
    "oracle-first-arm",
    ClaimVerdict.HOLDS,
    place="Appendix B, last line",
    says="Which arms the oracle gives up follows from comparing the budget with numbers H_k, one for each arm.",
    why="The rule gives the same arms as the solver at every budget that was checked.",
    evidence="thresher.research.theory.oracle_allocation.oracle",
)
def _oracle_first_arm(_: Grid) -> Finding:
    gaps = np.sort(named("quadratic").gaps)
    inverse, weights = gaps**-2.0, np.log(gaps**2)
    needs = np.array([(inverse[k + 1 :] * (weights[k + 1 :] - weights[k])).sum() for k in range(gaps.size)])
    given_up = [
        (int(np.argmax(needs < budget)), int((~oracle(gaps, budget=budget).sampled).sum())) for budget in BUDGETS
    ]
    return found(
        f"arms given up, rule and solver: {given_up[0]} … {given_up[-1]}", holds=all(a == b for a, b in given_up)
    )


@claim(
    "oracle-like-lower-bound",
    ClaimVerdict.HOLDS,
    place="Section 2.1",
    says="The oracle's bound has the form of the lower bound, with 1 instead of 4 in the exponent.",
    why="A quarter of the oracle's bound at twice the gaps is the lower bound.",
    evidence="thresher.research.theory.lower_bounds.lower_bound",
)
def _oracle_like_lower_bound(_: Grid) -> Finding:
    gaps = named("quadratic").gaps
    ratios = [lower_bound(gaps, budget=budget) / (0.25 * oracle(2.0 * gaps, budget=budget).bound) for budget in BUDGETS]
    worst = max(abs(ratio - 1.0) for ratio in ratios)
    return found(f"largest relative difference: {worst:.1e}", holds=worst < SLACK)
