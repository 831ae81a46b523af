"""How often each proved guarantee fails over campaigns that look after every outcome."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from benchmarks.decisions.calibration import RISK
from thresher.inference import e_values, intervals
from thresher.inference.decisions import excluded
from thresher.inference.guarantees import e_bh
from thresher.problem import Question, Statistics
from thresher.report import markdown_table
from thresher.types import Floats, Ints


def guarantees(scale: float, seed: int, _: Path | None) -> None:
    """Print how often each proved guarantee fails over campaigns that look after every outcome of each arm."""
    runs, n_arms, last = int(10_000 * scale), 10, 100
    table = []
    for family in ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"):
        for words, correlation in (("independent", 0.0), ("dependent", 0.9)):
            found = failures(family, runs, n_arms, last, correlation, seed)
            table.append([family, words, *(f"{100 * share:.2f} %" for share in found)])
    print(f"{runs} campaigns of {n_arms} arms at the bar, {last} looks; risk {100 * RISK:g} %\n")
    headers = ["family", "arms", "anytime: an arm ever wrong", "fdr at the first false discovery", "fwer: any wrong"]
    print(markdown_table(headers, table, left=(0, 1)))


class Watched:
    """Campaigns at the bar, watched for wrong decisions after every outcome of each arm.

    Every second arm is at the bar, where ``above`` is wrong; the others are a fifth of a deviation above it.
    """

    def __init__(self, family: str, runs: int, n_arms: int) -> None:
        self.family, self.size, self.bar = family, (runs, n_arms), 0.4
        self.effects = np.where(np.arange(n_arms) % 2, 0.2, 0.0)
        self.totals, self.squares = np.zeros(self.size), np.zeros(self.size)
        self.ever, self.any = np.zeros(self.size, bool), np.zeros(runs, bool)
        self.rate = np.full(runs, math.nan)

    def tell(self, noise: Floats) -> None:
        """Add one outcome of every arm, by standard normal noise; for a bounded score one of three values."""
        from scipy.special import ndtr

        if self.family == "bernoulli":
            outcomes = (ndtr(noise) < self.bar + 0.5 * self.effects).astype(float)
        elif self.family == "bounded":
            share = ndtr(noise)
            outcomes = self.bar + 0.3 * ((share < 0.3 + 0.3 * self.effects).astype(float) - (share > 0.7))
        else:
            outcomes = self.bar + self.effects + noise
        self.totals += outcomes
        self.squares += (outcomes - self.bar) ** 2

    def look(self, n: int) -> None:
        """Note what is decided wrongly after `n` outcomes of every arm."""
        question, seen, back = self.distinct(n)
        sides = np.where(seen.means > self.bar, 1, -1)
        anytime, narrow = (
            excluded(question.thresholds, sides, intervals(question, seen, alpha=risk))[back].reshape(self.size)
            for risk in (RISK, RISK / self.size[1])
        )
        wrong = (sides[back].reshape(self.size) > 0) & (self.effects == 0.0)
        self.ever |= anytime & wrong
        self.any |= (narrow & wrong).any(axis=1)
        e = e_values(question, seen, risk=RISK)
        found = e_bh(np.where(sides > 0, e.above, e.below)[back].reshape(self.size), risk=RISK)
        share = (found & wrong).sum(axis=1) / np.maximum(found.sum(axis=1), 1)
        self.rate = np.where(np.isnan(self.rate) & (share > 0.0), share, self.rate)

    def distinct(self, n: int) -> tuple[Question, Statistics, Ints]:
        """Return the distinct statistics of all arms, and which of them each arm has.

        For unknown variances, where one e-value takes some microseconds, t-statistics are rounded to 1 in 200.
        """
        totals, squares = self.totals.ravel(), self.squares.ravel()
        if self.family == "gaussian-unknown-variance":
            means = totals / n - self.bar
            effects = means / np.sqrt(np.maximum(squares / n - means**2, 1e-12))
            codes = np.round(200.0 * np.arcsinh(effects * math.sqrt(n)))
        elif self.family == "gaussian":
            codes = np.arange(totals.size, dtype=np.float64)
        else:
            codes = np.round(10.0 * totals) * 1e6 + np.round(100.0 * squares)
        _, first, back = np.unique(codes, return_index=True, return_inverse=True)
        question = Question.of(
            self.family, thresholds=np.full(first.size, self.bar), sigma=1.0 if "gaussian" in self.family else None
        )
        return question, Statistics(np.full(first.size, float(n)), totals[first], squares[first]), back


def failures(
    family: str, runs: int, n_arms: int, last: int, correlation: float, seed: int
) -> tuple[float, float, float]:
    """Return how often an arm is ever wrong (anytime), the false discovery rate, and any wrong decision (fwer)."""
    rng, watched = np.random.default_rng(seed), Watched(family, runs, n_arms)
    for n in range(1, last + 1):
        shared = rng.normal(size=(runs, 1))
        watched.tell(math.sqrt(correlation) * shared + math.sqrt(1.0 - correlation) * rng.normal(size=(runs, n_arms)))
        watched.look(n)
    ever = watched.ever[:, watched.effects == 0.0]
    return float(ever.mean()), float(np.nan_to_num(watched.rate).mean()), float(watched.any.mean())
