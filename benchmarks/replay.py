"""Mistakes of `stopping` against even sampling on real data: language models, crowd labels, flaky tests.

Models answer the same questions and images are labelled by the same workers, which `stopping` uses; the rows called
"endless" draw independently.

Run by ``make replay``. The data are read from a folder and never copied; where it is absent this says so and ends well.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import thresher as th
from benchmarks.recorded_data import bird_images, flaky_tests, language_models
from thresher.problem import Problem
from thresher.report.markdown import markdown_table
from thresher.research.simulation.result import Difference, Result

PER_ARM = (10, 30, 100)
HEADERS = ["data", "bar", "arms", "per arm", "stopping", "even", "ratio", "95 % interval"]


def endless(problem: Problem) -> Problem:
    """Return the same arms drawn with replacement: no arm is ever settled by having been asked everything."""
    return Problem.bernoulli(problem.means, problem.thresholds, arms=problem.arms, name=problem.name)


# Bars on both sides of the one that the data's page names, not only where we look best.
CASES: tuple[tuple[str, Callable[[Path, float], Problem], tuple[float, ...]], ...] = (
    ("gsm", lambda folder, bar: language_models(folder, "gsm", bar=bar), (0.7, 0.8, 0.9)),
    ("gsm, endless", lambda folder, bar: endless(language_models(folder, "gsm", bar=bar)), (0.7, 0.8, 0.9)),
    ("math-l5", lambda folder, bar: language_models(folder, "math-l5", bar=bar), (0.3, 0.5, 0.7)),
    ("math-l5, endless", lambda folder, bar: endless(language_models(folder, "math-l5", bar=bar)), (0.3, 0.5, 0.7)),
    ("bluebird", lambda folder, bar: bird_images(folder, "bluebird", bar=bar), (0.4, 0.5, 0.6)),
    ("duck", lambda folder, bar: bird_images(folder, "duck", bar=bar), (0.4, 0.5, 0.6)),
    ("flaky tests", lambda folder, bar: flaky_tests(folder, bar=bar), (0.005, 0.01, 0.05)),
)


def row_of(name: str, bar: float, result: Result, place: int, gap: Difference) -> list[str]:
    """Return one line of the table: mean mistakes of both, their ratio, its paired interval."""
    ours, even = (float(result.losses(policy)[:, place].mean()) for policy in ("stopping", "uniform"))
    ratio, interval = f"{gap.ratio:.2f}", f"{max(gap.ratio_low, 0.0):.2f} to {gap.ratio_high:.2f}"
    if ours == 0.0:  # an interval from runs that are all alike would say more than they do
        ratio, interval = ("", "none by either") if even == 0.0 else (ratio, "none by stopping")
    arms = result.problem.n_arms
    return [name, f"{bar:g}", str(arms), str(PER_ARM[place]), f"{ours:.2f}", f"{even:.2f}", ratio, interval]


def replay(folder: Path, *, runs: int, seed: int) -> list[list[str]]:
    """Return one row for each set of data, bar and budget."""
    rows = []
    for name, make, bars in CASES:
        for bar in bars:
            problem = make(folder, bar)
            budgets = [per_arm * problem.n_arms for per_arm in PER_ARM]
            result = th.simulate(problem, ["stopping", "uniform"], budgets=budgets, runs=runs, seed=seed)
            gaps = result.compare("stopping", "uniform")
            rows += [row_of(name, bar, result, place, gap) for place, gap in enumerate(gaps)]
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the data are")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if not given.folder.is_dir():
        print(f"Skipped: no data in {given.folder}. Name their folder: make replay DATA=...")
        return
    print(markdown_table(HEADERS, replay(given.folder, runs=given.runs, seed=given.seed), left=(0,)))
    print(f"\nMean mistakes over {given.runs} runs, seed {given.seed}; ratio stopping / even with its 95 % interval.")
    print(
        "Paired: common random numbers. The truth of an arm is the mean of what was collected. Answers and labels are"
    )
    print("drawn without replacement (an arm with all of them is settled), 'endless' ones and tests with replacement.")


if __name__ == "__main__":
    main()
