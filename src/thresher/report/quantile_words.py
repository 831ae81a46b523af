"""Quantiles in words: the name of a quantile, and what passing it means."""

from __future__ import annotations

from thresher.number_text import NO_BREAK

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
