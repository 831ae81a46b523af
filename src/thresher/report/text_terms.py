"""The terms under which arms were decided, and the unit of their numbers, as the texts about them need them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.inference.guarantees import RULES
from thresher.number_text import LEAST_CHANCE, NONE, coverage, exact, figure, percent, rate, signed
from thresher.report.decision_rows import HasDecision

NO_LEVEL = 1e-8  # smaller chances of error are not levels: nothing was told
SMALLER = {"s": (("ms", 1e3), ("µs", 1e6), ("ns", 1e9))}  # units for numbers below 1; the first that fits is used
MOST_DECIMALS = 7  # of the limit of an interval, to tell it from the bar


@dataclass(frozen=True)
class Measure:
    """How measured numbers are shown: their unit, the factor by which they are multiplied for it, or as rates."""

    unit: str = ""
    factor: float = 1.0
    is_rate: bool = False

    @classmethod
    def of(cls, rows: Sequence[HasDecision], unit: str, *, is_rate: bool = False) -> Measure:
        """Return the unit in which the bars of these arms are easiest to read: of times in seconds, ms or µs too."""
        largest = max((abs(row.threshold) for row in rows), default=0.0)
        for smaller, factor in SMALLER.get(unit, ()) if 0.0 < largest < 1.0 else ():
            if largest * factor >= 1.0:
                return cls(smaller, factor)
        return cls(unit, is_rate=is_rate)

    def figure(self, value: float | None) -> str:
        """Return a measured number in this unit, without its name."""
        if self.is_rate:
            return rate(value)
        return figure(None if value is None else value * self.factor)

    def bar(self, value: float) -> str:
        """Return a bar in this unit, without its name."""
        return exact(value * self.factor)

    def difference(self, value: float | None) -> str:
        """Return a difference with its sign, to three significant digits."""
        return signed(figure(None if value is None else value * self.factor), value)

    def limit(self, value: float, bar: float) -> str:
        """Return the limit of an interval, with more decimals where it would otherwise read as the bar."""
        text = self.figure(value)
        near, shown = value * self.factor, bar * self.factor
        if value == bar or not math.isfinite(bar) or text != self.figure(bar):
            return text
        digits = range(len(text.partition(".")[2]) + 1, MOST_DECIMALS + 1)
        return next((f"{near:,.{n}f}" for n in digits if f"{near:.{n}f}" != f"{shown:.{n}f}"), text)

    def quantity(self, text: str) -> str:
        """Return a text with the unit behind it."""
        return f"{text} {self.unit}" if self.unit else text

    def head(self, title: str) -> str:
        """Return the head of a column of numbers in this unit."""
        return f"{title}, {self.unit}" if self.unit else title


def has_interval(row: HasDecision) -> bool:
    """Return whether an arm has an interval."""
    return bool(row.pulls) and math.isfinite(row.low) and math.isfinite(row.high)


def interval_of(row: HasDecision, measure: Measure | None = None, *, bar: float | None = None) -> str:
    """Return the interval behind the decision in words; a dash where there is none.

    `bar` is what the interval is compared with: the bar of the arm, or with a control the margin.
    """
    if not has_interval(row):
        return NONE
    shown, near = measure or Measure(), row.threshold if bar is None else bar
    return f"{shown.limit(row.low, near)} to {shown.limit(row.high, near)}"


@dataclass(frozen=True)
class TextTerms:
    """The terms under which arms were decided.

    Parameters
    ----------
    risk : float
    guarantee : str
    passes : str
        The side that passes, ``above`` or ``below``.
    unit : str
        Of the outcomes.
    control, margin : str
        The arm whose mean, with that margin, is the bar of all others; empty where every arm has a bar.
    goal : str
        What the campaign measures for, ``mistakes`` or ``decide``.
    quantile : float
        The quantile of the outcomes that is compared with the bar; 0 for the mean.
    pass_k : int
        How many trials have to succeed: the chance that all do is compared with the bar.
    target : str
        With items: whether verdicts are about these ``items``, or the ``population`` that they are a sample of.
    is_rate : bool
        Whether outcomes are from 0 to 1, so that their means are rates.
    level : float, optional
        The chance of error at which arms are decided now, if it is below the risk because budget is left.
    reported_k : int
        With items and repeats: the number of trials of which the chance that all succeed is reported.
    repeats : int
        How often an arm may be asked each item.
    is_imported : bool
        Whether there are outcomes and none was paid from the budget, so that it is not being spent.
    """

    risk: float = 0.05
    guarantee: str = "calibrated"
    passes: str = "above"
    unit: str = ""
    control: str = ""
    margin: str = "0"
    goal: str = "mistakes"
    quantile: float = 0.0
    pass_k: int = 1
    target: str = "items"
    is_rate: bool = False
    level: float | None = None
    reported_k: int = 1
    repeats: int = 1
    is_imported: bool = False

    @property
    def promise(self) -> str:
        """What the guarantee bounds, and by how much: now, and at the end of the campaign."""
        risk = percent(self.risk)
        last = f"{risk} when the {'campaign is closed' if self.is_imported else 'budget is spent'}"
        if self._is_untouched:
            return RULES[self.guarantee].promise.format(risk=last)
        now = risk if self.level is None else percent(float(f"{max(self.level, LEAST_CHANCE):.2g}"))
        return RULES[self.guarantee].promise.format(risk=risk if now == risk else f"{now} so far, {last}")

    @property
    def _is_untouched(self) -> bool:
        """Whether the level is still that of a campaign without an outcome."""
        return self.level is not None and self.level < NO_LEVEL

    @property
    def level_in_force(self) -> float:
        """The chance of error up to which arms are decided now."""
        return self.risk if self.level is None else self.level

    @property
    def held_back_by(self) -> str:
        """Why an arm may be undecided although its chance of error is at most the level in force; empty if none is."""
        return RULES[self.guarantee].held_back_by

    @property
    def is_relative(self) -> bool:
        """Whether the margin is in per cent of the control's mean, so that lifts are compared with it."""
        return self.margin.endswith("%")

    @property
    def mean_head(self) -> str:
        """The head of the column of means: what is compared with the bar."""
        return f"pass^{self.pass_k}" if self.pass_k > 1 else "mean"

    @property
    def drawn_name(self) -> str:
        """The name of the number that pictures show: the share by a quantile, else what the column of means has."""
        return "share" if self.quantile else self.mean_head

    def interval_head(self, measure: Measure, n_arms: int) -> str:
        """Return the head of the column of intervals: their level, their quantity and their unit."""
        name = f"{self._coverage(n_arms)} interval".strip()
        if self.quantile:
            return f"{name} of the share"
        if self.is_relative:
            return f"{name} of the lift, %"
        return measure.head(f"{name} of the difference" if self.control else name)

    def _coverage(self, n_arms: int) -> str:
        """Return the coverage of the interval behind a decision; empty if the guarantee has none for each arm."""
        if self._is_untouched:
            return ""
        missed = RULES[self.guarantee].missed(self.level_in_force, n_arms)
        return "" if missed is None else coverage(missed)

    @property
    def margin_number(self) -> float:
        """The margin, in the unit of the outcomes or in per cent."""
        return float(self.margin.removesuffix("%"))

    def compared(self, row: HasDecision) -> float:
        """Return the value with which the interval of a row is compared: the bar, the quantile or the margin."""
        if self.control:
            return self.margin_number
        return self.quantile or row.threshold

    def shown_mean(self, row: HasDecision) -> float | None:
        """Return the estimate that the interval of a row is about: the mean, the share, the difference or the lift."""
        key = "mean"
        if self.quantile:
            key = "share"
        elif self.control:
            key = "lift" if self.is_relative else "difference"
        found: float | None = getattr(row, key)
        return found

    def measure(self, rows: Sequence[HasDecision]) -> Measure:
        """Return how the measured numbers of these arms are shown."""
        return Measure.of(rows, self.unit, is_rate=self.is_rate)
