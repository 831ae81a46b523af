"""A control that answers the same items as the arms, on recorded data: mistakes, and chances of error.

python -m benchmarks.control_items mistakes DATA [--runs 200] [--seed 1]
python -m benchmarks.control_items chances DATA [--campaigns 40]
python -m benchmarks.control_items estimates DATA [--runs 200] [--seed 1]

The bar of every model is another model, the lower quartile, the median or the upper quartile of all; the verdict in
question is that of the whole benchmark. `mistakes` simulates with budgets in pulls per arm, the control among the arms.
`chances` has live campaigns of 30 and of 100 pulls per arm, and adds up the chances of error that they report.
`estimates` compares ways to estimate the differences from equally many outcomes of each arm and more of the control;
pairs of outcomes on the same items need one order of the items for all. The data are read from a folder and never
copied; where it is absent this says so and ends well.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import thresher as th
from benchmarks.recorded_data import LANGUAGE_MODELS, language_models
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.inference.answers import answers_of
from thresher.problem import Problem
from thresher.problem.bars import is_tied
from thresher.report.markdown import markdown_table
from thresher.research.simulation.result import standard_error
from thresher.types import Floats

POLICIES = {
    "uniform": "uniform",
    "no structure": "stopping:structure=none",
    "pool, items ignored": "stopping:structure=pool",
    "shared items": "stopping",
}
QUARTILES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
PER_ARM = (10, 30, 100, 200)
TOLD = (30, 100)  # pulls per arm of live campaigns
BATCH = 20
ESTIMATED = ((30, 100), (100, 300))  # outcomes of each arm, of the control


def problems(folder: Path) -> list[tuple[str, Problem]]:
    """Return each benchmark with each control."""
    found = []
    for benchmark in ("math-l5", "gsm"):
        plain = language_models(folder, benchmark, bar=0.5)
        order = np.argsort(plain.means)
        for name, part in QUARTILES.items():
            control = plain.arms[int(order[round(part * (plain.n_arms - 1))])]
            found.append((f"{benchmark}, {name}", language_models(folder, benchmark, control=control)))
    return found


def mistakes(name: str, problem: Problem, *, runs: int, seed: int) -> list[list[str]]:
    """Return a line of the table for each policy: mean mistakes at each budget, with standard errors."""
    budgets = [per_arm * problem.n_arms for per_arm in PER_ARM]
    found = th.simulate(problem, list(POLICIES.values()), budgets=budgets, runs=runs, seed=seed)
    rows = {key: [row for row in found.rows() if row.policy == policy] for key, policy in POLICIES.items()}
    return [[name, key, *(f"{row.mean:.2f} ± {row.stderr:.2f}" for row in some)] for key, some in rows.items()]


def chances(name: str, problem: Problem, *, campaigns: int) -> list[list[str]]:
    """Return a line for each budget: mistakes that live campaigns made, and that they expected."""
    made: dict[int, list[tuple[float, float]]] = {per_arm: [] for per_arm in TOLD}
    table = answers_in(problem)
    for run in range(campaigns):
        campaign = begin(problem, f"campaign {run}")
        for per_arm in TOLD:
            spend(campaign, table, per_arm * problem.n_arms)
            made[per_arm].append(mistakes_in(problem, campaign))
    return [[name, str(per_arm), *summary(found)] for per_arm, found in made.items()]


def answers_in(problem: Problem) -> dict[tuple[str, str], float]:
    """Return all answers by arm and item."""
    pool = problem.pool
    assert pool is not None
    assert pool.items is not None
    return {
        (arm, str(pool.items[i] + 1)): float(pool.values[i])
        for arm, start, size in zip(problem.arms, pool.starts, pool.sizes, strict=True)
        for i in range(start, start + size)
    }


def begin(problem: Problem, name: str) -> Campaign:
    """Return a campaign in memory that could measure everything."""
    assert problem.control is not None
    assert problem.structure is not None
    items = int(problem.structure.sizes.max())
    control = problem.arms[problem.control.arm]
    budget = items * problem.n_arms
    return Campaign.create(MemoryStorage(), name, arms=problem.arms, items=items, control=control, budget=budget)


def spend(campaign: Campaign, table: Mapping[tuple[str, str], float], outcomes: int) -> None:
    """Tell answers until there are this many."""
    while (left := outcomes - campaign.standing.told) > 0 and (tickets := campaign.ask(min(left, BATCH))):
        campaign.tell_many([(ticket, table[ticket.arm, str(ticket.item)]) for ticket in tickets])


def mistakes_in(problem: Problem, campaign: Campaign) -> tuple[float, float]:
    """Return how many verdicts are wrong, and how many the campaign expects to be wrong; ties count as neither."""
    assert problem.control is not None
    means, bar = dict(zip(problem.arms, problem.means, strict=True)), float(problem.means[problem.control.arm])
    rows = [row for row in campaign.verdicts() if not is_tied(float(means[row.arm]), bar)]
    wrong = sum((row.verdict == "above") != (means[row.arm] > bar) for row in rows)
    return float(wrong), sum(row.p_wrong for row in rows)


def estimates(name: str, problem: Problem, *, runs: int, seed: int) -> list[list[str]]:
    """Return a line for each number of outcomes: mistakes by plain means, adjusted means and pairs."""
    pool, structure = problem.pool, problem.structure
    assert pool is not None
    assert structure is not None
    assert problem.control is not None
    n_items, place, random = int(structure.sizes.max()), problem.control.arm, np.random.default_rng(seed)
    if (structure.sizes < n_items).any():
        return []
    table = np.empty((problem.n_arms, n_items))
    table[np.repeat(np.arange(problem.n_arms), pool.sizes), pool.items] = pool.values
    lines = []
    for told in ESTIMATED:
        made = [_mistakes_by_estimate(problem, table, place, told, random) for _ in range(runs)]
        cells = [
            f"{np.mean(column):.2f} ± {standard_error(np.array(column)):.2f}" for column in zip(*made, strict=True)
        ]
        lines.append([name, f"{told[0]}, {told[1]}", *cells])
    return lines


def _mistakes_by_estimate(
    problem: Problem, table: Floats, place: int, told: tuple[int, int], random: np.random.Generator
) -> list[int]:
    """Return the mistakes of one draw of the items: by plain means, adjusted means, and pairs in a common order."""
    n_arms, n_items = table.shape
    seen = np.full(table.shape, np.nan)
    for k in range(n_arms):
        items = random.permutation(n_items)[: told[k == place]]
        seen[k, items] = table[k, items]
    common = random.permutation(n_items)[: told[0]]
    found = (
        np.nanmean(seen, axis=1),
        answers_of(problem.question, seen).means,
        table[:, common].mean(axis=1),
    )
    truth, bar = table.mean(axis=1), table[place].mean()
    is_clear = np.array([not is_tied(float(mean), float(bar)) for mean in truth])
    return [int((((means > means[place]) != (truth > bar)) & is_clear).sum()) for means in found]


def summary(found: Sequence[tuple[float, float]]) -> list[str]:
    """Return the cells of a line: mistakes made with their standard error, expected, and the ratio."""
    made, expected = (np.array(column) for column in zip(*found, strict=True))
    ratio = expected.mean() / made.mean() if made.any() else float("nan")
    return [f"{made.mean():.2f} ± {standard_error(made):.2f}", f"{expected.mean():.2f}", f"{ratio:.2f}"]


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["mistakes", "chances", "estimates"])
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--campaigns", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if not (given.data / LANGUAGE_MODELS).exists():
        print(f"{given.data / LANGUAGE_MODELS} is not there: nothing is measured")
        return
    found = problems(given.data)
    if given.what == "mistakes":
        lines = [line for name, each in found for line in mistakes(name, each, runs=given.runs, seed=given.seed)]
        heads = ["benchmark, control", "policy", *(f"{n} pulls per arm" for n in PER_ARM)]
    elif given.what == "estimates":
        lines = [line for name, each in found for line in estimates(name, each, runs=given.runs, seed=given.seed)]
        heads = ["benchmark, control", "told of an arm, of the control", "plain means", "adjusted means", "pairs"]
    else:
        lines = [line for name, each in found for line in chances(name, each, campaigns=given.campaigns)]
        heads = ["benchmark, control", "pulls per arm", "mistakes", "expected", "expected / made"]
    print(markdown_table(heads, lines))


if __name__ == "__main__":
    main()
