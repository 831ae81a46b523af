"""Mistakes of the stopping index and its rivals, against figures measured before this code was written.

Those figures come from another program with other random numbers: each comparison has the noise of both. `SLACK`
standard errors of the difference, and half a unit of the last printed digit, are allowed: a false alarm has a chance of
7e-6 for each figure, below 1e-3 for all of this module.
"""

import math

import numpy as np
import pytest

import thresher as th
from thresher.research.theory import adaptive_limit, bayes_limit, solve_boundary
from thresher.types import Floats

SLACK = 4.5
POLICIES = ["oracle", "apt", "lsa", "fwt", "fwt-sqrt", "stopping"]
RUNS_THERE = 3000

# Problem, budget, mistakes of the six policies above, adaptive limit; unit variance.
FIXED = [
    ("linear", 200, "10.40 8.42 7.81 9.14 7.40 7.36", "6.48"),
    ("linear", 1000, "4.07 4.25 2.28 3.13 2.21 2.19", "1.85"),
    ("linear", 2000, "2.29 2.99 1.21 1.75 1.18 1.15", "0.90"),
    ("quadratic", 500, "11.44 11.70 9.90 10.91 9.76 9.71", "8.64"),
    ("constant:K=50,gap=0.3", 1000, "4.49 3.69 1.54 3.56 1.52 1.35", "1.13"),
    ("constant:K=50,gap=0.3", 2000, "1.44 1.10 0.118 0.500 0.196 0.094", "0.037"),
    ("constant", 200, "7.87 3.30 3.89 7.21 3.20 2.74", "1.58"),
]
PROBLEMS = list(dict.fromkeys(problem for problem, *_ in FIXED))

RIVALS = ["stopping", "fwt-sqrt", "lsa"]
POPULATIONS_THERE = 4000
# Spread of the means, budget, mistakes of the three over the Bayes limit; 200 arms.
POPULATIONS = [
    (0.2, 400, "1.018 1.028 1.030"),
    (0.2, 1000, "1.012 1.022 1.032"),
    (0.2, 2000, "1.010 1.023 1.034"),
    (0.2, 5000, "1.013 1.029 1.037"),
    (0.2, 20000, "1.02 1.06 1.05"),
    (0.5, 400, "1.046 1.072 1.077"),
    (0.5, 1000, "1.025 1.041 1.070"),
    (0.5, 2000, "1.019 1.040 1.062"),
    (0.5, 5000, "1.021 1.039 1.054"),
    (0.5, 20000, "1.02 1.08 1.07"),
    (1.0, 400, "1.08 1.12 1.16"),
    (1.0, 1000, "1.04 1.06 1.10"),
    (1.0, 2000, "1.02 1.04 1.08"),
    (1.0, 5000, "1.02 1.05 1.06"),
    (1.0, 20000, "1.07 1.09 1.10"),
]


def half_a_digit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def demand(losses: Floats, printed: str, *, runs_there: int, where: object) -> None:
    there = float(printed)
    # Rare mistakes are nearly Poisson; their spread is not left to the few that this run met.
    spread = max(losses.std(), np.sqrt(there)) if there < 0.5 else losses.std()
    error = spread * np.sqrt(1.0 / losses.size + 1.0 / runs_there)
    assert abs(losses.mean() - there) < SLACK * error + half_a_digit(printed), (where, losses.mean())


def demand_fixed(problem: str, *, runs: int) -> None:
    rows = [row for row in FIXED if row[0] == problem]
    result = th.simulate(problem, POLICIES, budgets=[row[1] for row in rows], runs=runs, seed=2026)
    for b, (_, budget, known, _) in enumerate(rows):
        for policy, printed in zip(POLICIES, known.split(), strict=True):
            demand(result.losses(policy)[:, b], printed, runs_there=RUNS_THERE, where=(policy, budget))


def demand_population(spread: float, *, most: int, runs: int) -> None:
    rows = [row for row in POPULATIONS if row[0] == spread and row[1] <= most]
    problem = f"gaussian-population:K=200,tau={spread}"
    result = th.simulate(problem, RIVALS, budgets=[row[1] for row in rows], runs=runs, seed=2026)
    for b, (_, budget, known) in enumerate(rows):
        limit = bayes_limit(np.full(200, spread), budget=budget)
        for policy, printed in zip(RIVALS, known.split(), strict=True):
            losses = result.losses(policy)[:, b] / limit
            demand(losses, printed, runs_there=POPULATIONS_THERE, where=(policy, budget))


@pytest.mark.by_day("quadratic", "constant")
@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_policies_make_as_many_mistakes_as_they_did_there(problem: str) -> None:
    demand_fixed(problem, runs=3000)


@pytest.mark.parametrize(("problem", "budget", "limit"), [(row[0], row[1], row[3]) for row in FIXED])
def test_the_adaptive_limit_is_the_one_of_the_table(problem: str, budget: int, limit: str) -> None:
    gaps = th.Problem.named(problem).gaps
    assert adaptive_limit(gaps, budget=budget).loss == pytest.approx(float(limit), abs=half_a_digit(limit) + 1e-9)


@pytest.mark.parametrize("spread", [0.2, 0.5, 1.0])
def test_on_gaussian_populations_they_are_as_far_from_the_bayes_limit_as_there(spread: float) -> None:
    demand_population(spread, most=5000, runs=400)


def chick_and_frazier(s: float) -> float:
    """Return the approximation of :cite:p:`chick2012` to the boundary for a loss linear in the gap, s <= 40.

    Its first two pieces differ by 1.4 % where they meet, at s = 1.
    """
    if s <= 1.0:
        return 0.233 * s**2
    if s <= 3.0:
        return 0.00537 * s**4 - 0.06906 * s**3 + 0.3167 * s**2 - 0.02326 * s
    return 0.705 * math.sqrt(s) * math.log(s)


@pytest.mark.parametrize("s", [1.0, 1.3, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 15.0, 20.0])
def test_the_boundary_for_gaps_is_the_published_one_of_sampling_with_a_cost(s: float) -> None:
    # Their s is 1/t with t = n c^(2/3), and their boundary is for the posterior mean over c^(1/3): z √s.
    solved = solve_boundary(1.0)
    ours = float(np.interp(-math.log(s), solved.log_time, solved.height)) * math.sqrt(s)
    assert ours == pytest.approx(chick_and_frazier(s), rel=0.015)


@pytest.mark.nightly
@pytest.mark.parametrize("problem", PROBLEMS)
def test_twenty_thousand_runs_agree_too(problem: str) -> None:
    demand_fixed(problem, runs=20_000)


@pytest.mark.nightly
@pytest.mark.parametrize("spread", [0.2, 0.5, 1.0])
def test_four_thousand_populations_agree_too(spread: float) -> None:
    demand_population(spread, most=20_000, runs=POPULATIONS_THERE)
