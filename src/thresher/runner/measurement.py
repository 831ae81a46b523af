"""One measurement of one arm: its outcome, or the error."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from thresher.runner.reading import Reading


@dataclass(frozen=True)
class Measured:
    """The outcome, the duration and the cost of one measurement.

    Parameters
    ----------
    value : float
        The outcome.
    seconds : float
        The duration.
    fault : str
        The exit code and the end of standard error of a command whose failure, with a message, is an outcome.
    cost : float, optional
        What it has cost; None if that is not known, or does not matter.
    """

    value: float
    seconds: float
    fault: str = ""
    cost: float | None = None


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

    def measure(self, arm: str, parameters: Mapping[str, Any], item: str | None = None) -> Measured:
        """Return the outcome of one measurement: of an arm on an item, if the campaign has items.

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
    cost : Reading, optional
        How to read what a measurement has cost; without it, the cost of the pull is what its ticket has reserved.
    """

    def __init__(
        self, text: str, timeout: float | None, timeout_outcome: float | None, cost: Reading | None = None
    ) -> None:
        self._text, self._timeout, self._timeout_outcome, self._cost = text, timeout, timeout_outcome, cost
        self._lock = threading.Lock()
        self._stopped = False

    def __str__(self) -> str:
        return self._text

    def _raise_if_stopped(self) -> None:
        """Raise MeasurementError if the measurement was stopped."""
        if self._stopped:
            raise MeasurementError("was stopped", is_retryable=False)

    def _measured(self, value: float, seconds: float, output: str, fault: str = "") -> Measured:
        """Return an outcome with the cost in an output, or raise MeasurementError."""
        return Measured(value, seconds, fault, None if self._cost is None else self._cost.of(output, seconds))

    def _timed_out(self, seconds: float) -> Measured:
        """Return the outcome of a measurement that timed out, or raise MeasurementError."""
        if self._timeout_outcome is None:
            raise MeasurementError(f"took longer than {self._timeout:g} s")
        is_time = self._cost is not None and self._cost.kind == "duration"
        return Measured(self._timeout_outcome, seconds, cost=seconds if is_time else None)
