"""What becomes of calibrated decisions if people look at a running campaign and act on the first one of each arm."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.decisions.calibration import RISK
from benchmarks.decisions.campaigns import Simulated, coins, normals
from thresher.inference import decide, posterior_of
from thresher.inference.bars import bar_of
from thresher.report import markdown_table
from thresher.types import Bools, Floats

EVERY = 20  # outcomes between looks
Begin = Callable[[np.random.Generator, str], Simulated]
SETTINGS: dict[str, tuple[Begin, int]] = {  # how a campaign begins, and measurements per arm
    "ten at ±0.1 σ": (lambda _, goal: normals(np.tile([0.1, -0.1], 5), goal), 200),
    "ten at ±0.02 σ": (lambda _, goal: normals(np.tile([0.02, -0.02], 5), goal), 200),
    "ten at +0.1 σ": (lambda _, goal: normals(np.full(10, 0.1), goal), 200),
    "Beta(8, 2) K = 6, bar 0.8": (lambda rng, goal: coins(rng.beta(8.0, 2.0, 6), 0.8, goal), 100),
    "Beta(8, 2) K = 24, bar 0.8": (lambda rng, goal: coins(rng.beta(8.0, 2.0, 24), 0.8, goal), 50),
    "N(0, 0.3²) K = 4": (lambda rng, goal: normals(rng.normal(0.0, 0.3, 4), goal), 80),
    "N(0, 1) K = 20": (lambda rng, goal: normals(rng.normal(0.0, 1.0, 20), goal), 20),
}


def decided_at(campaign: Simulated, level: float) -> Bools:
    """Return what is decided at a chance of error."""
    question, seen = campaign.question, campaign.seen
    sides = np.where(seen.means > question.thresholds, 1, np.where(seen.counts > 0.0, -1, 0)).astype(np.int64)
    bar = bar_of(question)
    return decide(bar, seen, sides, posterior_of(bar, seen), level=level).is_decided


def looked_at(begun: Simulated, budget: int, rng: np.random.Generator) -> Floats:
    """Return shares of one campaign: decided and wrong at the end, and if each first decision is acted on."""
    campaign, n_arms = begun, begun.means.size
    is_done, is_wrong, now = np.zeros(n_arms, bool), np.zeros(n_arms, bool), np.zeros(n_arms, bool)
    for spent in range(EVERY, budget + EVERY, EVERY):
        campaign = campaign.carried_on(min(EVERY, budget - spent + EVERY), int(rng.integers(1 << 31)))
        now = decided_at(campaign, RISK * min(spent / budget, 1.0))
        is_wrong |= now & ~is_done & campaign.is_wrong
        is_done |= now
    end = (now & campaign.is_wrong).sum() / max(now.sum(), 1)
    return np.array([now.mean(), end, is_done.mean(), is_wrong.sum() / max(is_done.sum(), 1)])


def peeking(scale: float, seed: int, _: Path | None) -> None:
    """Print decided arms and wrong shares at the end of a budget, and acting on first decisions, for both goals."""
    runs, table = max(4, int(40 * scale)), []
    for goal in ("mistakes", "decide"):
        for words, (begin, each) in SETTINGS.items():
            found = []
            for run in range(runs):
                rng = np.random.default_rng([seed, run])
                begun = begin(rng, goal)
                found.append(looked_at(begun, each * begun.means.size, rng))
            means, errors = np.mean(found, axis=0), np.std(found, axis=0) / math.sqrt(runs)
            cells = [f"{100 * means[i]:.0f} %, {100 * means[i + 1]:.1f} % ± {100 * errors[i + 1]:.1f}" for i in (0, 2)]
            table.append([words, str(each), goal, *cells])
            print("|", " | ".join(table[-1]), "|", flush=True)
    print(f"\n{runs} campaigns in each row; decided, and the mean over campaigns of wrong / max(decided, 1)\n")
    print(markdown_table(["means", "per arm", "goal", "at the end", "at the first decision"], table, left=(0, 2)))
