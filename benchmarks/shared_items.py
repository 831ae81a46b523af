"""Pools and shared items on recorded data: mistakes against the verdict of the whole pool.

python -m benchmarks.shared_items DATA [--runs 400] [--seed 1] [--figure FILE] [--headline FILE]
python -m benchmarks.shared_items --synthetic [--runs 400] [--seed 1]
python -m benchmarks.shared_items --time

Prints the tables of docs/explanation/shared-items.md, and draws mistakes against the share of the benchmark that was
spent. The data are read from a folder and never copied; where it is absent this says so and ends well. Synthetic tables
come from item-response models, from items that do not matter to items that decide everything.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import thresher as th
from benchmarks.recorded_data import bird_images, language_models
from benchmarks.replay import endless
from thresher.policy import find_policy
from thresher.problem import Problem
from thresher.report import Line, draw_curves
from thresher.report.markdown import markdown_table
from thresher.research.engine import SimulationOptions
from thresher.research.simulation.bench import Work, least_ns
from thresher.research.simulation.job import Job
from thresher.research.simulation.result import Row, standard_error
from thresher.types import Floats

POLICIES = {
    "uniform": "uniform",
    "no structure": "stopping:structure=none",
    "pool": "stopping:structure=pool",
    "shared items": "stopping",
}
# In the figures: labels and policies. Of the policies of the literature FWT makes the fewest mistakes on these data up
# to 15 % of the benchmark, and LSA about the same beyond.
STRUCTURES = {policy: policy for policy in POLICIES.values()}
HEADLINE = {
    "even sampling (uniform)": "uniform",
    "best alternative (fwt-sqrt)": "fwt-sqrt:structure=none",
    "thresher (stopping)": "stopping",
}
ENDLESS = "no structure, with replacement"
SHARES = (1, 2, 5, 10, 15, 20, 25, 30)  # of the benchmark in per cent, in the figure


class Case(NamedTuple):
    """Recorded data, a bar, and budgets in pulls per arm."""

    name: str
    read: Callable[[Path, float], Problem]
    bar: float
    per_arm: tuple[int, ...]


def _models(benchmark: str) -> Callable[[Path, float], Problem]:
    return lambda folder, bar: language_models(folder, benchmark, bar=bar)


CASES = (
    Case("math-l5", _models("math-l5"), 0.5, (10, 30, 100, 200)),
    Case("math-l5", _models("math-l5"), 0.4, (10, 30, 100, 200)),
    Case("gsm", _models("gsm"), 0.9, (10, 30, 100, 200)),
    Case("gsm", _models("gsm"), 0.8, (10, 30, 100, 200)),
    Case("bluebird", lambda folder, bar: bird_images(folder, bar=bar), 0.5, (2, 5, 10, 20)),
)


def rows_of(problem: Problem, case: Case, *, runs: int, seed: int) -> list[list[str]]:
    """Return a line of the table for each policy: mean mistakes at each budget, with standard errors."""
    budgets = [per_arm * problem.n_arms for per_arm in case.per_arm]
    found = th.simulate(problem, list(POLICIES.values()), budgets=budgets, runs=runs, seed=seed)
    again = th.simulate(endless(problem), "stopping", budgets=budgets, runs=runs, seed=seed)
    lines = {name: [row for row in found.rows() if row.policy == policy] for name, policy in POLICIES.items()}
    title = f"{case.name} ({problem.n_arms} × {items_of(problem)}), {case.bar:g}"
    at = ", ".join(str(per_arm) for per_arm in case.per_arm)
    return [[title, at, name, *map(_cell, rows)] for name, rows in (lines | {ENDLESS: again.rows()}).items()]


def items_of(problem: Problem) -> int:
    """Return how many items there are."""
    assert problem.structure is not None
    return int(problem.structure.sizes.max())


def _cell(row: Row) -> str:
    return f"{row.mean:.2f} ± {row.stderr:.2f}" if row.mean else "0"


def figure(problem: Problem, path: Path, policies: Mapping[str, str], *, runs: int, seed: int) -> None:
    """Draw mistakes against the share of the benchmark that was spent."""
    whole = problem.n_arms * items_of(problem)
    budgets = [max(round(share * whole / 100), problem.n_arms) for share in SHARES]
    found = th.simulate(problem, list(policies.values()), budgets=budgets, runs=runs, seed=seed)
    curves = []
    for name, policy in policies.items():
        rows = [row for row in found.rows() if row.policy == policy]
        points = [(share, row.mean, row.stderr) for share, row in zip(SHARES, rows, strict=True) if row.mean > 0.0]
        at, values, errors = zip(*points, strict=True)
        band = [(value - 2.0 * error, value + 2.0 * error) for value, error in zip(values, errors, strict=True)]
        curves.append(Line(name, at, values, tuple(low for low, _ in band), tuple(high for _, high in band)))
    title = f"{problem.n_arms} models, {items_of(problem)} questions: wrong verdicts on a part of the benchmark"
    draw_curves(curves, title=title, xlabel="share of the benchmark spent (%)", ylabel="wrong verdicts", path=path)


# Spread of the arms' abilities and of the items' difficulties, both in logits, and of the logarithm of how steeply an
# item tells good arms from bad ones.
MODELS = {
    "items do not matter": (0.7, 0.0, 0.0),
    "items matter little": (0.7, 0.5, 0.0),
    "items matter": (0.7, 1.5, 0.0),
    "items matter much": (1.0, 3.0, 0.0),
    "items differ in steepness": (1.0, 1.5, 0.7),
}
SYNTHETIC_ARMS, SYNTHETIC_ITEMS, TABLES, SYNTHETIC_PER_ARM = 40, 600, 8, (10, 30, 100, 200)


def synthetic_table(model: tuple[float, float, float], *, seed: int) -> Floats:
    """Return 0/1 answers of an item-response model, shape (arms, items)."""
    random = np.random.default_rng(seed)
    abilities, difficulties = random.normal(size=SYNTHETIC_ARMS), random.normal(size=SYNTHETIC_ITEMS)
    steepness = np.exp(model[2] * random.normal(size=SYNTHETIC_ITEMS))
    logits = steepness * (model[0] * abilities[:, None] - model[1] * difficulties)
    return (random.random(logits.shape) < 1.0 / (1.0 + np.exp(-logits))).astype(np.float64)


def synthetic_rows(name: str, *, runs: int, seed: int) -> list[list[str]]:
    """Return a line for each budget: mistakes of both structures over several tables, and their paired ratio."""
    items, pool = "stopping", "stopping:structure=pool"
    losses: dict[str, list[Floats]] = {items: [], pool: []}
    for table in range(TABLES):
        problem = Problem.crossed(synthetic_table(MODELS[name], seed=1000 * seed + table), 0.5)
        budgets = [per_arm * problem.n_arms for per_arm in SYNTHETIC_PER_ARM]
        found = th.simulate(problem, [items, pool], budgets=budgets, runs=runs, seed=seed)
        for policy, each in losses.items():
            each.append(found.losses(policy))
    one, other = (np.concatenate(losses[policy]) for policy in (items, pool))
    lines = []
    for b, per_arm in enumerate(SYNTHETIC_PER_ARM):
        mean, base = one[:, b].mean(), other[:, b].mean()
        ratio = mean / base if base else 1.0
        error = standard_error(one[:, b] - ratio * other[:, b]) / base if base else 0.0
        lines.append([name, str(per_arm), f"{mean:.3f}", f"{base:.3f}", f"{ratio:.3f} ± {error:.3f}"])
    return lines


def time_rows() -> list[list[str]]:
    """Return what a pull takes with each policy, in microseconds, on 50 arms × 1,000 items at 200 pulls per arm."""
    random = np.random.default_rng(0)
    logits = random.normal(0.0, 0.7, (50, 1)) + random.normal(0.0, 1.5, 1000)
    problem = Problem.crossed((random.random(logits.shape) < 1.0 / (1.0 + np.exp(-logits))).astype(np.float64), 0.5)
    works = {}
    for name, policy in POLICIES.items():
        job = Job(problem, find_policy(policy), SimulationOptions((200.0 * problem.n_arms,)), seed=1)
        works[name] = Work(partial(job.run, 0, 10), float(job.run(0, 10).pulls.sum()))
    return [[name, f"{nanoseconds / 1000.0:.2f}"] for name, nanoseconds in least_ns(works).items()]


def main() -> None:
    """Print the table; draw the figure if a file is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), help="where the data are")
    parser.add_argument("--time", action="store_true", help="print what a pull takes")
    parser.add_argument("--synthetic", action="store_true", help="item-response models in place of recorded data")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figure", type=Path, help="draw math-l5 at the bar 0.5 into this file, and print no table")
    parser.add_argument("--headline", type=Path, help="the same against even sampling and the best alternative")
    asked = parser.parse_args()
    if asked.time:
        print(markdown_table(["policy", "µs per pull"], time_rows(), left=(0,)))
        return
    if asked.synthetic:
        lines = [line for name in MODELS for line in synthetic_rows(name, runs=asked.runs, seed=asked.seed)]
        print(markdown_table(["model", "per arm", "shared items", "pool", "ratio"], lines, left=(0,)))
        size = f"{SYNTHETIC_ARMS} arms × {SYNTHETIC_ITEMS} items"
        print(f"\nMean mistakes over {TABLES} tables of {size}, {asked.runs} runs each, seed {asked.seed}.")
        return
    if not asked.folder.is_dir():
        print(f"Skipped: no data in {asked.folder}. Name their folder.")
        return
    pictures = {path: policies for path, policies in ((asked.figure, STRUCTURES), (asked.headline, HEADLINE)) if path}
    for path, policies in pictures.items():
        figure(CASES[0].read(asked.folder, CASES[0].bar), path, policies, runs=asked.runs, seed=asked.seed)
        print(path)
    if pictures:
        return
    lines = [
        line
        for case in CASES
        for line in rows_of(case.read(asked.folder, case.bar), case, runs=asked.runs, seed=asked.seed)
    ]
    headers = ["data (arms × items), bar", "per arm", "policy", "1", "2", "3", "4"]
    print(markdown_table(headers, lines, left=(0, 1, 2)))
    print(f"\nMean mistakes and standard errors over {asked.runs} runs, seed {asked.seed}, at the budgets 'per arm'.")


if __name__ == "__main__":
    main()
