"""Items that may be asked several times: mistakes against the mean of the success rates.

python -m benchmarks.repeats [--runs 200] [--seed 1]

Thirty arms answer fifty items, with success rates by a logistic item-response model: the steeper it is, the more of the
variance of an outcome lies between items (ρ). Prints mean mistakes at 10, 20, 50, 100 and 200 measurements per arm, for
four ways to measure:

* uniform, random items: arms in turn, each time an item at random;
* stopping, random items: the same with the default policy, which takes outcomes for independent draws;
* stopping, passes, ν = n: all items in a random order and then again, still taken for independent draws;
* stopping, repeats: what is shipped.
"""

from __future__ import annotations

import argparse

import numpy as np

import thresher as th
from thresher.experiment.result import standard_error
from thresher.problem import Problem
from thresher.report.markdown import markdown_table
from thresher.types import Floats

N_ARMS, N_ITEMS, BAR, REPEATS = 30, 50, 0.6, 40
PER_ARM = (10, 20, 50, 100, 200)
STEEPNESS = {0.71: 5.6, 0.44: 2.65, 0.12: 0.92}  # of the logistic curve, by the ρ that it gives on average
ABILITY, SHIFT = {0.71: 0.75, 0.44: 1.05, 0.12: 1.9}, 0.3  # spread of the arms' abilities, and their mean
TABLES = 20  # different tables of success rates among the runs


def rates_of(rho: float, seed: int) -> Floats:
    """Return success rates, shape (30, 50)."""
    random = np.random.default_rng(seed)
    ability = random.normal(SHIFT, ABILITY[rho], (N_ARMS, 1))
    ease = random.normal(0.0, 1.0, (1, N_ITEMS))
    return np.asarray(1.0 / (1.0 + np.exp(-STEEPNESS[rho] * (ability + ease))))


def share_between(rates: Floats) -> float:
    """Return ρ: the part of the variance of an outcome that lies between items, over all arms."""
    means = rates.mean(axis=1)
    return float(rates.var(axis=1).mean() / (means * (1.0 - means)).mean())


def losses_of(rho: float, *, runs: int, seed: int) -> tuple[float, dict[str, Floats]]:
    """Return ρ, and the mistakes of every run by the way to measure, shape (budgets, runs)."""
    budgets, found, shares = [N_ARMS * each for each in PER_ARM], dict[str, list[Floats]](), []
    for table in range(TABLES):
        rates = rates_of(rho, seed + table)
        shares.append(share_between(rates))
        random_items = Problem.bernoulli(rates.mean(axis=1), BAR)
        repeated = Problem.repeated(rates, BAR, repeats=REPEATS)
        ways = {
            "uniform, random items": (random_items, "uniform"),
            "stopping, random items": (random_items, "stopping"),
            "stopping, passes, ν = n": (repeated, "stopping:structure=none"),
            "stopping, repeats": (repeated, "stopping"),
        }
        for way, (problem, policy) in ways.items():
            result = th.simulate(problem, policy, budgets=budgets, runs=runs // TABLES, seed=seed + table)
            found.setdefault(way, []).append(result.losses(policy).T)
    return float(np.mean(shares)), {way: np.concatenate(each, axis=1) for way, each in found.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Mistakes with items that may be asked several times.")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    lines = []
    for rho in STEEPNESS:
        share, losses = losses_of(rho, runs=given.runs, seed=given.seed)
        for way, each in losses.items():
            cells = [f"{values.mean():.2f} ± {standard_error(values):.2f}" for values in each]
            lines.append([f"{share:.2f}", way, *cells])
    print(markdown_table(["ρ", "way to measure", *(str(each) for each in PER_ARM)], lines, left=(1,)))


if __name__ == "__main__":
    main()
