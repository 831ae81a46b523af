"""Whether the chance of error is what it says with a judge, on recorded answers.

python -m benchmarks.judge_chances DATA [--runs 100] [--seed 901] [--data NAME:BAR]

The default policy spends a budget on all models of a benchmark, with the scores of a simulated judge. After 10, 30 and
100 labels per arm mistakes that are expected are compared with those that are made, and so is the share of wrong ones
among the arms that `calibrated` decides at a risk of 5 %: the mean over runs of wrong / max(decided, 1). The weights of
the shares of arms were chosen on other seeds than these.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import thresher as th
from benchmarks.cheap_signals import BARS, Case, judged, read
from thresher.inference import answers_of, decide, posterior_of, sides_of
from thresher.inference.bars import bar_of
from thresher.problem import Problem
from thresher.report import markdown_table
from thresher.research.engine.draws import arms_of
from thresher.research.engine.reference import drawn_arms
from thresher.research.simulation.result import standard_error
from thresher.streams import shuffle_on
from thresher.types import Floats

JUDGES = ("no proxy", "80 %", "90 %", "95 %", "noise", "biased", "inverted on 1 in 7")
POLICY, PER_ARM, RISK = "stopping", (10, 30, 100), 0.05


def told(case: Case, problem: Problem, seed: int) -> list[Floats]:
    """Return the outcomes that one run was told at each budget, shape (K, N), NaN where there is none.

    An engine counts pulls, and each arm gets its items in its own random order: the counts say which.
    """
    budgets = [per_arm * problem.n_arms for per_arm in PER_ARM]
    counts = th.simulate(problem, POLICY, budgets=budgets, runs=1, seed=seed).pulls(POLICY)
    arms, found = arms_of(problem), [np.full(case.table.shape, np.nan) for _ in budgets]
    for k, arm in enumerate(drawn_arms(arms, seed, 0)):
        order = np.empty(arm.size, np.uint64)
        shuffle_on(arm.key, 0, arm.size, order)
        items = arms.items[arm.start + order.astype(np.int64)]
        for table, count in zip(found, counts[:, k], strict=True):
            first = items[: int(count)]
            table[k, first] = case.table[k, first]
    return found


def counted(case: Case, judge: str, run: int, seed: int) -> Floats:
    """Return mistakes expected and made, arms decided, and wrong decisions, at each budget of one run."""
    scores = judged(case.table, judge, np.random.default_rng([seed, run]))
    problem = Problem.crossed(case.table, case.bar, proxy=scores)
    is_above, found, question = case.table.mean(axis=1) > case.bar, [], problem.question
    for outcomes in told(case, problem, seed + run):
        known = answers_of(question, outcomes)
        worth, bar = known.effective(question), bar_of(question)
        sides, posterior = sides_of(bar, known.seen, known.means), posterior_of(bar, worth, told=known.seen)
        decided = decide(bar, known.seen, sides, posterior, worth=worth, risk=RISK)
        is_wrong = (sides > 0) != is_above
        found.append([
            decided.p_wrong.sum(), is_wrong.sum(), decided.is_decided.sum(), (is_wrong & decided.is_decided).sum(),
        ])  # fmt: skip
    return np.array(found, dtype=np.float64)


def row(case: Case, judge: str, per_arm: int, found: Floats) -> list[str]:
    """Return a line of the table."""
    expected, made, decided, wrong = found.T
    shares = wrong / np.maximum(decided, 1.0)
    return [
        f"{case.name}, {case.bar:g}", judge, f"{per_arm}", f"{expected.mean():.2f}",
        f"{made.mean():.2f} ± {standard_error(made):.2f}", f"{decided.mean():.1f}",
        f"{shares.mean():.1%} ± {standard_error(shares):.1%}",
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=901)
    parser.add_argument("--data", action="append", help="a benchmark and a bar, such as gsm:0.9; may be repeated")
    asked = parser.parse_args()
    lines = []
    for text in asked.data or [f"{name}:{bar}" for name, bar in BARS.items()]:
        name, _, bar = text.partition(":")
        case = read(asked.folder, name)._replace(bar=float(bar))
        for judge in JUDGES:
            found = np.stack([counted(case, judge, run, asked.seed) for run in range(asked.runs)], axis=1)
            lines += [row(case, judge, *pair) for pair in zip(PER_ARM, found, strict=True)]
    heads = ["data, bar", "judge", "labels", "expected", "made", "decided", "wrong of decided"]
    print(markdown_table(heads, lines, left=(0, 1)))
    print(f"\n{asked.runs} runs, seed {asked.seed}, a risk of {RISK:.0%}.")


if __name__ == "__main__":
    main()
