"""Few arms at the end of a budget: how many are decided, which share wrongly, and how many intervals hold the mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.decisions.campaigns import Simulated, coins, normals
from thresher.report import markdown_table

Begin = Callable[[np.random.Generator], Simulated]
SIX = np.array([0.95, 0.9, 0.85, 0.7, 0.6, 0.78])
SETTINGS: dict[str, tuple[Begin, tuple[int, ...]]] = {  # how a campaign begins, and measurements per arm
    "rates 0.95 0.9 0.85 0.7 0.6 0.78, bar 0.8": (lambda _: coins(SIX, 0.8, "mistakes"), (50,)),
    "Beta(8, 2) K = 6, bar 0.8": (lambda rng: coins(rng.beta(8.0, 2.0, 6), 0.8, "mistakes"), (50, 150)),
    "Beta(8, 2) K = 24, bar 0.8": (lambda rng: coins(rng.beta(8.0, 2.0, 24), 0.8, "mistakes"), (50, 150)),
    "N(0, 0.3²) K = 4": (lambda rng: normals(rng.normal(0.0, 0.3, 4), "mistakes"), (20, 80)),
    "ten at ±0.1 σ": (lambda _: normals(np.tile([0.1, -0.1], 5), "mistakes"), (200,)),
    "ten at ±0.02 σ": (lambda _: normals(np.tile([0.02, -0.02], 5), "mistakes"), (200,)),
}


def few(scale: float, seed: int, _: Path | None) -> None:
    """Print the share of arms decided, and the mean over campaigns of wrong / max(decided, 1)."""
    runs, table = max(4, int(200 * scale)), []
    for words, (begin, budgets) in SETTINGS.items():
        for each in budgets:
            found = []
            for run in range(runs):
                rng = np.random.default_rng([seed, run])
                begun = begin(rng)
                campaign = begun.carried_on(each * begun.means.size, int(rng.integers(1 << 31)))
                is_decided = campaign.decided().is_decided
                found.append(
                    (is_decided.mean(), (is_decided & campaign.is_wrong).sum() / max(int(is_decided.sum()), 1))
                )
            means, errors = 100.0 * np.mean(found, axis=0), 100.0 * np.std(found, axis=0) / math.sqrt(runs)
            table.append([words, str(each), *(f"{m:.1f} % ± {e:.1f}" for m, e in zip(means, errors, strict=True))])
    print(f"{runs} campaigns in each row, policy stopping\n")
    print(markdown_table(["means", "per arm", "decided", "wrong share"], table, left=(0,)))


def held(scale: float, seed: int, _: Path | None) -> None:
    """Print the share of arms whose interval holds the true mean, and the share missed away from the bar."""
    runs, table = max(4, int(200 * scale)), []
    for words, (begin, budgets) in SETTINGS.items():
        for each in budgets:
            found = []
            for run in range(runs):
                rng = np.random.default_rng([seed, run])
                begun = begin(rng)
                campaign = begun.carried_on(each * begun.means.size, int(rng.integers(1 << 31)))
                interval, bars = campaign.decided().interval, begun.question.thresholds
                is_held = (interval.low <= begun.means) & (begun.means <= interval.high)
                is_beyond = np.where(begun.means > bars, begun.means > interval.high, begun.means < interval.low)
                found.append((is_held.mean(), is_beyond.mean()))
            means, errors = 100.0 * np.mean(found, axis=0), 100.0 * np.std(found, axis=0) / math.sqrt(runs)
            table.append([words, str(each), *(f"{m:.0f} % ± {e:.0f}" for m, e in zip(means, errors, strict=True))])
    print(f"{runs} campaigns in each row, policy stopping\n")
    print(markdown_table(["means", "per arm", "holds the mean", "mean is farther from the bar"], table, left=(0,)))
