"""One measurement of one arm: its outcome, or the error."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from thresher.number_text import exact

if TYPE_CHECKING:
    from thresher.run.reading import Reading


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

    def measure(
        self, arm: str, parameters: Mapping[str, Any], item: str | None = None, repeat: int | None = None
    ) -> Measured:
        """Return the outcome of one measurement: of an arm on an item, if the campaign has items.

        Where items are asked several times, `repeat` is the ordinal of the measurement among those of arm and item.

        Raises
        ------
        MeasurementError
            If it has no outcome.
        """
        ...

    def stop(self) -> None:
        """Stop running measurements at once; later ones raise MeasurementError."""
        ...


@dataclass(eq=False, kw_only=True)
class LimitedMeasurement(ABC):
    """The common part of all measurements: a timeout, a cost, and how they are stopped. Its text is for messages.

    Parameters
    ----------
    timeout : float, optional
        Seconds for one measurement; after that it is killed, with all processes that it started.
    timeout_outcome : float, optional
        The outcome of a measurement that timed out; without it, a timeout is an error.
    cost : Reading, optional
        How to read what a measurement has cost; without it, the cost of the pull is what its ticket has reserved.
    """

    timeout: float | None = None
    timeout_outcome: float | None = None
    cost: Reading | None = None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = False
        self._running: set[Any] = set()  # processes or connections, which a stop ends

    def stop(self) -> None:
        """Stop running measurements at once; later ones raise MeasurementError."""
        with self._lock:
            self._stopped = True
            for running in self._running:
                self._end(running)

    @abstractmethod
    def _end(self, running: Any) -> None:
        """End a process or a connection."""

    def _raise_if_stopped(self) -> None:
        if self._stopped:
            raise MeasurementError("was stopped", is_retryable=False)

    def _measured(self, value: float, seconds: float, output: str, fault: str = "") -> Measured:
        """Return an outcome with the cost in an output, or raise MeasurementError."""
        return Measured(value, seconds, fault, None if self.cost is None else self.cost.of(output, seconds))

    def _timed_out(self, seconds: float) -> Measured:
        """Return the outcome of a measurement that timed out, or raise MeasurementError."""
        if self.timeout_outcome is None:
            raise MeasurementError(f"took longer than {exact(self.timeout)} s")
        is_time = self.cost is not None and self.cost.kind == "duration"
        return Measured(self.timeout_outcome, seconds, cost=seconds if is_time else None)
