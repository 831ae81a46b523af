"""A campaign that measures by itself, several arms at a time, and goes on where it was stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeAlias

import stamina

from thresher.campaign import Terms, outcome_of
from thresher.errors import InvalidOutcomeError, StorageUnavailableError
from thresher.live import Campaign, Standing, Ticket, Verdicts
from thresher.runner.arms import PlannedArm
from thresher.runner.attempts import Attempts
from thresher.runner.command import CommandMeasurement
from thresher.runner.endpoint import EndpointMeasurement
from thresher.runner.enrolment import Enrolment
from thresher.runner.function import FunctionMeasurement
from thresher.runner.measurement import Measured, Measurement, Unmeasured
from thresher.runner.spec import RunSpec

LOOK = 0.2  # seconds between looks at what goes on
SHORTEST_WAIT, LONGEST_WAIT = 0.02, 0.5  # seconds between asks for a unit that somebody else may give back
HEARTBEATS_PER_LEASE = 3.0
LONGEST_REASON = 200  # characters that a campaign keeps

Watch: TypeAlias = Callable[["Run"], None]


@dataclass(frozen=True)
class Finished:
    """How a run ended.

    Parameters
    ----------
    verdicts : Verdicts
    standing : Standing
        How the campaign stands.
    measured : int
        Outcomes that this run brought, not those of earlier ones.
    given_up : dict of str to str
        Arms that were retired, and why.
    """

    verdicts: Verdicts
    standing: Standing
    measured: int
    given_up: dict[str, str]


def measurement_of(spec: RunSpec, arms: list[PlannedArm]) -> Measurement:
    """Return what measures the arms of a spec.

    Raises
    ------
    InvalidProblemError, UnknownNameError, InvalidOutcomeError
        If the spec has no such measurement, or it cannot measure one of the arms.
    """
    limits = {"timeout": spec.timeout, "timeout_outcome": spec.censored_at}
    reading = spec.reading
    if spec.kind == "function":
        if reading is not None and reading.kind != "duration":
            raise InvalidOutcomeError(
                f"the outcome {spec.outcome!r} of a function", instead="leave it out, or write duration"
            )
        return FunctionMeasurement(spec.function, duration=reading is not None, folder=spec.folder, **limits)
    assert reading is not None
    if spec.kind == "url":
        return EndpointMeasurement(spec.url, reading, **limits)
    names = {name for arm in arms for name in arm.parameters}
    measurement = CommandMeasurement(spec.command, reading, names=names, folder=spec.folder, **limits)
    for arm in arms:
        measurement.check(arm.name, arm.parameters)
    return measurement


class Run:
    """A campaign under way.

    Parameters
    ----------
    spec : RunSpec

    Raises
    ------
    InvalidProblemError, UnknownNameError, InvalidOutcomeError
        If something in the spec cannot be; nothing was measured.
    StorageError
        If the database cannot be used.
    """

    def __init__(self, spec: RunSpec) -> None:
        self.spec = spec
        arms = spec.planned_arms()
        self._arms = {arm.name: arm for arm in arms}
        self._measurement = measurement_of(spec, arms)
        self._attempts = Attempts(self._measurement, retries=spec.retries, rate=spec.rate, accept=self._accept)
        self._terms = Terms(family=spec.family, low=spec.low, high=spec.high)
        self._enrolment = Enrolment(spec, arms)
        self._new = self._enrolment.missing()
        self._unopened = len(self._new)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._faults: list[BaseException] = []
        self._held: dict[str, tuple[Ticket, float]] = {}
        self.measured = 0
        self.given_up: dict[str, str] = {}

    @property
    def campaign(self) -> Campaign | None:
        """The campaign; None before the first outcome, if time is the cost."""
        return self._enrolment.campaign

    def go(self, watch: Watch | None = None) -> Finished:
        """Measure until the budget is spent; return the verdicts.

        Parameters
        ----------
        watch : callable, optional
            Called now and then with this run.

        Raises
        ------
        InvalidOutcomeError
            If an arm cannot be measured and the spec says to stop then; all outcomes are kept.
        KeyboardInterrupt
            On Ctrl-C, after what was under way has been ended and its budget given back.
        """
        with ThreadPoolExecutor(self.spec.jobs) as pool:
            try:  # from the first thread on: a signal may come before the last one is started
                working = {pool.submit(self._work) for _ in range(self.spec.jobs)}
                # Not `Thread.join`: before Python 3.13, one that Ctrl-C interrupts takes a living thread for dead.
                while working:
                    self._renew()
                    if watch is not None:
                        watch(self)
                    working = wait(working, timeout=LOOK).not_done
            except BaseException:
                self._stopping.set()
                raise
            finally:
                self._attempts.stop()
        if self._faults:
            raise self._faults[0]
        if self.campaign is None:
            raise InvalidOutcomeError("no arm has an outcome", instead=f"mend {self._measurement} and run again")
        return Finished(self.campaign.verdicts(), self.campaign.standing, self.measured, dict(self.given_up))

    def close(self) -> None:
        """Let go of the database."""
        self._enrolment.close()

    def _renew(self) -> None:
        """Renew the leases of what takes long."""
        old = time.monotonic() - self.spec.lease / HEARTBEATS_PER_LEASE
        with self._lock:
            due = [ticket for ticket, since in self._held.values() if since < old]
            for ticket in due:
                self._held[ticket.id] = (ticket, time.monotonic())
        if due and self.campaign is not None:
            self.campaign.heartbeat(*due)

    def _work(self) -> None:
        try:
            while not self._stopping.is_set() and self._open_one():
                pass
            # Nothing else is pulled before every arm has its first outcome, or the budget might not suffice for that.
            while self._unopened and not self._stopping.wait(SHORTEST_WAIT):
                pass
            if self.campaign is not None:
                self._pull(self.campaign)
        except BaseException as error:
            with self._lock:
                self._faults.append(error)
            self._stopping.set()

    def _open_one(self) -> bool:
        """Measure an arm that is not in the campaign yet, whose cost is not known before; False if there is none."""
        with self._lock:
            if not self._new:
                return False
            arm = self._new.pop(0)
        try:
            measured = self._attempts.measure(arm.name, arm.parameters)
        except Unmeasured as error:
            if not self._stopping.is_set():
                self._give_up(arm.name, error)
        else:
            with self._lock:
                self._enrolment.admit(arm, measured)
                self.measured += 1
        with self._lock:
            self._unopened -= 1
        return True

    def _pull(self, campaign: Campaign) -> None:
        pause = SHORTEST_WAIT
        while not self._stopping.is_set():
            ticket = campaign.ask()
            if ticket is not None:
                pause = SHORTEST_WAIT
                self._measure(campaign, ticket)
            elif not campaign.is_open:
                return
            else:
                self._stopping.wait(pause)
                pause = min(2.0 * pause, LONGEST_WAIT)

    def _measure(self, campaign: Campaign, ticket: Ticket) -> None:
        with self._lock:
            self._held[ticket.id] = (ticket, time.monotonic())
        try:
            measured = self._attempts.measure(ticket.arm, self._arms[ticket.arm].parameters)
            self._tell(campaign, ticket, measured)
        except Unmeasured as error:
            # Its unit goes back even while the database is busy.
            for attempt in stamina.retry_context(on=StorageUnavailableError, attempts=6, timeout=None, wait_max=10.0):
                with attempt:
                    campaign.fail(ticket, reason=error.reason[:LONGEST_REASON])
            if not self._stopping.is_set():
                self._give_up(ticket.arm, error)
        finally:
            with self._lock:
                del self._held[ticket.id]

    def _tell(self, campaign: Campaign, ticket: Ticket, measured: Measured) -> None:
        # What was measured was paid for: a database that is busy or full gets some time to recover.
        for attempt in stamina.retry_context(on=StorageUnavailableError, attempts=6, timeout=None, wait_max=10.0):
            with attempt:
                campaign.tell(ticket, measured.value)
        with self._lock:
            self.measured += 1

    def _give_up(self, arm: str, error: Unmeasured) -> None:
        times = f" (tried {self.spec.retries + 1} times)" if self.spec.retries and error.again else ""
        fault = f"no outcome for the arm {arm!r}: {self._measurement} {error.reason}{times}"
        if self.spec.on_error == "stop":
            raise InvalidOutcomeError(fault, instead="mend it and run again: all outcomes so far are kept")
        with self._lock:
            self.given_up[arm] = error.reason
        if self.campaign is not None and arm not in {each.name for each in self._enrolment.missing()}:
            self.campaign.retire(arm)

    def _accept(self, value: float) -> None:
        try:
            outcome_of(self._terms, value)
        except InvalidOutcomeError as error:
            raise Unmeasured(f"gave an outcome that cannot be: {error}") from error
