"""What becomes of decisions if outcomes are not what the family assumes: campaigns in memory, simulated outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.decisions.calibration import RISK
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.report import markdown_table
from thresher.types import Floats

LOOKS = 5  # each at twice the outcomes of the one before, the last at the end of the budget
WARNINGS = (
    "the guarantee assumes normal outcomes, and these",
    "no arm is decided: outcomes vary",
    "outcomes vary about",
)


class Setting(NamedTuple):
    """Campaigns of one kind.

    Attributes
    ----------
    words : str
    terms : dict
        Of the campaign, with its threshold and sigma.
    truths : callable
        From random numbers to what each arm is compared by: a mean, or a quantile.
    draw : callable
        From random numbers and the truth of an arm to an outcome.
    per_arm : int
        Outcomes for each arm.
    """

    words: str
    terms: dict[str, Any]
    truths: Callable[[np.random.Generator], Floats]
    draw: Callable[[np.random.Generator, float], float]
    per_arm: int


class Wrong(NamedTuple):
    """Arms of one campaign, at the end and at the first decision on each, and whether wrong ones were warned of.

    Attributes
    ----------
    decided, wrong : int
        Arms that are decided at the end, and wrongly so.
    first, first_wrong : int
        Arms that were ever decided, and wrongly so at first.
    warned : int
        1 if a warning stood at the first look with a wrong decision, or at the end if there was none.
    """

    decided: int
    wrong: int
    first: int
    first_wrong: int
    warned: int


def played(setting: Setting, rng: np.random.Generator) -> Wrong:
    """Return what one campaign decides."""
    truths = setting.truths(rng)
    names, budget = [f"arm {k}" for k in range(truths.size)], setting.per_arm * truths.size
    campaign = Campaign.create(MemoryStorage(), "x", arms=names, budget=budget, risk=RISK, **setting.terms)
    truth_of, first = dict(zip(names, truths.tolist(), strict=True)), dict[str, bool]()
    found, told, is_warned = dict[str, bool](), 0, False
    for look in range(LOOKS):
        wanted = budget >> (LOOKS - 1 - look)
        while told < wanted:
            tickets = campaign.ask(min(truths.size, wanted - told))
            campaign.tell_many([(ticket, setting.draw(rng, truth_of[ticket.arm])) for ticket in tickets])
            told += len(tickets)
        verdicts = campaign.verdicts()
        rows = [row for row in verdicts if row.decision != "open"]
        found = {row.arm: (row.verdict == "above") != (truth_of[row.arm] > row.threshold) for row in rows}
        if not any(first.values()):
            is_warned = any(note.startswith(WARNINGS) for note in verdicts.notes)
        first = found | first
    return Wrong(len(found), sum(found.values()), len(first), sum(first.values()), is_warned)


def settings() -> Iterator[tuple[str, Setting]]:
    """Yield a guarantee and the campaigns to decide under it."""
    slow = lambda _: np.full(5, 1.03)  # noqa: E731
    spread = 1.6
    times = {"threshold": 1.0, "passes": "below"}
    by_mean = times | {"family": "gaussian-unknown-variance"}
    by_median = times | {"quantile": 0.5}
    mean = lambda rng, truth: truth * rng.lognormal(-0.5 * spread**2, spread)  # noqa: E731
    median = lambda rng, truth: truth * rng.lognormal(0.0, spread)  # noqa: E731
    for guarantee in ("calibrated", "anytime", "fwer"):
        yield guarantee, Setting("lognormal times 3 % above the bar, mean", by_mean, slow, mean, 320)
        yield guarantee, Setting("lognormal times 3 % above the bar, median", by_median, slow, median, 320)
    far = lambda rng, truth: truth + rng.normal() + (40.0 if rng.random() < 0.02 else 0.0) - 0.8  # noqa: E731
    plain = lambda rng, truth: truth + rng.normal() + (40.0 if rng.random() < 0.02 else 0.0)  # noqa: E731
    near = lambda rng: 0.05 + 0.2 * rng.random(10)  # noqa: E731
    zero = {"threshold": 0.0, "passes": "below", "policy": "uniform"}
    yield "fdr", Setting("2 % outliers of 40 σ, mean", zero | {"family": "gaussian-unknown-variance"}, near, far, 120)
    yield "fdr", Setting("2 % outliers of 40 σ, quantile 0.49", zero | {"quantile": 0.49}, near, plain, 120)
    rates = lambda rng: rng.beta(8.0, 2.0, 20)  # noqa: E731
    for per_arm in (3, 10, 30):
        for half in (0.3, 0.95):
            words = f"scores 0, 0.5 or 1, {per_arm} per arm, {100 * half:.0f} % of the largest share of 0.5"
            scores = {"threshold": 0.8, "family": "bounded"}
            score = lambda rng, mean, h=half: _score(rng, mean, h)  # noqa: E731
            yield "calibrated", Setting(words, scores, rates, score, per_arm)
        words, binary = f"0 or 1, {per_arm} per arm", lambda rng, mean: float(rng.random() < mean)
        yield "calibrated", Setting(words, {"threshold": 0.8}, rates, binary, per_arm)
    normal = {"threshold": 0.0, "family": "gaussian", "sigma": 1.0}
    for check in ("withhold", "warn"):
        for truth in (1.0, 2.0):
            words = f"normal, σ given 1, true {truth:g}, sigma_check {check}"
            population, noise = lambda rng: rng.normal(0.0, 1.0, 10), lambda rng, mean, s=truth: rng.normal(mean, s)
            yield "calibrated", Setting(words, normal | {"sigma_check": check}, population, noise, 10)


def _score(rng: np.random.Generator, mean: float, half: float) -> float:
    """Return 0, 0.5 or 1 with this mean; `half` is the share of 0.5 among the largest that the mean allows."""
    middle = half * 2.0 * min(mean, 1.0 - mean)
    place = rng.random()
    return 1.0 if place < mean - 0.5 * middle else 0.5 if place < mean + 0.5 * middle else 0.0


def assumptions(scale: float, seed: int, _: Path | None) -> None:
    """Print the share of wrong ones among the decided, at the end and at first decisions, and campaigns with any."""
    runs, table = max(4, int(40 * scale)), []
    for guarantee, setting in settings():
        rng = np.random.default_rng(seed)
        terms = setting.terms | {"guarantee": guarantee}
        found = np.array([played(setting._replace(terms=terms), rng) for _ in range(runs)], float)
        table.append([setting.words, guarantee, *_cells(found)])
        print(*table[-1], sep=" | ", flush=True)
    print(f"\n{runs} campaigns each, {LOOKS} looks; risk {100 * RISK:g} %\n")
    heads = [
        "outcomes", "guarantee", "decided", "wrong / decided", "at the first decision", "campaigns with any wrong",
        "of these warned",
    ]  # fmt: skip
    print(markdown_table(heads, table, left=(0, 1)))


def _cells(found: Floats) -> list[str]:
    decided, wrong, first, first_wrong, warned = found.T
    has_wrong = first_wrong > 0.0
    any_wrong, warned_of = f"{int(has_wrong.sum())} of {found.shape[0]}", f"{int(warned[has_wrong].sum())}"
    return [f"{decided.mean():.1f}", _share(wrong, decided), _share(first_wrong, first), any_wrong, warned_of]


def _share(wrong: Floats, decided: Floats) -> str:
    """Return the mean over campaigns of wrong / max(decided, 1), with its standard error."""
    shares = wrong / np.maximum(decided, 1.0)
    return f"{100 * shares.mean():.1f} % ± {100 * shares.std() / math.sqrt(shares.size):.1f}"
