"""Format probabilities and sentences."""

from __future__ import annotations


def share(value: float | None) -> str:
    """Return a probability as text; a dash if there is none."""
    if value is None or value != value:
        return "–"
    return "< 0.01 %" if 0 < value < 1e-4 else f"{100 * value:.2g} %"


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: ``1 arm``, ``1,200 arms``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def sentence_of(text: str) -> str:
    """Return an error or a note as a sentence: capitalised, with a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '…')) else '.'}"
