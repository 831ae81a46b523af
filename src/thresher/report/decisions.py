"""Decisions in words: the summary, the rows of the table and the next step.

The terminal, Markdown, JUnit, the HTML report and the dashboard all use these texts, orders and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, cast
from unicodedata import east_asian_width

from thresher.report.svg import number
from thresher.report.words import share

if TYPE_CHECKING:
    from thresher.policy import Offer

TOO_CLOSE = 0.4  # chance of error from which an open arm is too close to call
STANDINGS = ("pass", "fail", "leaning pass", "leaning fail", "too close to call", "not measured")  # in this order
SIGNS = {"pass": "✔", "fail": "✘", "open": "●"}  # so colour is not the only cue
COLOURS = {"pass": "green", "fail": "red", "open": "yellow"}  # of a terminal
PROMISES = {
    "calibrated": "chance of error at most {risk}",
    "anytime": "each wrong with a chance of at most {risk}, at any time",
    "fdr": "false discovery rate at most {risk}",
    "fwer": "chance of any wrong decision at most {risk}",
}
SMALLER = {"s": (("ms", 1e3), ("µs", 1e6), ("ns", 1e9))}  # units for numbers below 1; the first that fits is used


class HasDecision(Protocol):
    """A row about an arm."""

    @property
    def arm(self) -> str:
        """Its name."""

    @property
    def verdict(self) -> str:
        """``above``, ``below`` or ``undecided``."""

    @property
    def decision(self) -> str:
        """``pass``, ``fail`` or ``open``."""

    @property
    def proven(self) -> bool:
        """Whether the interval excludes the bar."""

    @property
    def within(self) -> bool:
        """Whether the mean is more likely than not within the tolerance."""

    @property
    def mean(self) -> float | None:
        """Of the outcomes."""

    @property
    def pulls(self) -> int:
        """How many outcomes."""

    @property
    def low(self) -> float:
        """Where the interval begins."""

    @property
    def high(self) -> float:
        """Where it ends."""

    @property
    def p_wrong(self) -> float:
        """The chance of error of the verdict."""

    @property
    def threshold(self) -> float:
        """The bar."""


class HasDifference(HasDecision, Protocol):
    """A row about an arm that is compared with a control; its interval is that of the difference."""

    @property
    def difference(self) -> float | None:
        """Its mean less that of the control."""

    @property
    def lift(self) -> float | None:
        """The difference in per cent of the control's mean."""

    @property
    def lift_low(self) -> float | None:
        """Where the interval of the lift begins."""

    @property
    def lift_high(self) -> float | None:
        """Where it ends."""


class HasControl(Protocol):
    """What is known of a control."""

    @property
    def arm(self) -> str:
        """Its name."""

    @property
    def mean(self) -> float | None:
        """Of its outcomes."""

    @property
    def pulls(self) -> int:
        """How many outcomes."""

    @property
    def low(self) -> float:
        """Where the interval of its mean begins."""

    @property
    def high(self) -> float:
        """Where it ends."""


Row = TypeVar("Row", bound=HasDecision)


@dataclass(frozen=True)
class Said:
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
    """

    risk: float = 0.05
    guarantee: str = "calibrated"
    passes: str = "above"
    unit: str = ""
    control: str = ""
    margin: str = "0"

    @property
    def promise(self) -> str:
        """What the guarantee bounds, and by how much."""
        return PROMISES[self.guarantee].format(risk=f"{100.0 * self.risk:.3g} %")


def standing_of(row: HasDecision, passes: str) -> str:
    """Return the decision on an arm in words: for an open one, which way it leans, or that it is too close."""
    if row.decision != "open":
        return row.decision
    if not row.pulls:
        return "not measured"
    if row.p_wrong >= TOO_CLOSE or row.verdict == "undecided":
        return "too close to call"
    return f"leaning {'pass' if row.verdict == passes else 'fail'}"


def in_order(rows: Sequence[Row], passes: str) -> list[Row]:
    """Return the rows by decision, then by chance of error."""
    return sorted(rows, key=rank_of(passes))


def rank_of(passes: str) -> Callable[[HasDecision], tuple[int, float]]:
    """Return the key by which rows are ordered."""
    return lambda row: (STANDINGS.index(standing_of(row, passes)), row.p_wrong)


def figure(value: float | None) -> str:
    """Return a number to three significant digits; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0.0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size >= 3:
        return f"{round(value, 2 - size):,.0f}"
    return f"{value:.3g}" if size >= -4 else f"{value:.2e}"


@dataclass(frozen=True)
class Measure:
    """The unit in which numbers are shown, and the factor by which they are multiplied for it."""

    unit: str = ""
    factor: float = 1.0

    @classmethod
    def of(cls, rows: Sequence[HasDecision], unit: str) -> Measure:
        """Return the unit in which the bars of these arms are easiest to read: of times in seconds, ms or µs too."""
        largest = max((abs(row.threshold) for row in rows), default=0.0)
        for smaller, factor in SMALLER.get(unit, ()) if 0.0 < largest < 1.0 else ():
            if largest * factor >= 1.0:
                return cls(smaller, factor)
        return cls(unit)

    def figure(self, value: float | None) -> str:
        """Return a number in this unit, without its name."""
        return figure(None if value is None else value * self.factor)

    def quantity(self, text: str) -> str:
        """Return a text with the unit behind it."""
        return f"{text} {self.unit}" if self.unit else text

    def head(self, title: str) -> str:
        """Return the head of a column of numbers in this unit."""
        return f"{title}, {self.unit}" if self.unit else title


def interval_of(row: HasDecision, measure: Measure | None = None) -> str:
    """Return the interval in words; a dash where there is none."""
    shown = measure or Measure()
    is_known = row.pulls and math.isfinite(row.low) and math.isfinite(row.high)
    return f"{shown.figure(row.low)} to {shown.figure(row.high)}" if is_known else "–"


def summary(rows: Sequence[HasDecision], said: Said, expected_mistakes: float) -> str:
    """Return how many arms pass and fail, how many are decided under which guarantee, and the bar."""
    passing, failing = ("above", "below") if said.passes == "above" else ("below", "above")
    verdicts = [row.verdict for row in rows]
    sides = f"{verdicts.count(passing)} of {len(rows)} pass, {verdicts.count(failing)} fail"
    if none := verdicts.count("undecided"):
        sides += f", {none} {'has' if none == 1 else 'have'} no verdict"
    if math.isfinite(expected_mistakes):
        sides += f"; {_few(expected_mistakes)} of these verdicts are wrong"
    return f"{sides}. {_decided(rows, said)} {bar_of(rows, said)}".rstrip()


def essence(rows: Sequence[HasDecision], said: Said, expected_mistakes: float) -> str:
    """Return the summary in a few words: how many arms are decided, the bar, and how many verdicts are wrong."""
    decided = sum(row.decision != "open" for row in rows)
    wrong = f"; {_few(expected_mistakes)} verdicts wrong" if math.isfinite(expected_mistakes) else ""
    return f"{decided} of {len(rows)} decided{wrong}. {bar_of(rows, said)}".rstrip()


def _few(expected: float) -> str:
    """Return a number of mistakes as the summary shows it."""
    if expected < 0.1:
        return "fewer than 0.1"
    return f"about {expected:.2g}" if expected < 10.0 else f"about {expected:.0f}"


def _decided(rows: Sequence[HasDecision], said: Said) -> str:
    found = [standing_of(row, said.passes) for row in rows]
    parts = [f"{found.count('pass') + found.count('fail')} of {len(rows)} decided ({said.promise})"]
    parts += [f"{found.count(word)} {word}" for word in STANDINGS[2:] if word in found]
    return f"{', '.join(parts)}."


def bar_of(rows: Sequence[HasDecision], said: Said) -> str:
    """Return the bar in a sentence, with the side that passes, such as ``Bar: at most 7.7 ms``."""
    if said.control and rows:
        return f"Bar: {_control_bar(rows[0].threshold, said)}."
    side, bars, are_many = _bars(rows, said)
    return f"Bar: {side} {bars}{', by arm' if are_many else ''}." if bars else ""


def passing_rule(rows: Sequence[HasDecision], said: Said) -> str:
    """Return a sentence about which arms pass, such as ``An arm passes if its mean is at most 7.7 ms``."""
    if said.control and rows:
        return f"An arm passes if its mean is {_control_bar(rows[0].threshold, said)}."
    side, bars, are_many = _bars(rows, said)
    shown = f"its own bar ({bars})" if are_many else bars
    return f"An arm passes if its mean is {side} {shown}." if bars else ""


def _bars(rows: Sequence[HasDecision], said: Said) -> tuple[str, str, bool]:
    """Return the side that passes, the bar or the range of the bars with the unit, and whether they differ."""
    measure, bars = Measure.of(rows, said.unit), sorted({row.threshold for row in rows})
    ends = [measure.figure(bar) for bar in bars]
    shown = " to ".join([ends[0], ends[-1]] if len(ends) > 1 else ends)
    return "above" if said.passes == "above" else "at most", measure.quantity(shown) if ends else "", len(ends) > 1


def _control_name(arm: str) -> str:
    """Return "control" and the name of the control, or just "control" if that is its name."""
    return "control" if arm.lower() == "control" else f"control {arm}"


def _control_bar(bar: float, said: Said) -> str:
    """Return the bar given by a control, and what passing it means, without a full stop."""
    measure, is_above = Measure(said.unit), said.passes == "above"
    size = said.margin.lstrip("+-")
    shown = size.replace("%", " %") if size.endswith("%") else measure.quantity(size)
    name = _control_name(said.control)
    where = name if size == "0" else f"{name} {'−' if said.margin.startswith('-') else '+'} {shown}"
    now = f" (now about {measure.quantity(measure.figure(bar))})" if math.isfinite(bar) else ""
    if size == "0":
        meaning = "better than the control: superiority" if is_above else "not worse than the control: non-inferiority"
    elif said.margin.startswith("-") == is_above:
        meaning = f"not worse than the control by more than {shown}: non-inferiority"
    else:
        meaning = f"better than the control by {'more than' if is_above else 'at least'} {shown}: superiority"
    return f"{'above' if is_above else 'at most'} {where}{now}, {meaning}"


HEADS = ("arm", "decision", "mean", "interval", "bar", "measurements", "chance of error")
LEFT = (0, 1)  # columns of words
GUTTER, NARROWEST = 2, 8  # columns of a terminal: between two columns, and of each; "of error" fits
COLOURED = 1  # the column of the decision
CONTROL_HEADS = ("arm", "decision", "mean", "difference", "interval of the difference", "lift, %", *HEADS[-2:])
# Columns to drop if a table is too wide, in this order:
DROPPED = ("bar", "lift", "interval", "interval of the difference", "measurements", "mean")


@dataclass(frozen=True)
class DecisionTable:
    """The rows of all arms as text, in their order, with the heads of the columns and the colour of each decision."""

    heads: list[str]
    rows: list[list[str]]
    colours: list[str]

    def fitted(self, width: int) -> DecisionTable:
        """Return the table without the columns that do not fit, the least important first."""
        fits = self
        for name in DROPPED:
            if fits.width <= width:
                break
            fits = fits.without(name)
        return fits

    @property
    def widths(self) -> list[int]:
        """The width of each column on a terminal: heads are wrapped at spaces, cells are not."""
        words = [[*head.split(), *cells] for head, *cells in zip(self.heads, *self.rows, strict=True)]
        return [max(NARROWEST, *map(_cells_of, column)) for column in words]

    @property
    def width(self) -> int:
        """The width of a row on a terminal."""
        return sum(self.widths) + GUTTER * (len(self.heads) - 1)

    def without(self, name: str) -> DecisionTable:
        """Return the table without a column; its head is the name, with or without a unit."""
        kept = [i for i, head in enumerate(self.heads) if head.split(",")[0] != name]
        rows = [[row[i] for i in kept] for row in self.rows]
        return DecisionTable([self.heads[i] for i in kept], rows, self.colours)


def _cells_of(text: str) -> int:
    """Return the width of a text on a terminal."""
    return len(text) + sum(east_asian_width(letter) in "WF" for letter in text)


def table_of(rows: Sequence[HasDecision], said: Said) -> DecisionTable:
    """Return the table of all arms; bars have a column only if they differ."""
    measure = Measure.of(rows, said.unit)
    in_unit = ("mean", "interval", "bar", "difference", "interval of the difference")
    heads = [measure.head(head) if head in in_unit else head for head in (CONTROL_HEADS if said.control else HEADS)]
    ordered = in_order(rows, said.passes)
    colours = [COLOURS[row.decision] for row in ordered]
    if said.control:
        beside = cast("Sequence[HasDifference]", ordered)
        return DecisionTable(heads, [_cells_beside_control(row, said, measure) for row in beside], colours)
    table = DecisionTable(heads, [_cells(row, said, measure) for row in ordered], colours)
    return table if len({row.threshold for row in rows}) > 1 else table.without("bar")


def _cells_beside_control(row: HasDifference, said: Said, measure: Measure) -> list[str]:
    numbers = [measure.figure(row.mean), signed(row.difference, measure), interval_of(row, measure), lift_of(row)]
    return [row.arm, decision_cell(row, said.passes), *numbers, f"{row.pulls:,}", share(row.p_wrong)]


def signed(value: float | None, measure: Measure | None = None) -> str:
    """Return a difference with its sign; a dash where there is none."""
    text = (measure or Measure()).figure(value)
    return f"+{text}" if value is not None and value > 0.0 and text != "–" else text


def lift_of(row: HasDifference) -> str:
    """Return the lift in per cent with its interval; a dash where there is none."""
    if row.lift is None or not row.pulls:
        return "–"
    low, high = row.lift_low, row.lift_high
    is_known = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    return signed(row.lift) + (f" ({figure(low)} to {figure(high)})" if is_known else "")


def control_sentence(control: HasControl, said: Said) -> str:
    """Return what is known of the control."""
    measure, name = Measure(said.unit), _control_name(control.arm)
    if control.mean is None:
        return f"C{name[1:]}: not measured."
    mean = f"mean {measure.quantity(measure.figure(control.mean))} over {control.pulls:,} measurements"
    is_known = math.isfinite(control.low) and math.isfinite(control.high)
    interval = f" (interval {figure(control.low)} to {figure(control.high)})" if is_known else ""
    return f"C{name[1:]}: {mean}{interval}."


def _cells(row: HasDecision, said: Said, measure: Measure) -> list[str]:
    numbers = [measure.figure(row.mean), interval_of(row, measure), measure.figure(row.threshold), f"{row.pulls:,}"]
    return [row.arm, decision_cell(row, said.passes), *numbers, share(row.p_wrong)]


def decision_cell(row: HasDecision, passes: str) -> str:
    """Return the decision as shown in a table: with its sign, and whether it is proven or within the tolerance."""
    words = standing_of(row, passes)
    sign = f"{SIGNS[row.decision]} " if row.decision != "open" else ""
    notes = ", ".join(note for note, is_so in (("proven", row.proven), ("within the tolerance", row.within)) if is_so)
    return f"{sign}{words} ({notes})" if notes else f"{sign}{words}"


def sentence_about(row: HasDecision, said: Said) -> str:
    """Return what is known of an arm in one sentence."""
    measure = Measure.of([row], said.unit)
    bar = f"bar {measure.quantity(measure.figure(row.threshold))}"
    if row.mean is None:
        return f"not measured, {bar}"
    mean = f"mean {measure.quantity(measure.figure(row.mean))} over {row.pulls} measurements"
    interval = interval_of(row, measure)
    known = "" if interval == "–" else f" (interval {interval})"
    if said.control:
        mean += f", difference from the control {signed(cast('HasDifference', row).difference, measure)}"
    words = standing_of(row, said.passes) + (", proven" if row.proven else "")
    return f"{words}: {mean}{known}, {bar}, chance of error {share(row.p_wrong)}"


class HasStanding(Protocol):
    """The state of a campaign."""

    @property
    def status(self) -> str:
        """``open``, ``paused``, ``closed`` or ``ended``."""

    @property
    def is_open(self) -> bool:
        """Whether there is something left to measure."""

    @property
    def budget(self) -> float:
        """The budget."""

    @property
    def spent(self) -> float:
        """The budget spent."""

    @property
    def told(self) -> int:
        """How many outcomes there are."""


def spent_of(standing: HasStanding) -> str:
    """Return a sentence about the budget spent."""
    spent, budget = number(standing.spent), number(standing.budget)
    if standing.told == standing.spent:
        return f"{spent} of {budget} measurements spent."
    return f"{spent} of a budget of {budget} spent."


def is_spent(standing: HasStanding) -> bool:
    """Return whether the budget is spent, or at most two measurements of average cost are left."""
    return standing.budget - standing.spent < 2.0 * _cost_of_one(standing)


def _cost_of_one(standing: HasStanding) -> float:
    return standing.spent / standing.told if standing.told else 1.0


def next_step(
    rows: Sequence[HasDecision],
    standing: HasStanding,
    offer: Callable[[], Offer | None],
    *,
    extend: str,
    go_on: str,
) -> str:
    """Return a sentence about the next step.

    Parameters
    ----------
    rows : sequence of HasDecision
    standing : HasStanding
    offer : callable
        Returns the extension to offer, or None if it is not known; called only if needed.
    extend : str
        How to add to the budget, with ``{amount}`` or ``{total}`` in it.
    go_on : str
        How to continue with the remaining budget.
    """
    if all(row.decision != "open" for row in rows):
        return "Nothing left to do: every arm is decided."
    if standing.status == "closed":
        return "Nothing left to do: the campaign is closed."
    if standing.status == "paused":
        return "The campaign is paused: resume it to continue."
    if standing.is_open:
        return f"{figure(standing.budget - standing.spent)} of the budget is left: {go_on}."
    cost = _cost_of_one(standing)
    if not is_spent(standing):
        return f"Nothing left to do: the stop rule is met, with {figure(standing.budget - standing.spent)} left."
    found = offer()
    if found is None:
        return f"More measurements may decide the rest ({extend.format(amount='AMOUNT', total='AMOUNT')})."
    return _offered(found, standing, cost, extend)


def _offered(offer: Offer, standing: HasStanding, cost: float, extend: str) -> str:
    """Return a sentence about what an extension would decide and how to make it."""
    if offer.n_open == 0:
        return "Nothing left to do: the arms that are open are retired."
    if offer.decided < 0.1:
        return "Doubling the budget would decide hardly any more arms; set a tolerance, or use the goal decide."
    count = _rounded_up(offer.measurements)
    amount = count if math.isclose(cost, 1.0) else _rounded_up(offer.measurements * cost)
    how = extend.format(amount=f"{amount:g}", total=f"{standing.budget + amount:g}")
    arms = round(offer.decided)
    if not arms:
        chance = f"{100.0 * offer.decided:.0f} %"
        return f"{count:,.0f} more measurements would decide another arm with a chance of about {chance} ({how})."
    rest = "the rest" if arms >= offer.n_open else f"{arms} of the {offer.n_open} open arms"
    return f"About {count:,.0f} more measurements would decide {'about ' if arms < offer.n_open else ''}{rest} ({how})."


def _rounded_up(value: float) -> float:
    """Return a number rounded up to two significant digits."""
    step = 10.0 ** max(math.floor(math.log10(max(value, 1.0))) - 1, 0)
    return math.ceil(value / step) * step
