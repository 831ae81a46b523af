"""A worker for a campaign that others may work for too, in a database or behind a service."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from thresher.errors import InvalidOutcomeError
from thresher.live import Campaign
from thresher.runner.attempts import Attempts
from thresher.runner.loop import WorkerLoop
from thresher.runner.measurement import Measurement, Unmeasured

SHORTEST_REST, LONGEST_REST = 0.5, 60.0  # seconds after a measurement without an outcome, growing
MOST_FAILURES = 10  # pulls of each job without an outcome, with none in between that has one


class Worked(NamedTuple):
    """What a worker did: outcomes told, and pulls given up."""

    measured: int
    failed: int


class Worker(WorkerLoop):
    """Measures for a campaign through outages, and stops when its measurement is broken.

    Parameters
    ----------
    campaign : Campaign
    measurement, retries, rate
        As in :class:`~thresher.runner.attempts.Attempts`.
    jobs, say
        As in :class:`~thresher.runner.loop.WorkerLoop`.
    """

    def __init__(
        self,
        campaign: Campaign,
        measurement: Measurement,
        *,
        jobs: int = 1,
        retries: int = 2,
        rate: str = "",
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        attempts = Attempts(measurement, retries=retries, rate=rate, terms=campaign.terms)
        super().__init__(attempts, jobs=jobs, patience=None, say=say)
        self._campaign = campaign
        self.failed = self._failed_in_a_row = 0

    @property
    def campaign(self) -> Campaign:
        """The campaign."""
        return self._campaign

    def go(self) -> Worked:
        """Work until the campaign needs nothing more; return what was done.

        Raises
        ------
        InvalidOutcomeError
            If the measurement cannot work, whatever the arm, or has had no outcome for ten pulls of each job in a row.
        ThresherError
            If the campaign refuses the worker.
        KeyboardInterrupt
            On Ctrl-C, after what was under way has been ended and its units given back.
        """
        self.work()
        return Worked(self.measured, self.failed)

    def on_success(self) -> None:
        """Count an outcome: the measurement works."""
        super().on_success()
        self._failed_in_a_row = 0

    def on_failure(self, arm: str, error: Unmeasured) -> None:
        """Rest, so that a broken worker does not churn; stop after ten failures of each job in a row."""
        with self._lock:
            self.failed += 1
            self._failed_in_a_row += 1
            in_a_row = self._failed_in_a_row
        if not error.again:
            raise InvalidOutcomeError(f"the measurement {error.reason}", instead="mend it and start again")
        if in_a_row >= MOST_FAILURES * self._jobs:
            raise InvalidOutcomeError(
                f"{in_a_row} pulls in a row had no outcome; the last one {error.reason}",
                instead="mend the measurement and start again",
            )
        self._say(f"no outcome for {arm!r}: it {error.reason}")
        self._stopping.wait(min(SHORTEST_REST * 2 ** ((in_a_row - 1) // self._jobs), LONGEST_REST))
