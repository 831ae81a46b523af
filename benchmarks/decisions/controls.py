"""Decisions with a control as the bar: how many are made and are wrong, at the end and at the first of 14 looks."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.decisions.calibration import RISK
from thresher.inference import doubt_by, posterior_of
from thresher.inference.answers import answers_of
from thresher.inference.bars import bar_of
from thresher.inference.decisions import excluded
from thresher.inference.guarantees.calibrated import own_intervals
from thresher.problem import Question, Statistics, Structure
from thresher.report import markdown_table
from thresher.types import Bools, Floats

VISITORS, DAYS = 800, 14  # a day and arm
RATE = 0.05  # of the control
RUNS, FEW_RUNS = 40, 400  # campaigns in a row, and in one with at most two arms, of which each says little

Effects = Callable[[np.random.Generator, int], Floats]


class Setting(NamedTuple):
    """Campaigns with a control; `effects` are added to the mean of the control."""

    words: str
    effects: Effects
    n_arms: int = 12
    family: str = "bernoulli"
    margin: float | str = 0.0
    control_share: float = 1.0  # visitors of the control per visitor of an arm
    orders: str = ""  # of items, where arms answer these: "same" for all arms, or "own"


def normal(spread: float, shift: float = 0.0) -> Effects:
    """Return effects that are drawn from a normal distribution."""
    return lambda rng, n: rng.normal(shift, spread, n)


SETTINGS = (
    Setting("N(0, 0.001²)", normal(0.001)),
    Setting("N(0, 0.005²)", normal(0.005)),
    Setting("N(0, 0.02²)", normal(0.02)),
    Setting("all better by 0.01", normal(0.0, 0.01)),
    Setting("all better by 0.02 ± 0.003", normal(0.003, 0.02)),
    Setting("N(0, 0.001²), control × 10", normal(0.001), control_share=10.0),
    Setting("all better by 0.01, control × 10", normal(0.0, 0.01), control_share=10.0),
    Setting("N(0, 0.001²), margin −2 %", normal(0.001), margin="-2%"),
    Setting("N(0, 0.005²), margin −10 %", normal(0.005), margin="-10%"),
    Setting("N(0, 0.001²), one arm", normal(0.001), n_arms=1),
    Setting("N(0, 0.005²), one arm", normal(0.005), n_arms=1),
    Setting("N(0, 0.001²), two arms", normal(0.001), n_arms=2),
    Setting("N(0, 0.005²), two arms", normal(0.005), n_arms=2),
    Setting("normal, N(0, 0.005²)", normal(0.005), family="gaussian"),
    Setting("bounded, N(0, 0.005²)", normal(0.005), family="bounded"),
    Setting("unknown variance, N(0, 0.005²)", normal(0.005), family="gaussian-unknown-variance"),
    Setting("items in one order, N(0, 0.1²)", normal(0.1), orders="same"),
    Setting("items in own orders, N(0, 0.1²)", normal(0.1), orders="own"),
    Setting("items in one order, N(0, 0.5²)", normal(0.5), orders="same"),
    Setting("items in own orders, N(0, 0.5²)", normal(0.5), orders="own"),
)
ITEMS, A_DAY = 400, 20  # items in all, and new ones that each arm answers in a day
SPREAD = math.sqrt(RATE * (1.0 - RATE))  # of the outcomes of the other families, too


class Shown(NamedTuple):
    """What one look at a campaign shows."""

    is_decided: Bools
    is_wrong: Bools
    p_wrong: Floats


class Visited:
    """One campaign with a control, day after day."""

    def __init__(self, setting: Setting, rng: np.random.Generator) -> None:
        n_arms = setting.n_arms + 1
        self.setting, self.rng = setting, rng
        sigma = SPREAD if setting.family == "gaussian" else None
        names = [str(k) for k in range(n_arms)]
        self.question = Question.of(setting.family, arms=names, control=0, margin=setting.margin, sigma=sigma)
        effects = setting.effects(rng, setting.n_arms)
        self.means = np.maximum(RATE + np.concatenate([[0.0], effects]), 0.001)
        self.sums = np.zeros((3, n_arms))

    def tell(self, days: int = 1) -> None:
        """Add the outcomes of some days, as sums."""
        visitors = np.full(self.means.size, days * VISITORS)
        visitors[0] = round(self.setting.control_share * visitors[0])
        if self.setting.family == "bernoulli":
            totals = self.rng.binomial(visitors, self.means).astype(float)
            squares = totals
        elif self.setting.family == "bounded":  # 0, or a number from 0 to 1
            drawn = [self.rng.beta(0.4, 0.4 / mean - 0.4, n) for mean, n in zip(self.means, visitors, strict=True)]
            totals, squares = (np.array([(values**power).sum() for values in drawn]) for power in (1, 2))
        else:
            totals = self.rng.normal(visitors * self.means, SPREAD * np.sqrt(visitors))
            squares = SPREAD**2 * self.rng.chisquare(visitors - 1) + totals**2 / visitors
        bars = self.question.thresholds
        about = squares - 2.0 * bars * totals + visitors * bars**2
        self.sums += np.stack([visitors.astype(float), totals, np.maximum(about, 0.0)])

    def look(self, level: float = RISK) -> Shown:
        """Return what is decided at a chance of error of at most the level."""
        seen = Statistics(*self.sums.copy())
        return shown(self.question, seen, seen, seen.means, self.means, level)


class Answered:
    """One campaign with a control whose arms answer items; effects are on the scale of the log odds."""

    def __init__(self, setting: Setting, rng: np.random.Generator) -> None:
        n_arms = setting.n_arms + 1
        self.setting, self.days = setting, 0
        odds = np.concatenate([[0.0], setting.effects(rng, setting.n_arms)])[:, None] + rng.normal(0.5, 1.5, ITEMS)
        self.answers = (rng.random((n_arms, ITEMS)) < 1.0 / (1.0 + np.exp(-odds))).astype(float)
        one = rng.permutation(ITEMS)
        self.orders = [one if setting.orders == "same" else rng.permutation(ITEMS) for _ in range(n_arms)]
        names, structure = [str(k) for k in range(n_arms)], Structure(np.full(n_arms, ITEMS))
        self.question = Question.of(setting.family, arms=names, control=0, margin=setting.margin, structure=structure)

    def tell(self, days: int = 1) -> None:
        """Tell the answers of some days."""
        self.days += days

    def look(self, level: float = RISK) -> Shown:
        """Return what is decided at a chance of error of at most the level; a tie on all items is never wrong."""
        table = np.full(self.answers.shape, np.nan)
        for k, order in enumerate(self.orders):
            told = order[: A_DAY * self.days]
            table[k, told] = self.answers[k, told]
        found, means = answers_of(self.question, table), self.answers.mean(axis=1)
        seen = shown(self.question, found.seen, found.effective(self.question), found.means, means, level)
        return seen._replace(is_wrong=seen.is_wrong & (means[1:] != means[0]))


def shown(question: Question, seen: Statistics, worth: Statistics, means: Floats, truth: Floats, level: float) -> Shown:
    """Return what is decided at a chance of error of at most the level, as the guarantee ``calibrated`` does it."""
    bar = bar_of(question)
    found = posterior_of(bar, worth, told=seen)
    sides = bar.sides(means)
    chances = doubt_by(found).of(sides)
    own = own_intervals(bar, seen, worth, np.full(sides.size, level))
    is_decided = (chances <= level) & excluded(np.zeros(sides.size), sides, own)
    return Shown(is_decided, sides != bar.sides(truth), chances)


class Figures(NamedTuple):
    """Sums over campaigns: arms decided, wrong ones, shares of wrong ones, mistakes predicted and made."""

    decided: float = 0.0
    wrong: float = 0.0
    share: float = 0.0
    squares: float = 0.0
    predicted: float = 0.0
    made: float = 0.0

    def plus(self, shown: Shown) -> Figures:
        """Return the sums with another campaign."""
        wrong, decided = float((shown.is_decided & shown.is_wrong).sum()), float(shown.is_decided.sum())
        share = wrong / max(decided, 1.0)
        more = (decided, wrong, share, share**2, float(shown.p_wrong.sum()), float(shown.is_wrong.sum()))
        return Figures(*(old + new for old, new in zip(self, more, strict=True)))

    def cells(self, runs: int, n_arms: int) -> list[str]:
        """Return decided arms, wrong ones, their mean share and its error, wrong of all arms, expected / made."""
        share = self.share / runs
        error = math.sqrt(max(self.squares / runs - share**2, 0.0) / runs)
        return [
            f"{self.decided / runs:.1f}",
            f"{self.wrong:.0f} of {self.decided:.0f}",
            f"{100 * share:.1f} % ± {100 * error:.1f}",
            f"{100 * self.wrong / (runs * n_arms):.1f} %",
            f"{self.predicted:.0f} / {self.made:.0f}",
        ]


def first_decisions(campaign: Visited | Answered) -> Shown:
    """Return the first decision on each arm over daily looks, at the level in force: the risk times the share spent."""
    n_arms = campaign.setting.n_arms
    is_decided, is_wrong = np.zeros(n_arms, bool), np.zeros(n_arms, bool)
    for day in range(1, DAYS + 1):
        campaign.tell()
        seen = campaign.look(RISK * day / DAYS)
        is_wrong = np.where(is_decided, is_wrong, seen.is_wrong)
        is_decided |= seen.is_decided
    return Shown(is_decided, is_wrong, seen.p_wrong)


def controls(scale: float, seed: int, _: Path | None, part: str = "") -> None:
    """Print decisions with a control after 1 and 14 days, and the first ones of 14 daily looks."""
    table = []
    for setting in (each for each in SETTINGS if part in each.words):
        runs = max(4, int(scale * (FEW_RUNS if setting.n_arms <= 2 else RUNS)))
        for words, days in (("day 1", 1), (f"day {DAYS}", DAYS), (f"first of {DAYS} looks", 0)):
            rng, found = np.random.default_rng(seed), Figures()
            for _run in range(runs):
                campaign = Answered(setting, rng) if setting.orders else Visited(setting, rng)
                if days:
                    campaign.tell(days)
                found = found.plus(campaign.look() if days else first_decisions(campaign))
            table.append([setting.words, words, *found.cells(runs, setting.n_arms)])
            print("|", " | ".join(table[-1]), "|", flush=True)
    number = f"{RUNS * scale:g} campaigns, {FEW_RUNS * scale:g} of one or two arms"
    print(f"{number}; control {RATE:g}, {VISITORS} visitors a day and arm, 12 arms or as said; risk 5 %\n")
    headers = [
        "effects",
        "look",
        "decided",
        "wrong",
        "share of wrong",
        "wrong of all arms",
        "mistakes expected / made",
    ]
    print(markdown_table(headers, table, left=(0, 1)))
