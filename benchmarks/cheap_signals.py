"""Cheap signals on recorded data: mistakes with a history of past models, and with a judge of every answer.

python -m benchmarks.cheap_signals DATA [--runs 400] [--seed 1] [--draws 40] [--figure FILE] [--compare NAME:ARMS]

Prints the tables of docs/explanation/cheap-signals.md. A judge is simulated: it agrees with the recorded truth on a
random share of the answers, is pure noise, has a bias for each arm and says nothing beyond it, or is inverted on every
seventh arm. The third table compares judges that say nothing, or much that is wrong, with none, on the same runs. The
data are read from a folder and never copied; where it is absent this says so and ends well. Several random choices of
the arms, and several judges, share the runs (`--draws`).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import thresher as th
from benchmarks.recorded_data import language_models
from thresher.problem import Problem
from thresher.report import Line, draw_curves
from thresher.report.markdown import markdown_table
from thresher.research.simulation.result import standard_error
from thresher.types import Floats

BARS = {"math-l5": 0.5, "gsm": 0.9}
PER_ARM = (10, 20, 30, 50, 100, 200)
JUDGES = ("no proxy", "80 %", "90 %", "95 %", "noise", "biased", "inverted on 1 in 7")
DRAWN = ("no proxy", "80 %", "90 %", "95 %")
DOUBTFUL = ("noise", "biased", "inverted on 1 in 7")
POOL, ITEMS = "stopping:structure=pool", "stopping"


class Case(NamedTuple):
    """Recorded outcomes of arms on items, and a bar."""

    name: str
    table: Floats
    bar: float


def read(folder: Path, name: str) -> Case:
    """Return the recorded outcomes of a benchmark."""
    problem = language_models(folder, name, bar=BARS[name])
    assert problem.pool is not None
    assert problem.structure is not None
    assert problem.structure.items is not None
    table = np.full(problem.structure.items.shape, np.nan)
    table[problem.structure.items] = problem.pool.values
    return Case(name, table, BARS[name])


def judged(truth: Floats, judge: str, random: np.random.Generator) -> Floats | None:
    """Return the scores that a simulated judge gives to every answer."""
    if judge == "no proxy":
        return None
    if judge == "noise":
        return random.random(truth.shape)
    share = float(judge.partition(" ")[0]) / 100.0 if judge.endswith("%") else 0.9
    says = np.where(random.random(truth.shape) < share, truth, 1.0 - truth)
    if judge == "biased":  # each arm has a bias of its own, and the judge says nothing beyond it
        return random.random(truth.shape) * 0.1 + random.random((truth.shape[0], 1))
    if judge.startswith("inverted"):
        says[::7] = 1.0 - says[::7]
    return np.asarray(says)


def losses(problems: list[Problem], policy: str, *, runs: int, seed: int) -> Floats:
    """Return the mistakes of all runs at each budget per arm, shape (runs, budgets)."""
    each = max(runs // len(problems), 1)
    found = []
    for place, problem in enumerate(problems):
        budgets = [per_arm * problem.n_arms for per_arm in PER_ARM]
        found.append(th.simulate(problem, policy, budgets=budgets, runs=each, seed=seed + place).losses(policy))
    return np.concatenate(found)


def chosen(case: Case, n_arms: int, draws: int, seed: int) -> list[tuple[Floats, Floats]]:
    """Return random choices of arms: their rows, and those of all others."""
    if n_arms >= len(case.table):
        return [(case.table, case.table[:0])] * min(draws, 10)  # each with a judge of its own
    found = []
    for draw in range(draws):
        order = np.random.default_rng([seed, draw]).permutation(len(case.table))
        found.append((case.table[order[:n_arms]], case.table[order[n_arms:]]))
    return found


def history_rows(case: Case, *, runs: int, draws: int, seed: int) -> list[list[str]]:
    """Return lines of the table of section 6: eight arms or one, without and with all others as their past."""
    lines = []
    for n_arms in (8, 1):
        parts = chosen(case, n_arms, draws, seed)
        alone = [Problem.crossed(rows, case.bar) for rows, _ in parts]
        knowing = [Problem.crossed(rows, case.bar, history=past) for rows, past in parts]
        ways = (("pool only", alone, POOL), ("shared items", alone, ITEMS), ("with history", knowing, ITEMS))
        for name, problems, policy in ways:
            found = losses(problems, policy, runs=runs, seed=seed)
            lines.append([f"{case.name}, {case.bar:g}", f"{n_arms}", name, *map(_cell, found.T)])
    return lines


def judge_losses(
    case: Case, n_arms: int, judges: Sequence[str] = JUDGES, *, runs: int, draws: int, seed: int
) -> dict[str, Floats]:
    """Return the mistakes of all runs with each judge: the same arms and the same order of items for all."""
    found = {}
    parts = chosen(case, n_arms, draws, seed)
    for judge in judges:
        problems = []
        for place, (rows, _) in enumerate(parts):
            random = np.random.default_rng([seed, place, JUDGES.index(judge)])
            problems.append(Problem.crossed(rows, case.bar, proxy=judged(rows, judge, random)))
        found[judge] = losses(problems, ITEMS, runs=runs, seed=seed)
    return found


def _cell(mistakes: Floats) -> str:
    return f"{mistakes.mean():.2f} ± {standard_error(mistakes):.2f}"


def _ratio_cell(mistakes: Floats, alone: Floats) -> str:
    """Return the mistakes over those of labels alone, with the standard error of a ratio of paired means."""
    if not alone.mean() > 0.0:
        return ""
    ratio = mistakes.mean() / alone.mean()
    return f"{ratio:.3f} ± {standard_error(mistakes - ratio * alone) / alone.mean():.3f}"


def comparison(case: Case, n_arms: int, found: dict[str, Floats]) -> list[list[str]]:
    """Return lines of the last table: mistakes with doubtful judges over those without a judge."""
    pairs = {judge: zip(found[judge].T, found["no proxy"].T, strict=True) for judge in DOUBTFUL}
    names = [f"{case.name}, {case.bar:g}", str(n_arms)]
    return [[*names, judge, *(_ratio_cell(*pair) for pair in pairs[judge])] for judge in DOUBTFUL]


def figure(case: Case, path: Path, **given: int) -> None:
    """Draw mistakes against true labels, for judges that agree more and less, as the second table has them."""
    curves = []
    for judge, mistakes in judge_losses(case, len(case.table), DRAWN, **given).items():
        points = [
            (labels, column.mean(), standard_error(column))
            for labels, column in zip(PER_ARM, mistakes.T, strict=True)
            if column.mean() > 0.01
        ]
        at, values, errors = (tuple(map(float, column)) for column in zip(*points, strict=True))
        low, high = (
            tuple(value + sign * 2.0 * error for value, error in zip(values, errors, strict=True)) for sign in (-1, 1)
        )
        label = "human labels alone" if judge == "no proxy" else f"judge agrees on {judge}"
        curves.append(Line(label, at, values, low, high))
    title = f"{len(case.table)} models, {case.table.shape[1]} questions: a judge of every answer saves human labels"
    draw_curves(curves, title=title, xlabel="human labels per model", ylabel="wrong verdicts", path=path)


def main() -> None:
    """Print the tables, or draw the figure if a file is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), help="where the data are")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=40, help="random choices of arms, each with a judge of its own")
    parser.add_argument("--figure", type=Path, help="draw math-l5 into this file, and print no table")
    parser.add_argument("--compare", help="print only the last table, for a number of arms of a benchmark: gsm:43")
    asked = parser.parse_args()
    if not asked.folder.is_dir():
        print(f"Skipped: no data in {asked.folder}. Name their folder.")
        return
    cases = [read(asked.folder, name) for name in BARS]
    given = {"runs": asked.runs, "draws": asked.draws, "seed": asked.seed}
    if asked.figure:
        figure(cases[0], asked.figure, **given)
        print(asked.figure)
        return
    headers = ["data, bar", "arms", "with", *map(str, PER_ARM)]
    if asked.compare:
        name, _, number = asked.compare.partition(":")
        case = cases[list(BARS).index(name)]
        found = judge_losses(case, int(number), ("no proxy", *DOUBTFUL), **given)
        print(markdown_table(headers, comparison(case, int(number), found), left=(0, 2)))
        print(f"\nMistakes over those without a proxy in the same {asked.runs} runs, seed {asked.seed}.")
        return
    past = [line for case in cases for line in history_rows(case, **given)]
    print(markdown_table(headers, past, left=(0, 2)), "\n")
    told, against = [], []
    for case in cases:
        for n_arms in (len(case.table), 8, 1):
            found, names = judge_losses(case, n_arms, **given), [f"{case.name}, {case.bar:g}", str(n_arms)]
            told += [[*names, judge, *map(_cell, mistakes.T)] for judge, mistakes in found.items()]
            against += comparison(case, n_arms, found)
    print(markdown_table(headers, told, left=(0, 2)), "\n")
    print(markdown_table(headers, against, left=(0, 2)))
    print(f"\nMean mistakes and standard errors over {asked.runs} runs, seed {asked.seed}, at labels per arm.")
    print("The last table: over those without a proxy, in the same runs.")


if __name__ == "__main__":
    main()
