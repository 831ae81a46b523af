"""Whether decisions can be trusted, and how many there are: the tables of docs/explanation/decisions.md.

``python -m benchmarks.decisions calibration peeking guarantees power``: some ten minutes in all, each part alone a few.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from thresher.engine import arms_of, ticks_of
from thresher.engine.seen_runs import see_runs
from thresher.experiment.suite import NAMED
from thresher.jit import njit
from thresher.policy import GUARANTEES, Doubt, Ranking, Seen, decide, doubt, e_bh, e_values, find_index_policy, rule_of
from thresher.policy.fixed_budget.decide import DECIDE, decide_formula
from thresher.policy.fixed_budget.more_than import evidence_by
from thresher.policy.policy import Stop
from thresher.policy.ranking import urgency_of
from thresher.problem import Problem, Question, named
from thresher.report import markdown_table
from thresher.types import Bools, Floats, Ints

RISK, BAR = 0.05, 0.8
BINS = np.array([0.0, 0.002, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
SMALL = ("gaussian-population:tau=0.3", "gaussian-population:tau=1.0", "gaussian-population:tau=0.3,mean=0.3",
         "beta-population:a=8,b=2,threshold=0.8")  # fmt: skip
ONE_SIDED = (
    ("gaussian-population:K=50,tau=0.1,mean=0.3", (100, 250, 1000)),
    ("gaussian-population:K=50,tau=0.05,mean=0.2", (100, 250, 1000)),
    ("gaussian-population:K=50,mean=-0.5", (100, 250, 1250)),
)


MORE = (
    ("linear:K=20", (80, 200, 800)),
    ("gaussian-population:K=20", (40, 100, 500)),
    ("beta-population:K=100,a=2", (200, 400, 2000)),
    ("beta-population:a=5,b=2,threshold=0.8", (100, 200, 1000)),
)
CLUSTERED = (  # of each cluster: how many arms, about where, how far apart
    ("clustered: 70 near below, 30 far above", ((70, -0.2, 0.1), (30, 1.0, 0.2)), (200, 500, 2000)),
    ("clustered: 30 below, 30 far above", ((30, -0.3, 0.05), (30, 0.8, 0.1)), (120, 300, 1500)),
    ("clustered: 25 near above, 75 far below", ((25, 0.15, 0.05), (75, -1.0, 0.3)), (200, 500, 2000)),
)


class Judged(NamedTuple):
    """Claimed chances of error of all arms of all runs of a cell, and whether their verdicts were wrong."""

    claimed: Floats
    is_wrong: Floats
    n_arms: int


def cells() -> Iterator[tuple[Problem, tuple[float, ...]]]:
    """Yield problems with their budgets: few arms, arms on one side, clusters, and those of the league."""
    for n_arms in (1, 2, 4, 10):
        for name in SMALL:
            yield named(f"{name},K={n_arms}"), (5 * n_arms, 20 * n_arms, 80 * n_arms)
    for name, budgets in (*ONE_SIDED, *MORE):
        yield named(name), budgets
    for name, clusters, budgets in CLUSTERED:
        means = [middle + spread * ndtri((np.arange(n) + 0.5) / n) for n, middle, spread in clusters]
        yield Problem.gaussian(np.concatenate(means), name=name), budgets
    for name, given, _ in NAMED:
        if named(name).n_arms <= 120:
            yield named(name), (given[0], given[1], given[3])


def judged(problem: Problem, budgets: tuple[float, ...], *, runs: int, seed: int) -> list[Judged]:
    """Return what the policy `stopping` claims and how often it is wrong, at each budget."""
    rule = find_index_policy("stopping")
    seen = see_runs(rule.rank(problem), arms_of(problem), np.array([ticks_of(b) for b in budgets]), seed, 0, runs)
    found = []
    for b in range(len(budgets)):
        sides = np.where(seen.totals[:, b] / seen.counts[:, b] > problem.thresholds, 1, -1)
        wrong = ((sides > 0) != (seen.means > problem.thresholds)) & (seen.means != problem.thresholds)
        claimed = [
            doubt(problem.question, Seen(seen.counts[i, b], seen.totals[i, b], seen.squares[i, b])).of(sides[i])
            for i in range(runs)
        ]
        found.append(Judged(np.concatenate(claimed), wrong.ravel().astype(np.float64), problem.n_arms))
    return found


def calibration(scale: float, plot: Path | None) -> None:
    """Print which share of the decided is wrong in each cell, and claimed beside realised chances of all rows."""
    table, everything = [], list[Judged]()
    for problem, budgets in cells():
        runs = max(8, min(int(400 * scale), int(1000 * scale / problem.n_arms)))
        rows = judged(problem, budgets, runs=runs, seed=2)
        table.append([problem.name, *(_cell(row, budget) for row, budget in zip(rows, budgets, strict=True))])
        everything += rows
    print(markdown_table(["problem", "least budget", "middle", "largest"], table, left=(0,)))
    print()
    groups = {
        "K ≤ 2": [row for row in everything if row.n_arms <= 2],
        "K = 4 and 10": [row for row in everything if 2 < row.n_arms <= 10],
        "K > 10": [row for row in everything if row.n_arms > 10],
    }
    lines = {name: _bins(rows) for name, rows in groups.items()}
    table = [
        [f"{low:g} to {high:g}", *(_bin_cell(found[i]) for found in lines.values())]
        for i, (low, high) in enumerate(pairwise(BINS.tolist()))
    ]
    print(markdown_table(["claimed", *lines], table, left=(0,)))
    if plot is not None:
        _draw(lines, plot)


def _cell(row: Judged, budget: float) -> str:
    """Return decided arms and the wrong ones among them; a star where those are more than the risk by two errors."""
    is_decided = row.claimed <= RISK
    count, wrong = int(is_decided.sum()), float(row.is_wrong[is_decided].sum())
    error = math.sqrt(RISK * (1.0 - RISK) / max(count, 1))
    share = wrong / max(count, 1)
    star = "*" if share > RISK + 2.0 * error else ""
    made = float(row.is_wrong.sum())
    ratio = f"{row.claimed.sum() / made:.2f}" if made else "–"
    return f"{budget:g}: {100 * is_decided.mean():.0f} %, {100 * share:.1f} % ± {100 * error:.1f}{star}; {ratio}"


def _bins(rows: list[Judged]) -> list[tuple[int, float, float]]:
    """Return for each bin of claimed chances how many rows it has, what they claim and how many are wrong."""
    claimed = np.concatenate([row.claimed for row in rows])
    wrong = np.concatenate([row.is_wrong for row in rows])
    places = np.clip(np.searchsorted(BINS, claimed, side="left") - 1, 0, BINS.size - 2)
    found = []
    for i in range(BINS.size - 1):
        chosen = places == i
        n = int(chosen.sum())
        found.append((n, float(claimed[chosen].mean()) if n else 0.0, float(wrong[chosen].mean()) if n else 0.0))
    return found


def _bin_cell(found: tuple[int, float, float]) -> str:
    n, claimed, realised = found
    error = math.sqrt(max(realised * (1.0 - realised), 1e-4) / max(n, 1))
    return f"{claimed:.4f} → {realised:.4f} ± {error:.4f}" if n else "–"


def _draw(lines: dict[str, list[tuple[int, float, float]]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([1e-4, 0.5], [1e-4, 0.5], color="0.7", linewidth=1.0, label="claimed = realised")
    for name, found in lines.items():
        known = [(claimed, realised) for n, claimed, realised in found if n >= 50 and realised > 0.0]
        axes.plot(*zip(*known, strict=True), marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="chance of error claimed", ylabel="share of wrong verdicts")
    axes.legend()
    figure.savefig(path, dpi=120)


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


def peeking(scale: float, plot: Path | None) -> None:  # noqa: ARG001
    """Print wrong decisions over all arms for campaigns that stop when everything is decided."""
    settings: list[tuple[str, int, str, Callable[[np.random.Generator, int], Floats], int]] = [
        ("gaussian", 10, "±0.1 σ", lambda rng, n: 0.1 * rng.choice([-1.0, 1.0], n), 200),
        ("gaussian", 10, "±0.02 σ", lambda rng, n: 0.02 * rng.choice([-1.0, 1.0], n), 200),
        ("gaussian", 10, "all +0.1 σ", lambda _, n: np.full(n, 0.1), 200),
        ("gaussian", 10, "N(0, 0.3²)", lambda rng, n: rng.normal(0.0, 0.3, n), 200),
        ("gaussian", 2, "±0.1 σ", lambda rng, n: 0.1 * rng.choice([-1.0, 1.0], n), 200),
        ("bernoulli", 10, "Beta(8, 2), bar 0.8", lambda rng, n: rng.beta(8.0, 2.0, n), 200),
        ("bernoulli", 2, "Beta(8, 2), bar 0.8", lambda rng, n: rng.beta(8.0, 2.0, n), 200),
    ]
    table = []
    for family, n_arms, words, population, most in settings:
        runs, rng = max(4, int(scale * (200 if n_arms == 2 else 40))), np.random.default_rng(3)
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


def guarantees(scale: float, _: Path | None) -> None:
    """Print how often each proved guarantee fails over campaigns that look after every outcome of each arm."""
    runs, n_arms, last = int(10_000 * scale), 10, 100
    table = []
    for family in ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"):
        for words, correlation in (("independent", 0.0), ("dependent", 0.9)):
            found = failures(family, runs, n_arms, last, correlation)
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
        blank = Doubt(np.full(sides.size, 0.5), np.full(sides.size, 0.5))
        anytime, narrow = (
            decide(question, seen, sides, blank, risk=risk, guarantee="anytime").is_decided[back].reshape(self.size)
            for risk in (RISK, RISK / self.size[1])
        )
        wrong = (sides[back].reshape(self.size) > 0) & (self.effects == 0.0)
        self.ever |= anytime & wrong
        self.any |= (narrow & wrong).any(axis=1)
        e = e_values(question, seen, risk=RISK)
        found = e_bh(np.where(sides > 0, e.above, e.below)[back].reshape(self.size), risk=RISK)
        share = (found & wrong).sum(axis=1) / np.maximum(found.sum(axis=1), 1)
        self.rate = np.where(np.isnan(self.rate) & (share > 0.0), share, self.rate)

    def distinct(self, n: int) -> tuple[Question, Seen, Ints]:
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
        return question, Seen(np.full(first.size, float(n)), totals[first], squares[first]), back


def failures(family: str, runs: int, n_arms: int, last: int, correlation: float) -> tuple[float, float, float]:
    """Return how often an arm is ever wrong (anytime), the false discovery rate, and any wrong decision (fwer)."""
    rng, watched = np.random.default_rng(4), Watched(family, runs, n_arms)
    for n in range(1, last + 1):
        shared = rng.normal(size=(runs, 1))
        watched.tell(math.sqrt(correlation) * shared + math.sqrt(1.0 - correlation) * rng.normal(size=(runs, n_arms)))
        watched.look(n)
    ever = watched.ever[:, watched.effects == 0.0]
    return float(ever.mean()), float(np.nan_to_num(watched.rate).mean()), float(watched.any.mean())


@njit(cache=True)
def spend(
    ranking: Ranking, means: Floats, budget: int, goal: int, level: float, rho: float, seed: int
) -> tuple[Floats, Floats]:
    """Return counts and sums of 0/1 arms after a budget: uniformly (0), against mistakes (1), for decisions (2)."""
    np.random.seed(seed)
    n_arms = means.size
    counts, totals, keys = np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms)
    for t in range(budget):
        k = t % n_arms if goal == 0 or t < n_arms else int(np.argmin(keys))
        counts[k] += 1.0
        totals[k] += 1.0 if np.random.random() < means[k] else 0.0
        rule = rule_of(ranking, k)
        if goal == 1:
            keys[k] = urgency_of(rule, counts[k], totals[k], 0.0)
        elif goal == 2:
            keys[k] = decide_formula(counts[k] + 1.0, evidence_by(rule, counts[k], totals[k], 0.0), level, rho)
    return counts, totals


class Played(NamedTuple):
    """One campaign of 36 arms at its end."""

    means: Floats
    counts: Floats
    totals: Floats
    sides: Ints

    @property
    def is_wrong(self) -> Bools:
        """Which verdicts are wrong."""
        return np.asarray((self.sides > 0) != (self.means > BAR))

    def decided(self, guarantee: str) -> Bools:
        """Return which arms are decided."""
        question = Question.of("bernoulli", thresholds=np.full(self.means.size, BAR))
        squares = self.totals * (1.0 - BAR) ** 2 + (self.counts - self.totals) * BAR**2
        seen = Seen(self.counts, self.totals, squares)
        return decide(question, seen, self.sides, doubt(question, seen), risk=RISK, guarantee=guarantee).is_decided

    def decided_by_prior(self) -> float:
        """Return the share of arms whose chance of error is at most the risk under the true prior, Beta(8, 2)."""
        from scipy.special import betainc

        below = betainc(8.0 + self.totals, 2.0 + self.counts - self.totals, BAR)
        return float((np.where(self.sides > 0, below, 1.0 - below) <= RISK).mean())


def played(goal: int, guarantee: str, each: int, runs: int) -> list[Played]:
    """Return campaigns of 36 arms from Beta(8, 2): sampled uniformly (0), against mistakes (1), for decisions (2)."""
    problem = Problem.bernoulli(np.full(36, 0.5), thresholds=BAR)
    ranking, rng = find_index_policy("stopping").rank(problem), np.random.default_rng(5)
    policy = DECIDE.policy("decide", {"guarantee": guarantee})
    level, rho = DECIDE.prepare(problem, Stop(each * 36), policy.parameters)
    found = []
    for run in range(runs):
        means = rng.beta(8.0, 2.0, 36)
        counts, totals = spend(ranking, means, each * 36, goal, level, rho, run)
        found.append(Played(means, counts, totals, np.where(totals / counts > BAR, 1, -1)))
    return found


def power(scale: float, _: Path | None) -> None:
    """Print how many of 36 arms from Beta(8, 2) at the bar 0.8 are decided, by goal and guarantee, and mistakes."""
    runs, table = max(4, int(60 * scale)), []
    for each in (10, 30, 100):
        for goal, words in enumerate(("uniform", "mistakes", "decide")):
            plain, shown = played(goal, GUARANTEES[0], each, runs), []
            for guarantee in GUARANTEES:
                own = played(goal, guarantee, each, runs) if goal == 2 else plain
                decided = [campaign.decided(guarantee) for campaign in own]
                wrong = [(found & campaign.is_wrong).sum() for found, campaign in zip(decided, own, strict=True)]
                shown.append(f"{100 * np.mean(decided):.0f} % ({np.mean(wrong):.2f})")
            mistakes = np.mean([campaign.is_wrong.sum() for campaign in plain])
            by_prior = np.mean([campaign.decided_by_prior() for campaign in plain])
            table.append([str(each), words, f"{mistakes:.2f}", *shown, f"{100 * by_prior:.0f} %"])
    print(f"{runs} campaigns of 36 arms; decided (wrong decisions per campaign)\n")
    headers = ["measurements per arm", "goal", "wrong verdicts", *GUARANTEES, "by the true prior"]
    print(markdown_table(headers, table, left=(1,)))


PARTS = {"calibration": calibration, "peeking": peeking, "guarantees": guarantees, "power": power}


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all unless given")
    parser.add_argument("--scale", type=float, default=1.0, help="so many times the usual number of runs")
    parser.add_argument("--plot", type=Path, help="of claimed and realised chances")
    given = parser.parse_args()
    for name in given.part or PARTS:
        print(f"\n{name}\n", flush=True)
        PARTS[name](given.scale, given.plot)


if __name__ == "__main__":
    main()
