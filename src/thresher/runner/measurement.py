"""One measurement of one arm: what comes of it, and what is said when nothing does."""

from __future__ import annotations

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
