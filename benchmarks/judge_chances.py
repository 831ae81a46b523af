"""Whether the chance of error is what it says with a judge, on recorded answers.

python -m benchmarks.judge_chances DATA [--runs 24] [--seed 901] [--per-arm 30]

The default policy spends a budget on all models of a benchmark, with the scores of a simulated judge. Mistakes that are
expected are compared with those that are made, and so is the share of wrong decisions among arms whose chance of error
is at most 5 %: the mean over runs of wrong / max(decided, 1). The weights of the shares of arms were chosen on other
seeds than these.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.cheap_signals import BARS, Case, judged, read
from thresher.inference import answers_of, doubt
from thresher.inference.bars import bar_of, sides_of
from thresher.policy import Stop, find_policy
from thresher.problem import Problem, ticks_of
from thresher.report import markdown_table
from thresher.research.engine.reference import Play
from thresher.types import Floats

JUDGES = ("no proxy", "80 %", "90 %", "95 %", "noise", "inverted on 1 in 7")
RISK = 0.05


def counted(case: Case, judge: str, per_arm: int, run: int, seed: int) -> tuple[float, float, float, float]:
    """Return mistakes expected and made, arms decided, and wrong decisions, of one run."""
    scores = judged(case.table, judge, np.random.default_rng([seed, run]))
    problem, budget = Problem.crossed(case.table, case.bar, proxy=scores), float(per_arm * len(case.table))
    play = Play(find_policy("stopping").bind(problem, Stop(budget)), problem, seed=seed, run=run)
    play.spend(ticks_of(budget), in_flight=1, asynchronous=False, at_peak=False)
    known = answers_of(problem.question, play.state.outcomes)
    sides = sides_of(bar_of(problem.question), known.seen, known.means)
    claimed = doubt(problem.question, known.effective(problem.question), told=known.seen).of(sides)
    is_wrong, is_decided = (sides > 0) != (case.table.mean(axis=1) > case.bar), claimed <= RISK
    return float(claimed.sum()), float(is_wrong.sum()), float(is_decided.sum()), float((is_wrong & is_decided).sum())


def row(case: Case, judge: str, found: Floats) -> list[str]:
    """Return a line of the table."""
    expected, made, decided, wrong = found.T
    shares = wrong / np.maximum(decided, 1.0)
    error = shares.std(ddof=1) / np.sqrt(len(shares))
    return [
        f"{case.name}, {case.bar:g}", judge, f"{expected.mean():.2f}", f"{made.mean():.2f}", f"{decided.mean():.1f}",
        f"{shares.mean():.1%} ± {error:.1%}",
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=901)
    parser.add_argument("--per-arm", type=int, default=30)
    asked = parser.parse_args()
    lines = []
    for name in BARS:
        case = read(asked.folder, name)
        for judge in JUDGES:
            found = [counted(case, judge, asked.per_arm, run, asked.seed) for run in range(asked.runs)]
            lines.append(row(case, judge, np.array(found)))
    heads = ["data, bar", "judge", "expected", "made", "decided", "wrong of decided"]
    print(markdown_table(heads, lines, left=(0, 1)))
    print(f"\n{asked.runs} runs, {asked.per_arm} labels per arm, seed {asked.seed}.")


if __name__ == "__main__":
    main()
