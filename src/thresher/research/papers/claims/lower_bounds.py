"""Claims on what every algorithm must lose and must pull (Theorem 1, section 2.1)."""

from __future__ import annotations

import math

import numpy as np

from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import BUDGETS, CONSTANT, LINEAR, PAPER, QUADRATIC, Grid
from thresher.research.theory import gaussian_error_rates, lower_bound


@claim(
    "theorem-1",
    ClaimVerdict.CONDITION,
    place="Theorem 1",
    says="For every algorithm there are signs of the means ±Δ_k for which its loss is at least a quarter of the "
    "oracle's sum with exp(−4NΔ²).",
    why="With the means θ ± √(2σ²)Δ_k, for which the divergence is 4Δ². With ±Δ_k as printed it is false for small "
    "σ. No policy beats it in any of our simulations.",
    evidence="thresher theory linear --budget 1000",
    figure="figure-2",
)
def _theorem_1(grid: Grid) -> Finding:
    least = math.inf
    for each in (LINEAR, QUADRATIC, CONSTANT):
        result = grid.result(each)
        bounds = np.array([lower_bound(result.problem.gaps, budget=budget) for budget in result.asked.budgets])
        # Few mistakes are seen where few are made: there a simulation says nothing about a bound.
        for policy in result.policies:
            means = result.losses(policy).mean(axis=0)
            least = min(least, float((means / bounds)[means * result.runs >= 50].min()))
    # One arm at ±0.5 with σ = 0.1, four samples: as printed its error would be at least a quarter of exp(−4·4·0.25).
    error, printed = float(gaussian_error_rates(4, 0.5 / math.sqrt(0.02))), 0.25 * math.exp(-4.0)
    numbers = (
        f"least measured loss over the bound: {least:.2f}; one arm at ±0.5, σ = 0.1, T = 4 errs with {error:.1e} "
        f"where ±Δ would promise {printed:.1e}"
    )
    return found(numbers, holds=least >= 1.0 and error >= printed, if_conditioned=least >= 1.0)


@claim(
    "all-arms-pulled",
    ClaimVerdict.HOLDS,
    place="Section 2.1 and appendix G",
    says="No sequential algorithm can give up the arms near the bar as the oracle does: all of them pull all arms.",
    why="The five arms nearest to the bar get more than an even share of the pulls, from each policy at each budget.",
    evidence="thresher reproduce figure-7 figure-8",
    figure="figure-8",
)
def _all_arms_pulled(grid: Grid) -> Finding:
    least = math.inf
    for each in (LINEAR, QUADRATIC):
        result = grid.result(each)
        for policy in PAPER:
            near = result.pulls(policy)[:, :5].mean(axis=1) / (np.array(BUDGETS) / result.problem.n_arms)
            least = min(least, float(near.min()))
    return found(
        f"the five nearest arms get at least {least:.2f} times an even share, at every budget", holds=least > 1.0
    )
