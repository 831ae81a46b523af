"""The loop of every worker: ask for a ticket, measure its arm, tell the outcome, several at a time."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

import stamina

from thresher.errors import StorageUnavailableError
from thresher.live import Campaign, Ticket
from thresher.runner.attempts import Attempts
from thresher.runner.measurement import Unmeasured

LOOK = 0.2  # seconds between checks of leases, and for a free ticket
LONGEST_WAIT = 60.0  # seconds between two calls while the database or the service is away, growing
HEARTBEATS_PER_LEASE = 3.0
LONGEST_REASON = 200  # characters that a campaign keeps

Answer = TypeVar("Answer")


class WorkerLoop(ABC):
    """Measures what a campaign asks for until it needs nothing more; `Run` and `Worker` say for which campaign.

    Leases are renewed while a measurement takes long. A measurement without an outcome is not an observation: its unit
    goes back, and :meth:`on_failure` decides what follows. Ctrl-C ends what is under way, and its units go back too.

    Parameters
    ----------
    attempts : Attempts
        How an arm is measured.
    jobs : int
        Measurements at a time.
    patience : int, optional
        Attempts of a call while the database or the service is away; None for as long as it takes.
    parameters : mapping, optional
        What the measurement is given beside the name of an arm, by arm.
    say : callable
        Called with a sentence about what goes wrong.
    """

    def __init__(
        self,
        attempts: Attempts,
        *,
        jobs: int,
        patience: int | None,
        parameters: Mapping[str, Mapping[str, Any]] | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._attempts, self._jobs, self._patience = attempts, jobs, patience
        self._parameters, self._say = parameters or {}, say
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._held: dict[str, tuple[Ticket, float]] = {}
        self._faults: list[BaseException] = []
        self.measured = 0

    @property
    @abstractmethod
    def campaign(self) -> Campaign | None:
        """The campaign; None as long as there is none to ask."""

    @abstractmethod
    def on_failure(self, arm: str, error: Unmeasured) -> None:
        """Decide what follows a measurement without an outcome: return to go on, raise to stop."""

    def prepare(self) -> None:  # noqa: B027 - most have nothing to prepare
        """Do what must be done before the first ticket, in every thread."""

    def work(self, watch: Callable[[], None] | None = None) -> None:
        """Work until the campaign needs nothing more, and call `watch` now and then.

        Raises
        ------
        BaseException
            The first one of any thread, after what was under way has been ended and its units given back.
        """
        with ThreadPoolExecutor(self._jobs) as pool:
            try:  # from the first thread on: a signal may come before the last one is started
                working = {pool.submit(self._work) for _ in range(self._jobs)}
                # Not `Thread.join`: before Python 3.13, one that Ctrl-C interrupts takes a living thread for dead.
                while working:
                    self._renew()
                    if watch is not None:
                        watch()
                    working = wait(working, timeout=LOOK).not_done
            finally:
                self._stopping.set()
                self._attempts.stop()
        if self._faults:
            raise self._faults[0]

    def _renew(self) -> None:
        """Renew the leases of what takes long."""
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
            ticket = self._patiently(campaign.ask)
            if ticket is not None:
                self._measure(campaign, ticket)
            elif not self._patiently(lambda: campaign.is_open):
                return
            else:
                self._patiently(lambda: campaign.wait(LOOK))

    def _measure(self, campaign: Campaign, ticket: Ticket) -> None:
        """Measure one arm and tell the outcome, or give its unit back."""
        with self._lock:
            self._held[ticket.id] = (ticket, time.monotonic())
        try:
            measured = self._attempts.measure(ticket.arm, self._parameters.get(ticket.arm, {}))
            self._patiently(lambda: campaign.tell(ticket, measured.value))
            self.on_success()
        except Unmeasured as error:
            reason = error.reason[:LONGEST_REASON]
            self._patiently(lambda: campaign.fail(ticket, reason=reason))
            if not self._stopping.is_set():
                self.on_failure(ticket.arm, error)
        finally:
            with self._lock:
                del self._held[ticket.id]

    def on_success(self) -> None:
        """Count an outcome that was told."""
        with self._lock:
            self.measured += 1

    def _patiently(self, call: Callable[[], Answer]) -> Answer:
        """Return what a call gives, through outages of the database or the service."""

        def is_away(error: Exception) -> bool:
            # Without a limit nothing is tried again once the worker stops: it would never end.
            is_over = self._patience is None and self._stopping.is_set()
            if is_over or not isinstance(error, StorageUnavailableError):
                return False
            self._say(f"away, trying again: {error}")
            return True

        for attempt in stamina.retry_context(on=is_away, attempts=self._patience, timeout=None, wait_max=LONGEST_WAIT):
            with attempt:
                return call()
        raise AssertionError("an attempt returns or raises")
