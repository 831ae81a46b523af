"""One measurement of one arm: its outcome, or why there is none."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Measured:
    """What came of one measurement.

    Parameters
    ----------
    value : float
        The outcome.
    seconds : float
        How long it took.
    """

    value: float
    seconds: float


class Unmeasured(Exception):  # noqa: N818 - it says what happened, and never leaves the runner
    """A measurement that gave no outcome. It is not an observation; the runner decides whether to try again.

    Parameters
    ----------
    reason : str
        What happened, as the end of a sentence that begins with the measurement.
    again : bool
        Whether trying again may help; False for a command that does not exist.
    """

    def __init__(self, reason: str, *, again: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.again = reason, again


class Measurement(Protocol):
    """Whatever measures an arm; used from several threads at once."""

    def measure(self, arm: str, parameters: Mapping[str, Any]) -> Measured:
        """Return the outcome of one measurement.

        Raises
        ------
        Unmeasured
            If there is none.
        """
        ...

    def stop(self) -> None:
        """End what is under way, at once; what is measured afterwards has no outcome."""
        ...


class LimitedMeasurement:
    """What every measurement has: a text for messages, a time limit, and an end from outside.

    Parameters
    ----------
    text : str
    timeout : float, optional
        Seconds for one measurement; then it is ended, with all that it started.
    timeout_outcome : float, optional
        The outcome of a measurement that took too long; without it there is none.
    """

    def __init__(self, text: str, timeout: float | None, timeout_outcome: float | None) -> None:
        self._text, self._timeout, self._timeout_outcome = text, timeout, timeout_outcome
        self._lock = threading.Lock()
        self._stopped = False

    def __str__(self) -> str:
        return self._text

    def _demand_going(self) -> None:
        """Raise if this was stopped."""
        if self._stopped:
            raise Unmeasured("was stopped", again=False)

    def _too_long(self, seconds: float) -> Measured:
        """Return the outcome of a measurement that took too long; raise if it has none."""
        if self._timeout_outcome is None:
            raise Unmeasured(f"took longer than {self._timeout:g} s")
        return Measured(self._timeout_outcome, seconds)
