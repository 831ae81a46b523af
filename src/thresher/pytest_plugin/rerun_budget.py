"""The budget of the reruns of a session: a number of them, or seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from thresher.number_text import amount


@dataclass(frozen=True)
class RerunBudget:
    """What may be spent on reruns.

    Parameters
    ----------
    amount : float, optional
        One rerun for each test unless given.
    is_time : bool
        Whether the amount is in seconds, as a clock on the wall shows them.
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

    def show(self, value: float) -> str:
        """Return an amount of this budget in words, without its unit."""
        return amount(value if self.is_time else round(value))

    @property
    def unit(self) -> str:
        """The unit in words."""
        return "s of reruns" if self.is_time else "reruns"


class RerunAccount:
    """What reruns have used of the budget: a number of reruns, or seconds since the first of them was due.

    Parameters
    ----------
    budget : RerunBudget
    clock : callable
        Seconds.
    """

    def __init__(self, budget: RerunBudget, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget, self._clock = budget, clock
        self._started: float | None = None
        self._reserved = 0.0
        self.amount = budget.amount or 0.0
        self.workers = 1  # that run tests at the same time
        self.spent = 0.0

    @property
    def is_time(self) -> bool:
        """Whether the budget is in seconds."""
        return self._budget.is_time

    @property
    def left(self) -> float:
        """What the next rerun may cost."""
        if not self.is_time:
            return self.amount - self.spent - self._reserved
        return self.amount if self._started is None else self.amount - (self._clock() - self._started)

    @property
    def capacity(self) -> float:
        """What all reruns together may cost: seconds of test time, or a number of reruns."""
        return self.amount * self.workers if self.is_time else self.amount

    def set_default(self, n_tests: int) -> None:
        """Set the budget to one rerun for each test, unless it was given."""
        if self._budget.amount is None:
            self.amount = float(n_tests)

    @property
    def has_started(self) -> bool:
        """Whether the clock runs."""
        return self._started is not None

    def start(self) -> None:
        """Start the clock."""
        self._started = self._clock()

    def reserve(self, cost: float) -> bool:
        """Reserve the cost of a rerun, if what is left can pay for it."""
        if cost > self.left:
            return False
        self._reserved += cost
        return True

    def settle(self, cost: float, *, has_run: bool) -> None:
        """Replace the reserved cost of a rerun by what it used."""
        self._reserved -= cost
        if self.is_time:
            self.spent = self.amount - self.left
        elif has_run:
            self.spent += 1.0

    def __str__(self) -> str:
        show = self._budget.show
        return f"{show(self.spent)} of {show(self.amount)} {self._budget.unit} used"
