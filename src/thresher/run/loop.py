"""The loop of every worker: ask for a ticket, measure its arm, tell the outcome, several at a time."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any, TypeVar

from thresher.campaign import Campaign, Ticket, with_retries
from thresher.errors import InvalidOutcomeError, StorageUnavailableError
from thresher.run.attempts import Attempts
from thresher.run.measurement import Measured, MeasurementError
from thresher.run.owner import Owner

POLL = 0.2  # seconds between checks of leases, and between asks while there is no ticket
# Seconds of backoff while the database or the service is unavailable.
FIRST_WAIT, LONGEST_WAIT, JITTER = 0.1, 60.0, 1.0
HEARTBEATS_PER_LEASE = 3.0
LONGEST_REASON = 200  # characters that a campaign stores
FEWEST_FAILURES, MOST_FAILURES = 8, 20  # in a row at the start, before a command is taken to be wrong

Answer = TypeVar("Answer")


class FailingCommandError(InvalidOutcomeError):
    """Every measurement so far is a failure of the command, which may be wrong; the outcomes are kept."""


class WorkerLoop(ABC):
    """Asks, measures and tells until the campaign needs nothing more; `Run` and `Worker` provide the campaign.

    Leases are renewed during long measurements. A measurement without an outcome is not an observation: its ticket is
    given up, and :meth:`on_failure` decides what follows. Ctrl-C stops running measurements and gives up their tickets.

    Parameters
    ----------
    campaign : Campaign, optional
        None before it is created.
    attempts : Attempts
    jobs : int
        Concurrent measurements.
    patience : int, optional
        Attempts of a call while the database or the service is unavailable; None for no limit.
    parameters : mapping, optional
        Arguments of the measurement besides the name of the arm, for each arm of a spec.
    owner : Owner, optional
        This process, for idempotency keys by which a later run knows whether it was killed.
    may_fail : bool
        Go on where every outcome of a command is its failure.
    say : callable
        Called with a sentence about each problem.
    """

    # What to do where every outcome of a command is its failure.
    advice = "correct the command, or go on if this is what the arms do"

    def __init__(
        self,
        campaign: Campaign | None,
        attempts: Attempts,
        *,
        jobs: int,
        patience: int | None,
        parameters: Mapping[str, Mapping[str, Any]] | None = None,
        owner: Owner | None = None,
        may_fail: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.campaign = campaign
        self._attempts, self._jobs, self._patience = attempts, jobs, patience
        self._parameters, self._owner, self._say = parameters or {}, owner, say
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._held: dict[str, tuple[Ticket, float]] = {}
        self._faults: list[BaseException] = []
        self._failures = -1 if may_fail else 0
        self.measured, self.unpaid = 0, 0.0

    @abstractmethod
    def on_failure(self, arm: str, error: MeasurementError) -> None:
        """Decide what follows a measurement without an outcome: return to go on, raise to stop."""

    @abstractmethod
    def on_pause(self) -> bool:
        """Return whether to wait while the campaign is paused."""

    def prepare(self) -> None:  # noqa: B027 - most have nothing to prepare
        """Run in every thread before the first ticket."""

    def before_tell(self) -> None:  # noqa: B027 - most have nothing to note
        """Run before each outcome is told."""

    def work(self, watch: Callable[[], None] | None = None) -> None:
        """Work until the campaign needs nothing more, and call `watch` at intervals.

        Raise the first error of any thread, after running measurements were stopped and their tickets given up.
        """
        with ThreadPoolExecutor(self._jobs) as pool:
            try:  # around the starts, too: a signal may come before the last thread is started
                working = {pool.submit(self._work) for _ in range(self._jobs)}
                # Not `Thread.join`: before Python 3.13, a join that Ctrl-C interrupts marks a live thread as stopped.
                while working:
                    self._renew()
                    if watch is not None:
                        watch()
                    working = wait(working, timeout=POLL).not_done
            finally:
                self._stopping.set()
                self._attempts.stop()
        if self._faults:
            raise self._faults[0]

    def _renew(self) -> None:
        """Renew the leases of long measurements."""
        if (campaign := self.campaign) is None:
            return
        old = time.monotonic() - campaign.terms.lease / HEARTBEATS_PER_LEASE
        with self._lock:
            due = [ticket for ticket, since in self._held.values() if since < old]
        if not due:
            return
        try:
            campaign.heartbeat(*due)
        except StorageUnavailableError as error:
            self._say(f"no heartbeat: {error}")
            return
        with self._lock:
            self._held |= {one.id: (one, time.monotonic()) for one in due if one.id in self._held}

    def _work(self) -> None:
        try:
            self.prepare()
            if self.campaign is not None:
                self._pull(self.campaign)
        except BaseException as error:
            with self._lock:
                self._faults.append(error)
            self._stopping.set()

    def _pull(self, campaign: Campaign) -> None:
        while not self._stopping.is_set():
            key = None if self._owner is None else self._owner.key()
            ticket = self._retry(partial(campaign.ask, key=key))
            if ticket is not None:
                self._measure(campaign, ticket)
            else:
                standing = self._retry(lambda: campaign.standing)
                if not standing.is_open or (standing.status == "paused" and not self.on_pause()):
                    return
                self._retry(lambda: campaign.wait(POLL))

    def _measure(self, campaign: Campaign, ticket: Ticket) -> None:
        """Measure one arm and tell the outcome, or give up the ticket."""
        with self._lock:
            self._held[ticket.id] = (ticket, time.monotonic())
        try:
            repeat = ticket.repeat if campaign.terms.repeats > 1 else None
            parameters = self._parameters.get(ticket.arm, {})
            measured = self._attempts.measure(ticket.arm, parameters, ticket.item, repeat)
            self.before_tell()
            receipt = self._retry(lambda: campaign.tell(ticket, measured.value, measured.cost))
            self.on_success(measured, receipt.unpaid)
        except MeasurementError as error:
            reason = error.reason[:LONGEST_REASON]
            self._retry(lambda: campaign.fail(ticket, reason=reason))
            if not self._stopping.is_set():
                self.on_failure(ticket.arm, error)
        finally:
            with self._lock:
                del self._held[ticket.id]

    def on_success(self, measured: Measured, unpaid: float = 0.0) -> None:
        """Count an outcome that was told, and the part of its cost that the budget could not pay.

        Raise FailingCommandError if the first outcomes, one for each arm, are all failures of the command.
        """
        with self._lock:
            self.measured += 1
            self.unpaid += unpaid
            self._failures = self._failures + 1 if measured.fault and self._failures >= 0 else -1
            failures = self._failures
        if failures >= FEWEST_FAILURES and failures >= min(self._n_arms(), MOST_FAILURES):
            raise FailingCommandError(
                f"the first {failures} measurements all failed: {self._attempts.measurement} had {measured.fault}",
                instead=self.advice,
            )

    def _n_arms(self) -> int:
        """Return the number of arms to measure: those of a spec, or all of a shared campaign."""
        campaign = self.campaign
        assert campaign is not None
        return len(self._parameters) or self._retry(lambda: campaign.standing).arms

    def _retry(self, call: Callable[[], Answer]) -> Answer:
        """Return the result of a call; repeat it while the database or the service is unavailable."""

        def is_unavailable(error: Exception) -> bool:
            # Without a limit, a worker that is stopping does not retry: it might never end.
            is_over = self._patience is None and self._stopping.is_set()
            if is_over or not isinstance(error, StorageUnavailableError):
                return False
            self._say(f"unavailable, trying again: {error}")
            return True

        return with_retries(
            call, is_unavailable, attempts=self._patience, first=FIRST_WAIT, longest=LONGEST_WAIT, jitter=JITTER
        )
