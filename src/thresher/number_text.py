"""Numbers as text, for every table, sentence, picture and error message.

=====================  ==================================================  =================================
:func:`rate`           a mean of outcomes from 0 to 1: three decimals   ``0.716``
:func:`figure`         another measured number: three digits            ``12.3``, ``12,300``
:func:`exact`          a number that was given: a bar, a tick           ``0.8``, ``0.9995``
:func:`amount`         a count, or an amount of budget                  ``2,000``, ``12.5``
:func:`chance`         a probability: two digits                        ``4.7 %``, ``1.0 %``, ``< 0.1 %``
:func:`percent`        a probability that was given                     ``5 %``, ``2.5 %``
:func:`whole_percent`  a share that was measured                        ``57 %``
:func:`duration`       a time in seconds                                ``6 s``, ``2.5 h``
=====================  ==================================================  =================================

A number that a machine reads, or that a user types again, is not written by these: CSV, SVG, options and parameters.
"""

from __future__ import annotations

import math

NONE = "–"
NO_BREAK = "\u00a0"  # before a per cent sign, and inside "< 0.1 %"
LEAST_CHANCE = 1e-3  # smaller probabilities are "< 0.1 %"
LEAST_SIZE = -4  # power of ten below which numbers have an exponent


def rate(value: float | None) -> str:
    """Return a rate with three decimals; a dash if there is none."""
    return NONE if value is None or not math.isfinite(value) else f"{value + 0.0:.3f}"


def figure(value: float | None, digits: int = 3) -> str:
    """Return a number to three significant digits, with trailing zeros; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return NONE
    if value == 0.0:
        return "0"
    size = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    if size < LEAST_SIZE:
        return f"{value:.{digits - 1}e}"
    decimals = digits - 1 - size
    return f"{value:,.{decimals}f}" if decimals > 0 else f"{round(value, decimals):,.0f}"


def exact(value: float | None) -> str:
    """Return a given number as it was given, to at most six significant digits; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return NONE
    if value == int(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    text = f"{value:,.6g}" if abs(value) >= 10.0**LEAST_SIZE else f"{value:.6g}"
    return text if "e" not in text or abs(value) < 1.0 else f"{value:,.0f}"


def amount(value: float | None, digits: int = 3) -> str:
    """Return a count in full, or an amount to at least its whole units; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return NONE
    if abs(value) >= 10.0**digits or (value == int(value) and abs(value) < 1e15):
        return f"{value:,.0f}"
    return f"{value:,.{digits}g}" if abs(value) >= 10.0**LEAST_SIZE else f"{value:.1e}"


def chance(value: float | None) -> str:
    """Return a probability in per cent to two digits; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return NONE
    if 0.0 < value < LEAST_CHANCE:
        return f"<{NO_BREAK}0.1{NO_BREAK}%"
    return f"{figure(100.0 * value, 2 if value < 0.995 else 3)}{NO_BREAK}%"


def percent(value: float) -> str:
    """Return a given probability in per cent, as it was given."""
    return f"{exact(100.0 * value)}{NO_BREAK}%"


def whole_percent(share: float) -> str:
    """Return a measured share in whole per cent."""
    return f"{100.0 * share:.0f}{NO_BREAK}%"


def coverage(missed: float) -> str:
    """Return the coverage of an interval that misses its mean with this chance: ``90 %``, ``99.9 %``."""
    return f"{100.0 - float(f'{100.0 * missed:.2g}'):.10g}{NO_BREAK}%"


def signed(text: str, value: float | None) -> str:
    """Return the text of a difference with its sign."""
    return f"+{text}" if value is not None and value > 0.0 and text != NONE else text


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it: ``6 s``, ``3 min``, ``2.5 h``, ``40 days``."""
    for size, unit in ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= 2.0 * size:
            return f"{amount(float(f'{seconds / size:.2g}'))} {unit}"
    return f"{amount(float(f'{seconds:.2g}'))} s" if seconds >= 1.0 else "1 s"


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: ``1 arm``, ``1,200 arms``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
