"""What history and a judge add to always-valid guarantees, on recorded answers.

python -m benchmarks.judge_guarantees DATA [--runs 10] [--seed 1] [--signals NAME ...]

An arm is labelled in a random order until its always-valid interval excludes the bar at an error of 5 %. The intervals
are those of campaigns: :func:`thresher.inference.foreseen_of` from the order, the tickets and the scores, and
:func:`thresher.inference.intervals`. They are read after each of the first twenty labels and after every tenth.

The second table has the share of arms whose true mean is left out at some of these moments: at most 5 %. Some judges
are hostile: inverted, right on half of the items and inverted on the others, or told after fifty labels, when they copy
the labels so far or name the items that were asked.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

from benchmarks.cheap_signals import BARS, Case, judged, read
from thresher.inference import AskedItems, Intervals, foreseen_of, intervals
from thresher.problem import Question, Statistics
from thresher.problem.structure import Structure
from thresher.report import markdown_table
from thresher.types import Floats, Ints

ALPHA, LATE = 0.05, 50  # error rate; labels after which late scores are told
ALONE, HISTORY = "labels alone", "history"
HELPFUL = (HISTORY, "80 %", "90 %", "95 %", "history and 90 %", "noise")
COPIES, NAMES = "late, copies labels", "late, names items"
HOSTILE = ("noise", "biased", "inverted", "95 %", "half inverted", COPIES, NAMES, HISTORY)


def scores_of(truth: Floats, signals: str, order: Ints, rng: np.random.Generator) -> tuple[Floats, Floats] | None:
    """Return the scores of the items of an arm, and after how many tickets each was told; None without a judge."""
    size, told = truth.size, np.zeros(truth.size)
    if signals in (ALONE, HISTORY):
        return None
    if signals == "inverted":
        return 1.0 - truth, told
    if signals == "half inverted":
        return np.where(np.arange(size) < size // 2, truth, 1.0 - truth), told
    if signals in (COPIES, NAMES):
        told[1:] = LATE  # one score is there from the beginning, so that signals count
        scores = np.zeros(size)
        scores[order[:LATE]] = truth[order[:LATE]] if signals == COPIES else 1.0
        return scores, told
    found = judged(truth[None], signals.removeprefix("history and "), rng)
    assert found is not None
    return found[0], told


def looks_at(size: int) -> Ints:
    """Return after how many labels the intervals are read."""
    return np.array([n for n in range(1, size + 1) if n <= 20 or n % 10 == 0 or n == size])


def intervals_of(case: Case, arm: int, signals: str, rng: np.random.Generator) -> tuple[Ints, Intervals]:
    """Return the intervals of an arm at an error of 5 %, and the numbers of labels after which they are read."""
    truth, size = case.table[arm], case.table.shape[1]
    order = rng.permutation(size)
    past = np.delete(case.table, arm, axis=0) if HISTORY in signals else None
    scored = scores_of(truth, signals, order, rng)
    structure = Structure(np.array([size]), history=past, proxy=None if scored is None else scored[0][None])
    tickets = np.empty((1, size))
    tickets[0, order] = np.arange(1, size + 1)
    known = np.zeros(0 if past is None else len(past))
    told = np.full((1, size), np.inf) if scored is None else scored[1][None]
    asked = AskedItems(order[None], tickets, np.array([np.inf]), known, told)
    question = Question.of("bernoulli", thresholds=[case.bar], structure=structure)
    foreseen = foreseen_of(question, truth[None], asked)
    looks = looks_at(size)
    sums = np.cumsum(truth[order])[looks - 1]
    counts = looks.astype(np.float64)
    if foreseen is not None:  # the same arm once for each look
        foreseen = foreseen.part(np.zeros(looks.size, np.int64))._replace(counts=counts, totals=sums)
    seen = Statistics(counts, sums, counts * case.bar**2 + sums * (1.0 - 2.0 * case.bar), foreseen=foreseen)
    bars, pools = np.full(looks.size, case.bar), Structure(np.full(looks.size, size))
    return looks, intervals(Question.of("bernoulli", thresholds=bars, structure=pools), seen, alpha=ALPHA)


def measured(case: Case, signals: str, *, runs: int, seed: int) -> tuple[Floats, Floats]:
    """Return the labels of every arm until a proof, all of them without one, and whether its true mean was left out."""
    labels, missed = [], []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        for arm, row in enumerate(case.table):
            looks, found = intervals_of(case, arm, signals, rng)
            is_proven = (found.low > case.bar) | (found.high <= case.bar)
            labels.append(looks[is_proven][0] if is_proven.any() else row.size)
            missed.append(((found.low > row.mean() + 1e-12) | (found.high < row.mean() - 1e-12)).any())
    return np.array(labels, np.float64), np.array(missed, np.float64)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--signals", nargs="*", default=list(dict.fromkeys((ALONE, *HELPFUL, *HOSTILE))))
    asked = parser.parse_args()
    cases = [read(asked.folder, name) for name in BARS]
    found = {
        (case.name, signals): measured(case, signals, runs=asked.runs, seed=asked.seed)
        for case in cases
        for signals in asked.signals
    }
    lines = []
    for signals in (name for name in (ALONE, *HELPFUL) if name in asked.signals):
        cells = [found[case.name, signals][0] for case in cases]
        lines.append([signals, *(f"{labels.mean():.0f} ({np.median(labels):.0f})" for labels in cells)])
    heads = [f"{case.name}, {case.bar:g}" for case in cases]
    print("Mean labels (median) of an arm until the bar is excluded:\n")
    print(markdown_table(["signals", *heads], lines, left=(0,)), "\n")
    lines = []
    for signals in (name for name in (ALONE, *HOSTILE) if name in asked.signals):
        missed = np.concatenate([found[case.name, signals][1] for case in cases])
        bound = ALPHA + 3.0 * math.sqrt(ALPHA * (1.0 - ALPHA) / missed.size)
        lines.append([signals, f"{missed.size:,}", f"{missed.mean():.2%}", f"{bound:.1%}"])
    print("Share of arms whose true mean is left out at some time, and 5 % plus three standard errors:\n")
    print(markdown_table(["signals", "arms", "left out", "at most"], lines, left=(0,)))


if __name__ == "__main__":
    main()
