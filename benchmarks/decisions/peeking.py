"""What becomes of calibrated decisions if a campaign stops when all arms are decided."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.decisions.calibration import RISK
from thresher.policy import Seen, doubt
from thresher.problem import Question
from thresher.report import markdown_table
from thresher.types import Floats


def peeked(question: Question, means: Floats, rng: np.random.Generator, most: int) -> tuple[float, float, float]:
    """Return the shares of arms that were decided, and wrongly so, and outcomes spent on each arm.

    It is looked at every 20 outcomes. Decided arms are left alone; the campaign stops when none is open.
    """
    bar, n_arms = question.thresholds, question.n_arms
    counts, totals, squares = np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms)
    is_open, sides = np.ones(n_arms, bool), np.ones(n_arms, np.int64)
    while is_open.any() and counts.sum() < most * n_arms:
        arms = np.resize(np.flatnonzero(is_open), 20)
        normal = rng.normal(means[arms], 1.0)
        outcomes = normal if question.family == "gaussian" else (rng.random(20) < means[arms]).astype(float)
        np.add.at(counts, arms, 1.0)
        np.add.at(totals, arms, outcomes)
        np.add.at(squares, arms, (outcomes - bar[arms]) ** 2)
        sides = np.where(totals / counts > bar, 1, -1)
        is_open = doubt(question, Seen(counts, totals, squares), is_stopping=True).of(sides) > RISK
    wrong = ~is_open & ((sides > 0) != (means > bar))
    return float((~is_open).mean()), float(wrong.mean()), float(counts.mean())


def peeking(scale: float, seed: int, _: Path | None) -> None:
    """Print wrong decisions over all arms for campaigns that stop when everything is decided."""
    settings: list[tuple[str, int, str, Callable[[np.random.Generator, int], Floats], int]] = [
        ("gaussian", 10, "±0.1 σ", lambda rng, n: 0.1 * rng.choice([-1.0, 1.0], n), 200),
        ("gaussian", 10, "±0.02 σ", lambda rng, n: 0.02 * rng.choice([-1.0, 1.0], n), 200),
        ("gaussian", 10, "all +0.1 σ", lambda _rng, n: np.full(n, 0.1), 200),
        ("gaussian", 10, "N(0, 0.3²)", lambda rng, n: rng.normal(0.0, 0.3, n), 200),
        ("gaussian", 2, "±0.1 σ", lambda rng, n: 0.1 * rng.choice([-1.0, 1.0], n), 200),
        ("bernoulli", 10, "Beta(8, 2), bar 0.8", lambda rng, n: rng.beta(8.0, 2.0, n), 200),
        ("bernoulli", 2, "Beta(8, 2), bar 0.8", lambda rng, n: rng.beta(8.0, 2.0, n), 200),
    ]
    table = []
    for family, n_arms, words, population, most in settings:
        runs, rng = max(4, int(scale * (200 if n_arms == 2 else 40))), np.random.default_rng(seed)
        bar = 0.8 if family == "bernoulli" else 0.0
        question = Question.of(family, thresholds=np.full(n_arms, bar), sigma=1.0 if family == "gaussian" else None)
        found = [peeked(question, population(rng, n_arms), rng, most) for _ in range(runs)]
        decided, wrong, spent = np.mean(found, axis=0)
        error = np.std(found, axis=0)[1] / math.sqrt(runs)
        shown = (f"{spent:.0f}", f"{100 * decided:.0f} %", f"{100 * wrong:.1f} % ± {100 * error:.1f}")
        table.append([family, str(n_arms), words, *shown])
    print(
        markdown_table(["family", "arms", "means", "spent per arm", "decided", "wrong / all arms"], table, left=(0, 2))
    )
