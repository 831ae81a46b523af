"""A worker: measures what a campaign somewhere asks for, through outages, until the campaign needs nothing more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

import stamina

from thresher.campaign import outcome_of
from thresher.errors import InvalidOutcomeError, StorageUnavailableError
from thresher.live import Campaign, Ticket
from thresher.runner.attempts import Attempts
from thresher.runner.measurement import Measurement, Unmeasured

LOOK = 0.2  # seconds between looks at what goes on
SHORTEST_WAIT, LONGEST_WAIT = 0.5, 60.0  # seconds of rest after measurements without an outcome, growing
MOST_FAILURES = 10  # pulls of each job without an outcome, with none in between that has one
HEARTBEATS_PER_LEASE = 3.0
LONGEST_REASON = 200  # characters that a campaign keeps

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Worked:
    """What a worker did.

    Parameters
    ----------
    measured, failed : int
        Outcomes told; pulls given up.
    """

    measured: int
    failed: int


class Worker:
    """Measures for a campaign that others may work for too.

    Parameters
    ----------
    campaign : Campaign
        In a database or behind a service.
    measurement : Measurement
    jobs : int
        Measurements at a time.
    retries : int
        Attempts after the first one where no outcome came.
    rate : str
        ``30/minute`` or the like.
    say : callable
        Told in a sentence what goes wrong.
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
        self._campaign, self._jobs, self._say = campaign, jobs, say
        self._attempts = Attempts(measurement, retries=retries, rate=rate, accept=self._accept)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._held: dict[str, tuple[Ticket, float]] = {}
        self._faults: list[BaseException] = []
        self.measured = self.failed = self._failed_in_a_row = 0

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
        with ThreadPoolExecutor(self._jobs) as pool:
            try:  # from the first thread on: a signal may come before the last one is started
                working = {pool.submit(self._work) for _ in range(self._jobs)}
                # Not `Thread.join`: before Python 3.13, one that Ctrl-C interrupts takes a living thread for dead.
                while working:
                    self._renew()
                    working = wait(working, timeout=LOOK).not_done
            finally:
                self._stopping.set()
                self._attempts.stop()
        if self._faults:
            raise self._faults[0]
        return Worked(self.measured, self.failed)

    def _renew(self) -> None:
        """Renew the leases of what takes long, in good time."""
        old = time.monotonic() - self._campaign.terms.lease / HEARTBEATS_PER_LEASE
        with self._lock:
            due = [ticket for ticket, since in self._held.values() if since < old]
        if not due:
            return
        try:
            self._campaign.heartbeat(*due)
        except StorageUnavailableError as error:
            self._say(f"no heartbeat: {error}")
            return
        with self._lock:
            self._held |= {one.id: (one, time.monotonic()) for one in due if one.id in self._held}

    def _work(self) -> None:
        try:
            self._pull()
        except BaseException as error:
            with self._lock:
                self._faults.append(error)
            self._stopping.set()

    def _pull(self) -> None:
        rest = SHORTEST_WAIT
        while not self._stopping.is_set():
            ticket = self._patiently(self._campaign.ask)
            if ticket is not None:
                rest = SHORTEST_WAIT if self._measure(ticket) else self._rest(rest)
            elif not self._patiently(lambda: self._campaign.is_open):
                return
            else:
                self._patiently(lambda: self._campaign.wait(LOOK))

    def _patiently(self, call: Callable[[], Answer]) -> Answer:
        """Return what a call gives, however long the campaign is away."""

        def is_away(error: Exception) -> bool:
            if isinstance(error, StorageUnavailableError) and not self._stopping.is_set():
                self._say(f"away, trying again: {error}")
                return True
            return False

        for attempt in stamina.retry_context(on=is_away, attempts=None, timeout=None, wait_max=LONGEST_WAIT):
            with attempt:
                return call()
        raise AssertionError("an attempt returns or raises")

    def _measure(self, ticket: Ticket) -> bool:
        """Measure one arm and tell what came out; return whether anything did."""
        with self._lock:
            self._held[ticket.id] = (ticket, time.monotonic())
        try:
            measured = self._attempts.measure(ticket.arm, {})
            self._patiently(lambda: self._campaign.tell(ticket, measured.value))
        except Unmeasured as error:
            self._give_back(ticket, error)
            return False
        finally:
            with self._lock:
                del self._held[ticket.id]
        with self._lock:
            self.measured += 1
            self._failed_in_a_row = 0
        return True

    def _give_back(self, ticket: Ticket, error: Unmeasured) -> None:
        self._patiently(lambda: self._campaign.fail(ticket, reason=error.reason[:LONGEST_REASON]))
        if self._stopping.is_set():
            return
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
        self._say(f"no outcome for {ticket.arm!r}: it {error.reason}")

    def _rest(self, seconds: float) -> float:
        """Rest after a pull without an outcome, so that a broken worker does not churn; return the next rest."""
        self._stopping.wait(seconds)
        return min(2.0 * seconds, LONGEST_WAIT)

    def _accept(self, value: float) -> None:
        try:
            outcome_of(self._campaign.terms, value)
        except InvalidOutcomeError as error:
            raise Unmeasured(f"gave an outcome that cannot be: {error}") from error
