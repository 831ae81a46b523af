"""A worker for a shared campaign, in a database or behind a service."""

from __future__ import annotations

from collections.abc import Callable

from thresher.campaign import Campaign
from thresher.errors import InvalidOutcomeError
from thresher.run.attempts import Attempts
from thresher.run.loop import WorkerLoop
from thresher.run.measurement import Measured, Measurement, MeasurementError

SHORTEST_REST, LONGEST_REST = 0.5, 60.0  # seconds of backoff after a measurement without an outcome
MOST_FAILURES = 10  # consecutive pulls of each job without an outcome


class Worker(WorkerLoop):
    """Measures for a campaign, retries during outages, and stops if its measurement keeps failing.

    `measured` counts the outcomes that it told, `failed` the pulls that it gave up. Its :meth:`work` raises
    InvalidOutcomeError if the measurement cannot work for any arm, or ten consecutive pulls of each job had no outcome,
    or the first outcomes are all failures of the command.
    """

    def __init__(
        self,
        campaign: Campaign,
        measurement: Measurement,
        *,
        jobs: int = 1,
        retries: int = 2,
        rate: str = "",
        may_fail: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        attempts = Attempts(measurement, retries=retries, rate=rate, terms=campaign.terms)
        super().__init__(campaign, attempts, jobs=jobs, patience=None, may_fail=may_fail, say=say)
        self._is_paused = False
        self.failed = self._failed_in_a_row = 0

    def on_pause(self) -> bool:
        """Report once that the worker waits until the campaign is resumed."""
        with self._lock:
            is_first, self._is_paused = not self._is_paused, True
        if is_first:
            self._say("the campaign is paused: waiting until it is resumed")
        return True

    def on_success(self, measured: Measured, unpaid: float = 0.0) -> None:
        """Count an outcome, and reset the count of consecutive failures."""
        self._failed_in_a_row, self._is_paused = 0, False
        super().on_success(measured, unpaid)

    def on_failure(self, arm: str, error: MeasurementError) -> None:
        """Wait with exponential backoff; raise after ten consecutive failures of each job."""
        with self._lock:
            self.failed += 1
            self._failed_in_a_row += 1
            in_a_row = self._failed_in_a_row
        if not error.is_retryable:
            raise InvalidOutcomeError(f"the measurement {error.reason}", instead="fix it and start again")
        if in_a_row >= MOST_FAILURES * self._jobs:
            raise InvalidOutcomeError(
                f"{in_a_row} pulls in a row had no outcome; the last one {error.reason}",
                instead="fix the measurement and start again",
            )
        self._say(f"no outcome for {arm!r}: it {error.reason}")
        self._stopping.wait(min(SHORTEST_REST * 2 ** ((in_a_row - 1) // self._jobs), LONGEST_REST))
