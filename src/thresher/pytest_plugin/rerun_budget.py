"""The budget of reruns of one night: a number of them, or seconds of test time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class RerunBudget:
    """What may be spent on reruns.

    Parameters
    ----------
    amount : float, optional
        One rerun for each test unless given.
    is_time : bool
        Whether the amount is in seconds of test time, summed over all workers.
    """

    amount: float | None = None
    is_time: bool = False

    @classmethod
    def parse(cls, text: str) -> RerunBudget:
        """Return the budget in a text such as ``500`` (reruns) or ``120s`` (seconds).

        Raises
        ------
        ValueError
            If it is neither.
        """
        with suppress(ValueError):
            if text.endswith("s") and 0.0 <= (seconds := float(text[:-1])) <= 1e9:
                return cls(seconds, is_time=True)
            if not text.endswith("s") and (reruns := int(text)) >= 0:
                return cls(reruns)
        raise ValueError(f"{text!r} must be a whole number of reruns, such as 500, or seconds, such as 120s")

    def show(self, amount: float) -> str:
        """Return an amount of this budget in words, without its unit."""
        return f"{amount:.3g}" if self.is_time else f"{amount:.0f}"

    @property
    def unit(self) -> str:
        """The unit in words."""
        return "s of reruns" if self.is_time else "reruns"
