"""The terms under which arms were decided, as the texts about them need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.inference.guarantees import RULES
from thresher.number_text import LEAST_CHANCE, coverage, percent
from thresher.report.decision_rows import HasDecision
from thresher.report.measure import Measure

NO_LEVEL = 1e-8  # smaller chances of error are not levels: nothing was told


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
