"""Whether more budget decides what `outlook` says: campaigns are extended, and the two numbers compared."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.decisions.campaigns import Simulated, coins, compared, normals
from thresher.inference.guarantees import GUARANTEES
from thresher.policy import outlook
from thresher.report import markdown_table


class Setting(NamedTuple):
    """A kind of campaign: in words, how it begins, and how many measurements per arm it has had."""

    words: str
    begin: Callable[[np.random.Generator], Simulated]
    each: int


def _coins(rng: np.random.Generator, goal: str, guarantee: str) -> Simulated:
    return coins(rng.beta(8.0, 2.0, 36), 0.8, goal, guarantee)


def _normals(rng: np.random.Generator, n_arms: int, goal: str, guarantee: str, tolerance: float = 0.0) -> Simulated:
    return normals(rng.normal(0.0, 0.5, n_arms), goal, guarantee, tolerance)


def _variants(rng: np.random.Generator, n_arms: int, spread: float, guarantee: str, margin: float | str) -> Simulated:
    rates = 0.05 + np.concatenate([[0.0], rng.normal(0.0, spread, n_arms)])
    return compared(np.maximum(rates, 0.001), "bernoulli", guarantee=guarantee, margin=margin)


def _scores(rng: np.random.Generator, n_arms: int, guarantee: str) -> Simulated:
    return compared(np.concatenate([[0.0], rng.normal(0.0, 0.5, n_arms)]), "gaussian", guarantee=guarantee)


def _settings() -> list[Setting]:
    found = []
    for goal in ("mistakes", "decide"):
        for each in GUARANTEES:
            begin = partial(_coins, goal=goal, guarantee=each)
            found.append(Setting(f"36 arms from Beta(8, 2), bar 0.8; {goal}, {each}", begin, 20))
            begin = partial(_normals, n_arms=20, goal=goal, guarantee=each)
            found.append(Setting(f"20 arms from N(0, ½²); {goal}, {each}", begin, 10))
        begin = partial(_normals, n_arms=6, goal=goal, guarantee="calibrated")
        found.append(Setting(f"6 arms from N(0, ½²); {goal}, calibrated", begin, 10))
        begin = partial(_normals, n_arms=20, goal=goal, guarantee="calibrated", tolerance=0.2)
        found.append(Setting(f"20 arms from N(0, ½²), tolerance 0.2; {goal}, calibrated", begin, 10))
    for each in GUARANTEES:
        begin = partial(_scores, n_arms=12, guarantee=each)
        found.append(Setting(f"12 arms from N(0, ½²), control 0; {each}", begin, 20))
    for words, spread, margin in (("", 0.02, 0.0), ("", 0.005, 0.0), (", margin −2 %", 0.02, "-2%")):
        begin = partial(_variants, n_arms=12, spread=spread, guarantee="calibrated", margin=margin)
        found.append(Setting(f"12 rates, control 0.05, effects N(0, {spread:g}²){words}; calibrated", begin, 800))
    return found


def extended(setting: Setting, runs: int, seed: int) -> list[str]:
    """Return a row: open arms, how many of them twice the budget was to decide and did, and the same of the offer."""
    doubled, offered = list[tuple[float, ...]](), list[tuple[float, ...]]()
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        begun = setting.begin(rng)
        spent = setting.each * begun.question.n_arms
        now = begun.carried_on(spent, int(rng.integers(1 << 31)))
        is_decided = now.decided().is_decided
        if is_decided.all():
            continue
        ahead = outlook(now.question, now.seen, ~is_decided, judging=now.judging, seed=run)
        for found, more in ((doubled, float(spent)), (offered, ahead.offer(spent).measurements)):
            later = now.carried_on(int(more), int(rng.integers(1 << 31))).decided().is_decided
            found.append((ahead.n_open, more, ahead.after(more), float(later.sum() - is_decided.sum())))
    n_open, _, expected, gained = np.mean(doubled, axis=0)
    _, more, offer, kept = np.mean(offered, axis=0)
    first = [f"{n_open:.1f}", f"{expected:.1f}", f"{gained:.1f}", f"{expected / gained:.2f}" if gained > 0.0 else "–"]
    return [setting.words, *first, f"{more:.0f}", f"{offer:.1f}", f"{kept:.1f}"]


def extensions(scale: float, seed: int, _: Path | None, part: str = "") -> None:
    """Print what twice the budget was to decide and decided, and the same of the extension that the user is offered."""
    runs = max(3, int(20 * scale))
    heads = ["campaign", "open", "twice the budget: expected", "decided", "ratio", "offer", "expected", "decided"]
    print(f"{runs} campaigns in each row; ratio: expected / decided\n")
    chosen = [setting for setting in _settings() if part in setting.words]
    print(markdown_table(heads, [extended(setting, runs, seed) for setting in chosen], left=(0,)))
