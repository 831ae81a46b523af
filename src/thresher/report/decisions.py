"""Decisions in words: on an arm, on all arms, and the bar; and the order of the arms.

The terminal, Markdown, JUnit, the HTML report and the dashboard use these texts and this order.
:mod:`thresher.report.arm_sentence` has the sentence about an arm, :mod:`thresher.report.columns` the columns of the
table, and :mod:`thresher.report.next_step` the next step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from thresher.number_text import NO_BREAK, amount, chance, counted, figure
from thresher.report.decision_rows import HasControl, HasDecision, HasSpending
from thresher.report.quantile_words import bar_words, rule_words
from thresher.report.text_terms import Measure, TextTerms, interval_of

TIE = 1e-9  # relative distance of a mean from its bar up to which it is on the bar
TOO_CLOSE = 0.4  # chance of error from which an undecided arm is too close to call
STANDINGS = ("pass", "fail", "leaning pass", "leaning fail", "too close to call", "not measured")  # in this order
SIGNS = {"pass": "✔", "fail": "✘", "open": "●"}  # so colour is not the only cue
WORDS = {"pass": "pass", "fail": "fail", "open": "undecided"}  # of the decisions, as people read them
COLOURS = {"pass": "green", "fail": "red", "open": "yellow"}  # of a terminal
TOO_FEW = 2.0  # measurements per arm, on average, below which it is too early to judge
SUPERIOR, NOT_WORSE = "superiority", "non-inferiority"

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


def is_early(rows: Sequence[HasDecision]) -> bool:
    """Return whether there are too few measurements to say which way the undecided arms lean."""
    return any(row.decision == "open" for row in rows) and sum(row.pulls for row in rows) < TOO_FEW * len(rows)


def decided_clause(rows: Sequence[HasDecision], passes: str) -> str:
    """Return how many arms pass, fail and are undecided, and which way those lean, without a full stop."""
    leans = leaning_counts(rows, passes)
    return f"{decided_counts(rows, passes)} ({leans})" if leans else decided_counts(rows, passes)


def decided_counts(rows: Sequence[HasDecision], passes: str) -> str:
    """Return how many arms pass, fail and are undecided, and whether it is too early to judge those."""
    if _is_untouched(rows, passes):
        return f"{counted(len(rows), 'arm')}, not measured yet"
    found = [row.decision for row in rows]
    counts = f"{found.count('pass'):,} pass, {found.count('fail'):,} fail, {found.count('open'):,} undecided"
    return f"{counts}: too early to judge" if is_early(rows) else counts


def leaning_counts(rows: Sequence[HasDecision], passes: str) -> str:
    """Return which way the undecided arms lean; empty if none is undecided, or if it is too early to judge."""
    if is_early(rows) or _is_untouched(rows, passes):
        return ""
    found = [standing_of(row, passes) for row in rows]
    return ", ".join(f"{found.count(word):,} {word}" for word in STANDINGS[2:] if word in found)


def _is_untouched(rows: Sequence[HasDecision], passes: str) -> bool:
    return all(standing_of(row, passes) == "not measured" for row in rows)


def lead(rows: Sequence[HasDecision], said: TextTerms, spending: HasSpending | None = None) -> str:
    """Return how many arms pass, fail and are undecided, the bar, and the budget spent."""
    clause = decided_clause(rows, said.passes)
    if spending is not None and spending.items:
        clause += items_clause(spending.items, said.target)
    spent = "" if spending is None else spent_of(spending)
    return " ".join(filter(None, (f"{clause}.", bar_of(rows, said), spent)))


def items_clause(items: int, target: str) -> str:
    """Return the subject of verdicts: these items, or the population from which they were sampled."""
    if target == "population":
        return f" for items like {'this one' if items == 1 else f'these {items:,}'}"
    return f" on {these_items(items)}"


def these_items(items: int) -> str:
    """Return the items of a campaign by their number: ``this item``, ``these 20 items``."""
    return "this item" if items == 1 else f"these {counted(items, 'item')}"


def mistakes_sentence(rows: Sequence[HasDecision], expected: float) -> str:
    """Return how many mistakes to expect if all arms were judged now; empty if it is too early or not known."""
    if not math.isfinite(expected) or is_early(rows) or all(row.verdict == "undecided" for row in rows):
        return ""
    if len(rows) == 1:
        return f"If you acted on it now, the chance of a mistake is {chance(expected)}."
    all_arms = "both" if len(rows) == 2 else f"all {len(rows):,}"
    return f"If you acted on {all_arms} now, expect {about_mistakes(expected)}."


def about_mistakes(expected: float) -> str:
    """Return an expected number of mistakes in words: one digit, because it is an estimate."""
    if expected < 0.1:
        return "fewer than 0.1 mistakes"
    shown = figure(expected, 1) if expected < 9.5 else amount(round(expected))
    return f"about {shown} mistake{'' if shown == '1' else 's'}"


def level_sentence(said: TextTerms, rows: Sequence[HasDecision] = ()) -> str:
    """Return the level of the decisions, and why arms with a chance of error below it are undecided."""
    found = f"Decided at {said.promise}."
    waiting = sum(row.decision == "open" and row.p_wrong <= said.level_in_force for row in rows)
    if not (waiting and said.held_back_by):
        return found
    arms = f"{counted(waiting, 'arm')} {'is' if waiting == 1 else 'are'}"
    return f"{found} {arms} within that but undecided: {'its' if waiting == 1 else 'their'} {said.held_back_by}."


def essence(rows: Sequence[HasDecision], said: TextTerms, expected: float) -> str:
    """Return the bar and the mistakes to expect, for a list of campaigns that shows the counts itself."""
    return " ".join(filter(None, (bar_of(rows, said), mistakes_sentence(rows, expected))))


def spent_of(spending: HasSpending) -> str:
    """Return a sentence about the budget spent."""
    spent, budget = amount(spending.spent), amount(spending.budget)
    if spending.told == spending.spent:
        return f"{spent} of {budget} measurements spent."
    if spending.told and not spending.spent:
        return f"{counted(spending.told, 'measurement')}, none of them paid from the budget of {budget}."
    return f"{spent} of a budget of {budget} spent."


def bar_of(rows: Sequence[HasDecision], said: TextTerms) -> str:
    """Return the bar in a sentence, with the side that passes, such as ``Bar: at most 7.7 ms.``."""
    if said.control and rows:
        return f"Bar: {_control_bar(rows[0].threshold, said)}."
    bars, are_many = _bars(rows, said)
    if said.quantile and bars:
        shown = f"its own bar ({bars})" if are_many else bars
        return f"Bar: {bar_words(said.quantile, said.passes, shown)}."
    if said.pass_k > 1 and bars:
        return f"Bar: {_trials(said, f'its own bar ({bars})' if are_many else bars)}."
    if are_many:
        return f"Each arm has its own bar ({bars}); {said.passes} passes."
    return f"Bar: {_side(said)} {bars}." if bars else ""


def bar_mark(rows: Sequence[HasDecision], said: TextTerms) -> str:
    """Return the bar as short as it can be said, such as ``bar > 0.8``."""
    sign = ">" if said.passes == "above" else "≤"
    if said.control:
        shift = "" if said.margin_number == 0.0 else f" {said.margin.replace('-', '−')}"
        return f"bar {sign} {_control_name(said.control)}{shift}"
    bars, are_many = _bars(rows, said)
    return f"each arm {sign} its bar" if are_many else f"bar {sign} {bars}"


def passing_rule(rows: Sequence[HasDecision], said: TextTerms) -> str:
    """Return a sentence about which arms pass, such as ``An arm passes if its mean is at most 7.7 ms``."""
    if said.control and rows:
        meaning, test = _control_meaning(said)
        return f"An arm passes if it is {meaning} ({test})."
    bars, are_many = _bars(rows, said)
    shown = f"its own bar ({bars})" if are_many else bars
    rule = rule_words(said.quantile, said.passes, shown) if said.quantile else f"its mean is {_side(said)} {shown}"
    rule = _trials(said, shown) if said.pass_k > 1 else rule
    return f"An arm passes if {rule}." if bars else ""


def control_sentence(control: HasControl | None, said: TextTerms) -> str:
    """Return the statistics of the control in words; empty without one."""
    if control is None:
        return ""
    measure, name = Measure(said.unit, is_rate=said.is_rate), _control_name(control.arm)
    if control.mean is None:
        return f"C{name[1:]}: not measured."
    mean = f"mean {measure.quantity(measure.figure(control.mean))} over {counted(control.pulls, 'measurement')}"
    is_known = math.isfinite(control.low) and math.isfinite(control.high)
    interval = f" (interval {measure.figure(control.low)} to {measure.figure(control.high)})" if is_known else ""
    return f"C{name[1:]}: {mean}{interval}."


def _side(said: TextTerms) -> str:
    return "above" if said.passes == "above" else "at most"


def _trials(said: TextTerms, bars: str) -> str:
    """Return what passing means where all of several trials must succeed, without a full stop."""
    return f"all of {said.pass_k} trials succeed with a probability {_side(said)} {bars}"


def _bars(rows: Sequence[HasDecision], said: TextTerms) -> tuple[str, bool]:
    """Return the bar or the range of the bars with the unit, and whether they differ."""
    measure, bars = said.measure(rows), sorted({row.threshold for row in rows})
    ends = [measure.bar(bar) for bar in bars]
    shown = "–".join([ends[0], ends[-1]] if len(ends) > 1 else ends)
    return measure.quantity(shown) if ends else "", len(ends) > 1


def _control_name(arm: str) -> str:
    """Return "control" and the name of the control, or just "control" if that is its name."""
    return "control" if arm.lower() == "control" else f"control {arm}"


def _control_bar(bar: float, said: TextTerms) -> str:
    """Return the bar given by a control, and what passing it means, without a full stop."""
    measure, shown = Measure(said.unit, is_rate=said.is_rate), _margin(said)
    name, (meaning, test) = _control_name(said.control), _control_meaning(said)
    where = name if said.margin_number == 0.0 else f"{name} {'−' if said.margin.startswith('-') else '+'} {shown}"
    now = f" (now about {measure.quantity(measure.figure(bar))})" if math.isfinite(bar) else ""
    return f"{_side(said)} {where}{now}, {meaning}: {test}"


def _margin(said: TextTerms) -> str:
    """Return the size of the margin, with its unit."""
    size = said.margin.lstrip("+-")
    return size.replace("%", f"{NO_BREAK}%") if size.endswith("%") else Measure(said.unit).quantity(size)


def _control_meaning(said: TextTerms) -> tuple[str, str]:
    """Return what an arm that passes is, compared with the control, and the name of this kind of test."""
    is_above, shown = said.passes == "above", _margin(said)
    if said.margin_number == 0.0:
        return ("better than the control", SUPERIOR) if is_above else ("not worse than the control", NOT_WORSE)
    if said.margin.startswith("-") == is_above:
        return f"not worse than the control by more than {shown}", NOT_WORSE
    return f"better than the control by {'more than' if is_above else 'at least'} {shown}", SUPERIOR
