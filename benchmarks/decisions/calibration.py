"""Whether the chance of error is what it says at fixed budgets, cell by cell and row by row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from benchmarks.seen_runs import see_runs
from thresher.inference import decide, posterior_of
from thresher.inference.bars import bar_of
from thresher.policy import find_index_policy
from thresher.problem import Problem, Statistics, named, ticks_of
from thresher.report import Line, markdown_table
from thresher.report.curves import write_picture
from thresher.report.panel_drawing import ALONE, draw_panels
from thresher.report.panels import Panel
from thresher.report.picture_style import picture_style
from thresher.research.engine import arms_of
from thresher.research.league.suite import NAMED
from thresher.types import Bools, Floats

RISK = 0.05
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
SURE = 1.0 - 1e-9  # the rate of a test that passes every time
SUITES = (  # of tests: their pass rates, the bar
    ("tests: 12 good, 4 bad, 4 flaky", (*[SURE] * 12, *[0.6] * 4, *[0.95] * 4), 0.85, (60, 140, 600)),
    ("tests: 45 good, 2 bad, 3 flaky", (*[SURE] * 45, *[0.7] * 2, *[0.95] * 3), 0.9, (150, 350, 1500)),
    ("tests: 49 good, 1 flaky", (*[SURE] * 49, 0.95), 0.98, (500, 2000, 5000)),
)


class Judged(NamedTuple):
    """Claimed chances of error of all arms of a cell, whether they were decided, and wrongly; shape (runs, K)."""

    claimed: Floats
    is_decided: Bools
    is_wrong: Bools

    @property
    def n_arms(self) -> int:
        """K."""
        return int(self.claimed.shape[1])

    @property
    def shares(self) -> Floats:
        """The share of wrong ones among the decided in each campaign, 0 where none is decided, shape (runs,)."""
        is_decided = self.is_decided
        return np.asarray((is_decided & self.is_wrong).sum(axis=1) / np.maximum(is_decided.sum(axis=1), 1))

    @property
    def share(self) -> str:
        """The expected share of wrong ones among the decided in a campaign, with its standard error."""
        return f"{100 * self.shares.mean():.1f} % ± {100 * self.shares.std() / math.sqrt(self.shares.size):.1f}"

    @property
    def excess(self) -> float:
        """By how many standard errors the expected share of wrong ones among the decided exceeds the risk."""
        shares = self.shares
        return float((shares.mean() - RISK) / max(shares.std() / math.sqrt(shares.size), 1e-12))

    @property
    def p_value(self) -> float:
        """The probability of at least this number of wrong decisions if their share among all decisions is the risk.

        The larger of two: decisions taken for independent (binomial), and campaigns taken for independent (the mean
        over campaigns of wrong − risk · decided, about normal). The first is exact with few decisions, the second holds
        where arms of a campaign are wrong together.
        """
        is_decided = self.is_decided
        decided, wrong = is_decided.sum(axis=1), (is_decided & self.is_wrong).sum(axis=1)
        excess = wrong - RISK * decided
        if excess.sum() <= 0.0:
            return 1.0
        error = math.sqrt(excess.size * max(float(excess.var()), 1e-12))
        return max(float(binom.sf(wrong.sum() - 1, decided.sum(), RISK)), float(ndtr(-excess.sum() / error)))


def cells() -> Iterator[tuple[Problem, tuple[float, ...]]]:
    """Yield problems with their budgets: few arms, arms on one side, clusters, tests, and those of the league.

    Problems with items have a calibration of their own, :mod:`benchmarks.items_calibration`.
    """
    for n_arms in (1, 2, 4, 10):
        for name in SMALL:
            yield named(f"{name},K={n_arms}"), (5 * n_arms, 20 * n_arms, 80 * n_arms)
    for name, budgets in (*ONE_SIDED, *MORE):
        yield named(name), budgets
    for name, clusters, budgets in CLUSTERED:
        means = [middle + spread * ndtri((np.arange(n) + 0.5) / n) for n, middle, spread in clusters]
        yield Problem.gaussian(np.concatenate(means), name=name), budgets
    for name, rates, bar, budgets in SUITES:
        yield Problem.bernoulli(rates, thresholds=bar, name=name), budgets
    for name, given, _ in NAMED:
        problem = named(name)
        if problem.n_arms <= 120 and problem.structure is None:
            yield problem, (given[0], given[1], given[3])


def judged(problem: Problem, budgets: tuple[float, ...], *, runs: int, seed: int) -> list[Judged]:
    """Return what the policy `stopping` claims and how often it is wrong, at each budget."""
    rule = find_index_policy("stopping")
    seen = see_runs(rule.rank(problem), arms_of(problem), np.array([ticks_of(b) for b in budgets]), seed, 0, runs)
    found = []
    for b in range(len(budgets)):
        sides = np.where(seen.totals[:, b] / seen.counts[:, b] > problem.thresholds, 1, -1)
        wrong = ((sides > 0) != (seen.means > problem.thresholds)) & (seen.means != problem.thresholds)
        told = [Statistics(seen.counts[i, b], seen.totals[i, b], seen.squares[i, b]) for i in range(runs)]
        bar = bar_of(problem.question)
        rows = [decide(bar, each, sides[i], posterior_of(bar, each), risk=RISK) for i, each in enumerate(told)]
        claimed, decided = (np.array([getattr(row, name) for row in rows]) for name in ("p_wrong", "is_decided"))
        found.append(Judged(claimed, decided, np.broadcast_to(wrong, sides.shape)))
    return found


def calibration(scale: float, seed: int, plot: Path | None, part: str = "") -> None:
    """Print which share of the decided is wrong in each cell, and claimed and realised chances of all rows."""
    table, everything = [], dict[str, Judged]()
    for problem, budgets in cells():
        if part not in problem.name:
            continue
        runs = max(12, int(min(400.0, 3000.0 / problem.n_arms) * scale))
        rows = judged(problem, budgets, runs=runs, seed=seed)
        table.append([problem.name, *(_cell(row, budget) for row, budget in zip(rows, budgets, strict=True))])
        everything |= {f"{problem.name} at {budget:g}": row for row, budget in zip(rows, budgets, strict=True)}
    print(markdown_table(["problem", "least budget", "middle", "largest"], table, left=(0,)))
    print(f"\n{_verdict(everything)}\n")
    groups = {
        "K ≤ 2": [row for row in everything.values() if row.n_arms <= 2],
        "K = 4 and 10": [row for row in everything.values() if 2 < row.n_arms <= 10],
        "K > 10": [row for row in everything.values() if row.n_arms > 10],
    }
    lines = {name: _bins(rows) for name, rows in groups.items() if rows}
    table = [
        [f"{low:g} to {high:g}", *(_bin_cell(found[i]) for found in lines.values())]
        for i, (low, high) in enumerate(pairwise(BINS.tolist()))
    ]
    print(markdown_table(["claimed", *lines], table, left=(0,)))
    if plot is not None:
        _draw(lines, plot)


def _verdict(named_rows: dict[str, Judged]) -> str:
    """Return which cells exceed the risk: by the share expected of a campaign, and by all decisions of a cell."""
    rows = list(named_rows.values())
    largest = sorted(named_rows, key=lambda name: -named_rows[name].excess)[:3]
    chances, excesses = np.array([row.p_value for row in rows]), np.array([row.excess for row in rows])
    decided = sum(int(row.is_decided.sum()) for row in rows)
    wrong = sum(int((row.is_decided & row.is_wrong).sum()) for row in rows)
    mean = float(np.mean([row.is_decided.mean() for row in rows]))
    shown = "; ".join(f"{name}, {named_rows[name].share}" for name in largest)
    return (
        f"{len(rows)} cells, {100 * mean:.1f} % of the arms decided on average over cells; of {decided} decisions "
        f"{100 * wrong / decided:.1f} % are wrong.\n\nThe share of wrong ones among the decided, expected of a "
        f"campaign, exceeds the risk by more than 2 standard errors in {(excesses > 2.0).sum()} cells; the largest "
        f"excesses: {shown}.\n\n"
        f"All decisions of a cell together: p < 0.05 in {(chances < 0.05).sum()} cells, "
        f"p < 0.01 in {(chances < 0.01).sum()}, p < 0.05 / {len(rows)} (Bonferroni) in "
        f"{(chances < 0.05 / len(rows)).sum()}; the least is {chances.min():.2g}."
    )


def _cell(row: Judged, budget: float) -> str:
    """Return decided arms, the wrong ones among them, and predicted / made; a star where p < 0.01."""
    is_decided = row.is_decided
    count, wrong = int(is_decided.sum()), int(row.is_wrong[is_decided].sum())
    made = float(row.is_wrong.sum())
    ratio = f"{row.claimed.sum() / made:.2f}" if made else "–"
    star = "*" if row.p_value < 0.01 else ""
    return f"{budget:g}: {100 * is_decided.mean():.0f} %, {wrong} of {count}{star}; {ratio}"


def _bins(rows: list[Judged]) -> list[tuple[int, float, float]]:
    """Return for each bin of claimed chances how many rows it has, what they claim and how many are wrong."""
    claimed = np.concatenate([row.claimed.ravel() for row in rows])
    wrong = np.concatenate([row.is_wrong.ravel() for row in rows])
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
    """Draw the share of wrong verdicts against the chance of error claimed, with two standard errors."""
    drawn = [Line("claimed = realised", (1e-3, 0.5), (1e-3, 0.5))]
    for name, found in lines.items():
        known = [(n, claimed, realised) for n, claimed, realised in found if n >= 50 and realised > 0.0]
        errors = [2.0 * math.sqrt(realised * (1.0 - realised) / n) for n, _, realised in known]
        shares = [realised for _, _, realised in known]
        band = [(share - error, share + error) for share, error in zip(shares, errors, strict=True)]
        lows, highs = (tuple(each) for each in zip(*band, strict=True))
        drawn.append(Line(name, tuple(claimed for _, claimed, _ in known), tuple(shares), lows, highs))
    labels = ("", "chance of error claimed", "share of wrong verdicts")
    panel = Panel(*labels, tuple(drawn), is_log_x=True, is_log_y=True)
    with picture_style(text=ALONE.text):
        write_picture(draw_panels([panel], ALONE), path)
