"""Decisions in words: the decision on an arm, the summary and the bar.

The terminal, Markdown, JUnit, the HTML report and the dashboard use these texts and this order.
:mod:`thresher.report.decision_table` has the table, and :mod:`thresher.report.next_step` the next step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from thresher.report.decision_rows import HasControl, HasDecision, HasDifference
from thresher.report.measure import Measure, figure, interval_of, signed
from thresher.report.words import counted, share

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
    goal : str
        What the campaign measures for, ``mistakes`` or ``decide``.
    """

    risk: float = 0.05
    guarantee: str = "calibrated"
    passes: str = "above"
    unit: str = ""
    control: str = ""
    margin: str = "0"
    goal: str = "mistakes"

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


def exit_code(rows: Iterable[HasDecision]) -> int:
    """Return 0 if every arm passes, 1 if some arm fails, 2 if none fails and some are open."""
    found = {row.decision for row in rows}
    return 1 if "fail" in found else 2 if "open" in found else 0


def in_order(rows: Sequence[Row], passes: str) -> list[Row]:
    """Return the rows by decision, then by chance of error."""
    return sorted(rows, key=rank_of(passes))


def rank_of(passes: str) -> Callable[[HasDecision], tuple[int, float]]:
    """Return the key by which rows are ordered."""
    return lambda row: (STANDINGS.index(standing_of(row, passes)), row.p_wrong)


def summary(rows: Sequence[HasDecision], said: Said, expected_mistakes: float) -> str:
    """Return how many arms pass and fail, how many are decided under which guarantee, and the bar."""
    passing, failing = ("above", "below") if said.passes == "above" else ("below", "above")
    verdicts = [row.verdict for row in rows]
    sides = f"{verdicts.count(passing)} of {len(rows)} pass, {verdicts.count(failing)} fail"
    if none := verdicts.count("undecided"):
        sides += f", {none} {'has' if none == 1 else 'have'} no verdict"
    if none < len(rows):
        sides += wrong_clause(expected_mistakes)
    return f"{sides}. {_decided(rows, said)} {bar_of(rows, said)}".rstrip()


def wrong_clause(expected_mistakes: float) -> str:
    """Return how many verdicts are expected to be wrong, to end a sentence; empty if that is not known."""
    if not math.isfinite(expected_mistakes):
        return ""
    return f"; {_few(expected_mistakes)} of these verdicts are wrong"


def essence(rows: Sequence[HasDecision], said: Said, expected_mistakes: float) -> str:
    """Return the summary in a few words: how many arms are decided, the bar, and how many verdicts are wrong."""
    decided = sum(row.decision != "open" for row in rows)
    is_known = math.isfinite(expected_mistakes) and any(row.verdict != "undecided" for row in rows)
    wrong = f"; {_few(expected_mistakes)} verdicts wrong" if is_known else ""
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


def control_sentence(control: HasControl, said: Said) -> str:
    """Return what is known of the control."""
    measure, name = Measure(said.unit), _control_name(control.arm)
    if control.mean is None:
        return f"C{name[1:]}: not measured."
    mean = f"mean {measure.quantity(measure.figure(control.mean))} over {counted(control.pulls, 'measurement')}"
    is_known = math.isfinite(control.low) and math.isfinite(control.high)
    interval = f" (interval {figure(control.low)} to {figure(control.high)})" if is_known else ""
    return f"C{name[1:]}: {mean}{interval}."


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
    mean = f"mean {measure.quantity(measure.figure(row.mean))} over {counted(row.pulls, 'measurement')}"
    interval = interval_of(row, measure)
    known = "" if interval == "–" else f" (interval {interval})"
    if said.control:
        mean += f", difference from the control {signed(cast('HasDifference', row).difference, measure)}"
    words = standing_of(row, said.passes) + (", proven" if row.proven else "")
    return f"{words}: {mean}{known}, {bar}, chance of error {share(row.p_wrong)}"
