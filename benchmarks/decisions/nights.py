"""Whether decisions swing together: the first nights of 300 tests, most of which never fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.decisions.calibration import RISK
from benchmarks.seen_runs import see_runs
from thresher.inference import decide, posterior_of
from thresher.inference.bars import bar_of
from thresher.inference.guarantees import calibrated
from thresher.policy import find_index_policy
from thresher.problem import Problem, Statistics, ticks_of
from thresher.report import markdown_table
from thresher.research.engine import arms_of

GROUPS = ((240, 1.0 - 1e-9), (20, 0.995), (15, 0.98), (15, 0.9), (10, 0.7))  # tests, and how often they pass
BAR, FIRST, RERUNS = 0.98, 300, 600
NIGHTS = (1, 2, 3, 5, 8, 13)


def nights(scale: float, seed: int, _: Path | None) -> None:
    """Print how many of 300 tests are decided after some nights, how much that varies, and which share is wrong."""
    problem = Problem.bernoulli(np.concatenate([np.full(n, rate) for n, rate in GROUPS]), thresholds=BAR)
    runs, table = max(4, int(40 * scale)), []
    budgets = np.array([ticks_of(FIRST + RERUNS * night) for night in NIGHTS])
    seen = see_runs(find_index_policy("stopping").rank(problem), arms_of(problem), budgets, seed, 0, runs)
    for b, night in enumerate(NIGHTS):
        cells = []
        for share in (0.0, calibrated.OWN_SHARE):
            kept, calibrated.OWN_SHARE = calibrated.OWN_SHARE, share
            found = [_decided(problem, Statistics(*(each[i, b] for each in (seen.counts, seen.totals, seen.squares))))
                     for i in range(runs)]  # fmt: skip
            calibrated.OWN_SHARE = kept
            counts, wrong = np.array(found).T
            shares = 100.0 * wrong / np.maximum(counts, 1)
            cells.append(f"{counts.mean():.0f} ± {counts.std():.0f}; {shares.mean():.1f} %")
        table.append([str(night), *cells])
    print(f"{runs} campaigns; tests decided, standard deviation between campaigns; share of wrong ones\n")
    print(markdown_table(["night", "without the rule", "with it"], table))


def _decided(problem: Problem, seen: Statistics) -> tuple[int, int]:
    """Return how many tests are decided, and how many of them wrongly: one exactly at the bar does not pass."""
    sides = np.where(seen.means > BAR, 1, -1)
    bar = bar_of(problem.question)
    found = decide(bar, seen, sides, posterior_of(bar, seen), risk=RISK).is_decided
    wrong = found & ((sides > 0) != (problem.means > BAR))
    return int(found.sum()), int(wrong.sum())
