"""The bar and the control in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.number_text import NO_BREAK, counted
from thresher.report.decision_rows import HasControl, HasDecision
from thresher.report.measure import Measure
from thresher.report.quantile_words import bar_words, rule_words
from thresher.report.text_terms import TextTerms

SUPERIOR, NOT_WORSE = "superiority", "non-inferiority"


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
