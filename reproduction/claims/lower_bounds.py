"""Claims on how often every algorithm must pull (section 2.2, appendix A)."""

from __future__ import annotations

import math

import numpy as np

from reproduction.proof_steps import confusion, four_models, largest_epsilon
from thresher.problem import Problem
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import PAPER, Experiment, Grid
from thresher.research.theory.exponential import least_exponential_sum
from thresher.research.theory.lower_bounds import least_pulls

N_NEAR, FAR_MEANS = 5, (1.0,) * 5
NEAR_BUDGETS = (100.0, 200.0, 400.0, 800.0)
EPSILON = largest_epsilon(budget=NEAR_BUDGETS[-1])
NEAR = Experiment(
    "near the bar",
    Problem.gaussian(four_models(FAR_MEANS, n_near=N_NEAR, epsilon=EPSILON).near_above, name="near the bar"),
    PAPER,
    NEAR_BUDGETS,
)


@claim(
    "pulls-lemma",
    ClaimVerdict.CONDITION,
    place="Section 2.2 and appendix A, the lemma on pulls",
    says="An algorithm that is nearly as good as the oracle pulls arms near the bar at least a stated number of times.",
    why="With other constants: the least sum is H exp(−(c₀T + H^log)/H), not H exp(−c₀(T + H^log)/H), and of two "
    "probabilities with sum ¼ one is at least ⅛, not ¼. The lemma gets 4 instead of 2 and 512 instead of 32.",
    evidence="thresher.research.theory.lower_bounds.least_pulls",
)
def _pulls_lemma(_: Grid) -> Finding:
    gaps, budget, exponent = np.array([0.3, 0.5, 0.7]), 400.0, 0.5
    inverse, ones = gaps**-2.0, np.ones(3)
    complexity, log_complexity = float(inverse.sum()), float((inverse * np.log(inverse)).sum())
    least = least_exponential_sum(exponent * gaps**2, ones, ones, budget=budget).log_least
    right = math.log(complexity) - (exponent * budget + log_complexity) / complexity
    printed = math.log(complexity) - exponent * (budget + log_complexity) / complexity
    share = confusion(near_pulls=budget, epsilon=largest_epsilon(budget=budget)) / 2.0
    numbers = (
        f"log of the least sum {least:.3f}: corrected {right:.3f}, printed {printed:.3f}; one probability is at least "
        f"{share:.3f}"
    )
    holds_corrected = abs(least - right) < 1e-9 and abs(share - 0.125) < 1e-12
    return found(numbers, holds=abs(least - printed) < 1e-9, if_conditioned=holds_corrected)


@claim(
    "near-arms-linearly",
    ClaimVerdict.HOLDS,
    place="Section 2.2, last sentence",
    says="An algorithm whose loss is close to the oracle's pulls the arms near the bar in proportion to the budget.",
    why="With five arms too close to the bar for 800 pulls and five at ±1, each doubling of the budget at least "
    "doubles the pulls of the close arms.",
    evidence="reproduction.proof_steps.four_models",
)
def _near_arms_linearly(grid: Grid) -> Finding:
    result = grid.result(NEAR)
    growth, parts = math.inf, []
    gap = EPSILON / math.sqrt(2.0)
    needed = least_pulls(np.array(FAR_MEANS) / math.sqrt(2.0), hard_arms=N_NEAR, hard_gap=gap, budget=NEAR_BUDGETS[-1])
    for policy in PAPER:
        pulls = result.pulls(policy)[:, :N_NEAR].sum(axis=1)
        growth = min(growth, float((pulls[1:] / pulls[:-1]).min()))
        parts.append(f"{policy} {', '.join(f'{pull:.0f}' for pull in pulls)}")
    numbers = (
        f"pulls of the five at T = 100, 200, 400, 800: {'; '.join(parts)} (the lemma asks for {needed:.1f} at 800)"
    )
    return found(numbers, holds=growth > 1.9)
