"""Why decisions on `tao-2` are wrong more often than claimed: arms that look far from the bar early are left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.decisions.calibration import RISK, Judged
from thresher.engine import arms_of, ticks_of
from thresher.engine.seen_runs import see_runs
from thresher.policy import Seen, doubt, find_index_policy
from thresher.problem import named
from thresher.report import markdown_table
from thresher.types import Floats

PROBLEM, BUDGET = "tao-2", 5000


def left_alone(scale: float, seed: int, _: Path | None) -> None:
    """Print decisions and wrong ones by policy and by chance of error, and outcomes of the arms next to the bar."""
    problem, runs, table = named(PROBLEM), int(300 * scale), []
    is_near = np.abs(problem.means - problem.thresholds) < 0.01
    for policy in ("stopping", "uniform"):
        rule = find_index_policy(policy)
        seen = see_runs(rule.rank(problem), arms_of(problem), np.array([ticks_of(BUDGET)]), seed, 0, runs)
        counts, totals, squares = (
            np.asarray(each[:, 0], np.float64) for each in (seen.counts, seen.totals, seen.squares)
        )
        for words, is_stopping in (("the chance of error", False), ("the larger of both chances", True)):
            found = _judged(counts, totals, squares, is_stopping=is_stopping)
            is_decided = found.claimed <= RISK
            wrong = is_decided & found.is_wrong & is_near
            others = np.median(counts[:, is_near][~wrong[:, is_near]])
            share = f"{100 * found.shares.mean():.1f} % ± {100 * found.shares.std() / np.sqrt(runs):.1f}"
            numbers = [f"{np.median(counts[wrong]):.0f}" if wrong.any() else "–", f"{others:.0f}"]
            table.append(
                [policy, words, str(is_decided.sum()), str((is_decided & found.is_wrong).sum()), share, *numbers]
            )
    print(
        f"{runs} campaigns of {PROBLEM}, budget {BUDGET:,}; outcomes: the median number of the arms next to the bar\n"
    )
    heads = ["policy", "decided by", "decisions", "wrong", "share in a campaign", "outcomes: decided wrongly", "others"]
    print(markdown_table(heads, table, left=(0, 1)))


def _judged(counts: Floats, totals: Floats, squares: Floats, *, is_stopping: bool) -> Judged:
    problem = named(PROBLEM)
    sides = np.where(totals / counts > problem.thresholds, 1, -1)
    claimed = [
        doubt(problem.question, Seen(*each), is_stopping=is_stopping).of(side)
        for *each, side in zip(counts, totals, squares, sides, strict=True)
    ]
    return Judged(np.array(claimed), (sides > 0) != (problem.means > problem.thresholds))
