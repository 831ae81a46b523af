"""One measurement of one arm: its outcome, or the error."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Measured:
    """The outcome and the duration of one measurement.

    Parameters
    ----------
    value : float
        The outcome.
    seconds : float
        The duration.
    """

    value: float
    seconds: float


class MeasurementError(Exception):
    """A measurement has no outcome. The runner catches this error and decides whether to retry.

    Parameters
    ----------
    reason : str
        The predicate of a sentence whose subject is the measurement: ``printed nothing``.
    is_retryable : bool
        Whether a retry may succeed; False for a command that does not exist.
    """

    def __init__(self, reason: str, *, is_retryable: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.is_retryable = reason, is_retryable


class Measurement(Protocol):
    """Measures arms; called from several threads at once."""

    def measure(self, arm: str, parameters: Mapping[str, Any]) -> Measured:
        """Return the outcome of one measurement.

        Raises
        ------
        MeasurementError
            If it has no outcome.
        """
        ...

    def stop(self) -> None:
        """Stop running measurements at once; later ones raise MeasurementError."""
        ...


class LimitedMeasurement:
    """The common part of all measurements: a text for messages, a timeout, and a flag to stop.

    Parameters
    ----------
    text : str
    timeout : float, optional
        Seconds for one measurement; after that it is killed, with all processes that it started.
    timeout_outcome : float, optional
        The outcome of a measurement that timed out; without it, a timeout is an error.
    """

    def __init__(self, text: str, timeout: float | None, timeout_outcome: float | None) -> None:
        self._text, self._timeout, self._timeout_outcome = text, timeout, timeout_outcome
        self._lock = threading.Lock()
        self._stopped = False

    def __str__(self) -> str:
        return self._text

    def _raise_if_stopped(self) -> None:
        """Raise MeasurementError if the measurement was stopped."""
        if self._stopped:
            raise MeasurementError("was stopped", is_retryable=False)

    def _timed_out(self, seconds: float) -> Measured:
        """Return the outcome of a measurement that timed out, or raise MeasurementError."""
        if self._timeout_outcome is None:
            raise MeasurementError(f"took longer than {self._timeout:g} s")
        return Measured(self._timeout_outcome, seconds)
