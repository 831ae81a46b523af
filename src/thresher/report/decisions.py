"""The decision on an arm in words, and the order of the arms.

The terminal, Markdown, JUnit, the HTML report and the dashboard use these texts and this order.
:mod:`thresher.report.summary` has the sentences about all arms, :mod:`thresher.report.arm_sentence` the one about an
arm, :mod:`thresher.report.columns` the columns of the table, and :mod:`thresher.report.next_step` the next step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from thresher.report.decision_rows import HasDecision
from thresher.report.measure import Measure, interval_of
from thresher.report.text_terms import TextTerms

TIE = 1e-9  # relative distance of a mean from its bar up to which it is on the bar
TOO_CLOSE = 0.4  # chance of error from which an undecided arm is too close to call
STANDINGS = ("pass", "fail", "leaning pass", "leaning fail", "too close to call", "not measured")  # in this order
SIGNS = {"pass": "✔", "fail": "✘", "open": "●"}  # so colour is not the only cue
WORDS = {"pass": "pass", "fail": "fail", "open": "undecided"}  # of the decisions, as people read them
COLOURS = {"pass": "green", "fail": "red", "open": "yellow"}  # of a terminal

Row = TypeVar("Row", bound=HasDecision)


def standing_of(row: HasDecision, passes: str) -> str:
    """Return the decision on an arm in words: for an undecided one, which way it leans, or that it is too close."""
    if row.decision != "open":
        return row.decision
    if not row.pulls:
        return "not measured"
    if row.p_wrong >= TOO_CLOSE or row.verdict == "undecided":
        return "too close to call"
    return f"leaning {'pass' if row.verdict == passes else 'fail'}"


def exit_code(rows: Iterable[HasDecision]) -> int:
    """Return 0 if every arm passes, 1 if some arm fails, 2 if none fails and some are undecided."""
    found = {row.decision for row in rows}
    return 1 if "fail" in found else 2 if "open" in found else 0


def in_order(rows: Sequence[Row], passes: str) -> list[Row]:
    """Return the rows by decision, then by chance of error."""
    return sorted(rows, key=rank_of(passes))


def rank_of(passes: str) -> Callable[[HasDecision], tuple[int, float]]:
    """Return the key by which rows are ordered."""
    return lambda row: (STANDINGS.index(standing_of(row, passes)), row.p_wrong)


def decision_cell(row: HasDecision, passes: str) -> str:
    """Return the decision as shown in a table: with its sign, and whether it is proven or within the tolerance."""
    words = standing_of(row, passes)
    sign = f"{SIGNS[row.decision]} " if row.decision != "open" else ""
    notes = ", ".join(notes_of(row))
    return f"{sign}{words} ({notes})" if notes else f"{sign}{words}"


def notes_of(row: HasDecision) -> list[str]:
    """Return a remark on a decision: proven, within the tolerance, or against the mean because of costs."""
    known = (("proven", row.proven), ("within the tolerance", row.within), ("by cost", _is_by_cost(row)))
    return [note for note, is_so in known if is_so]


def _is_by_cost(row: HasDecision) -> bool:
    """Return whether the verdict is on the other side of the bar than the mean, because that mistake costs less."""
    if row.mean is None or row.verdict == "undecided" or getattr(row, "share", None) is not None:
        return False
    gap = row.mean - row.threshold
    return abs(gap) > TIE * abs(row.threshold) and (gap > 0.0) != (row.verdict == "above")


def interval_cell(row: HasDecision, said: TextTerms, measure: Measure) -> str:
    """Return the interval behind the decision: of the mean, of the share, of the difference or the lift."""
    if said.quantile:
        return interval_of(row, Measure(is_rate=True), bar=said.compared(row))
    if not said.control:
        return interval_of(row, measure)
    shown = Measure() if said.is_relative else Measure(measure.unit, measure.factor)
    return interval_of(row, shown, bar=said.compared(row))
