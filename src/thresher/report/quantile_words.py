"""Quantiles in words: the name of a quantile, what passing it means, and the numbers of an arm."""

from __future__ import annotations

from thresher.report.decision_rows import HasShare
from thresher.report.measure import Measure
from thresher.report.numbers import NO_BREAK, counted, rate

SHARE = "share ≤ bar"  # head of a column


def quantile_name(quantile: float) -> str:
    """Return the name of a quantile: ``median``, or ``p95`` for 0.95."""
    return "median" if quantile == 0.5 else f"p{100.0 * quantile:.10g}"


def bar_words(quantile: float, passes: str, bars: str) -> str:
    """Return what is compared with the bar, such as ``95 % of the outcomes at most 200 ms``."""
    side = "above" if passes == "above" else "at most"
    if quantile == 0.5:
        return f"median {side} {bars}"
    return f"{_share_that_passes(quantile, passes)} of the outcomes {side} {bars}"


def rule_words(quantile: float, passes: str, bars: str) -> str:
    """Return when an arm passes, such as ``at least 95 % of its outcomes are at most 200 ms``."""
    side = "above" if passes == "above" else "at most"
    if quantile == 0.5:
        return f"its median is {side} {bars}"
    least = "more than" if passes == "above" else "at least"
    return f"{least} {_share_that_passes(quantile, passes)} of its outcomes are {side} {bars}"


def _share_that_passes(quantile: float, passes: str) -> str:
    """Return the share of the outcomes that has to be on the side that passes, in per cent."""
    return f"{100.0 * (1.0 - quantile if passes == 'above' else quantile):.10g}{NO_BREAK}%"


def numbers_about(row: HasShare, known: str, quantile: float, measure: Measure) -> str:
    """Return what was measured of an arm: the share of its outcomes at or below its bar, with what is `known` of it."""
    share = f"{rate(row.share)} of {counted(row.pulls, 'outcome')} at most the bar"
    own = ", ".join(
        f"{name} {measure.quantity(measure.figure(value))}"
        for name, value in ((quantile_name(quantile), row.quantile), ("mean", row.mean))
    )
    return f"{share}{known}, {own}"
