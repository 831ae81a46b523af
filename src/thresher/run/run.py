"""Runs: create or resume a campaign and measure its arms until the budget is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from thresher.campaign import Standing, Verdicts
from thresher.errors import InvalidInputError, InvalidOutcomeError
from thresher.report import counted
from thresher.run.arms import PlannedArm
from thresher.run.attempts import Attempts
from thresher.run.command import CommandMeasurement
from thresher.run.endpoint import EndpointMeasurement
from thresher.run.enrolment import Enrolment
from thresher.run.function import FunctionMeasurement
from thresher.run.loop import WorkerLoop
from thresher.run.measurement import Measurement, MeasurementError
from thresher.run.owner import this_process
from thresher.run.promptfoo import PromptfooMeasurement
from thresher.run.promptfoo_program import Promptfoo
from thresher.run.reading import Reading
from thresher.run.scoring import AnswerScoring, Scored
from thresher.run.spec import RunSpec
from thresher.terms import ADJUSTABLE

OPENING = 0.02  # seconds between checks whether every arm has its first outcome
PATIENCE = 6  # attempts of a call while the database is busy or full; giving up would lose paid measurements

Watch: TypeAlias = Callable[["Run"], None]


@dataclass(frozen=True)
class Finished:
    """The result of a run.

    Parameters
    ----------
    verdicts : Verdicts
    standing : Standing
        Status and budget of the campaign.
    measured : int
        Number of outcomes told by this run, without earlier ones.
    given_up : dict of str to str
        Reason for each arm that was retired.
    unpaid : float
        What its measurements have cost beyond the budget.
    scored : Scored, optional
        Scores of answers by the judge of the spec.
    """

    verdicts: Verdicts
    standing: Standing
    measured: int
    given_up: dict[str, str]
    unpaid: float = 0.0
    scored: Scored | None = None


def measurement_of(spec: RunSpec, arms: list[PlannedArm]) -> Measurement:
    """Return the measurement of a spec; raise if it is invalid, or cannot measure one of the arms."""
    if spec.kind == "promptfoo":
        program = Promptfoo(spec.folder / spec.promptfoo, spec.timeout)
        return PromptfooMeasurement(program, spec.suite, outcome=spec.outcome or "success", most=spec.n_jobs)
    limits: dict[str, Any] = {"timeout": spec.timeout, "timeout_outcome": spec.censored_at, "cost": spec.cost_reading}
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
    return _checked_command(spec, spec.command, reading, arms, has_repeats=spec.repeats > 1, **limits)


def judge_of(spec: RunSpec, arms: list[PlannedArm]) -> Measurement | None:
    """Return what scores answers before the first measurement; None if nothing does."""
    if spec.judge == "proxy_function":
        return FunctionMeasurement(spec.proxy_function, folder=spec.folder, timeout=spec.timeout)
    if not spec.judge:
        return None
    return _checked_command(spec, spec.proxy_command, spec.score_reading, arms, timeout=spec.timeout)


def _checked_command(
    spec: RunSpec, command: str | tuple[str, ...], reading: Reading, arms: list[PlannedArm], **limits: Any
) -> CommandMeasurement:
    """Return a command; raise if it would read a name as an option."""
    names, items = {name for arm in arms for name in arm.parameters}, spec.planned_items()
    made = CommandMeasurement(command, reading, names=names, has_items=bool(items), folder=spec.folder, **limits)
    for arm in arms:
        made.check(arm.name, arm.parameters)
    for item in items:
        made.check("", {}, item)
    return made


class Run(WorkerLoop):
    """Runs the campaign of a spec.

    Parameters
    ----------
    spec : RunSpec
    fresh, same : bool
        Begin a new campaign although one of that name exists; go on with it although the measurement has changed.
    may_fail : bool
        As in :class:`~thresher.run.loop.WorkerLoop`.

    Attributes
    ----------
    cut_to : float or None
        What the budget was reduced to, because every arm answers every item once, or as often as the terms say.
    notes : list of str
        What was added to an existing campaign, and a lower budget that does not reduce its own.
    taken_back : int
        Tickets of killed runs on this machine that this run has taken back.

    Raises
    ------
    InvalidInputError, UnknownNameError, InvalidOutcomeError
        If the spec is invalid, or the measurement is not that of the campaign; nothing was measured.
    StorageError
        If the database cannot be used.
    """

    advice = (
        "if the command is wrong, run the corrected one with --fresh, which starts a new campaign; "
        "go on if this is what the arms do"
    )

    def __init__(self, spec: RunSpec, *, fresh: bool = False, same: bool = False, may_fail: bool = False) -> None:
        arms = spec.planned_arms()
        self._measurement = measurement_of(spec, arms)
        attempts = Attempts(self._measurement, retries=spec.retries, rate=spec.rate, terms=spec.terms)
        judge = judge_of(spec, arms)
        enrolment = self._enrolment = Enrolment(spec, arms, fresh=fresh, same=same)
        super().__init__(
            enrolment.campaign,
            attempts,
            jobs=spec.n_jobs,
            patience=PATIENCE,
            parameters={arm.name: arm.parameters for arm in arms},
            owner=this_process(),
            may_fail=may_fail,
        )
        self.spec = spec
        self._is_paused = False
        self._new = enrolment.missing()
        self._unopened = len(self._new)
        self.given_up: dict[str, str] = {}
        self.cut_to, self.taken_back, self.notes = enrolment.cut_to, enrolment.taken_back, enrolment.notes
        self._scoring = None if judge is None else self._score_by(Attempts(judge, retries=spec.retries))

    def go(self, watch: Watch | None = None) -> Finished:
        """Measure until the budget is spent; return the verdicts.

        Parameters
        ----------
        watch : callable, optional
            Called with this run at intervals.

        Raises
        ------
        InvalidOutcomeError
            If an arm cannot be measured and `on_error` is ``stop``, or answers cannot be scored; all outcomes and
            scores are kept.
        InvalidInputError
            If the campaign is paused; all outcomes are kept.
        KeyboardInterrupt
            On Ctrl-C, after running measurements were stopped and their tickets given up.
        """
        each = None if watch is None else partial(watch, self)
        if self._scoring is not None and self.campaign is not None and self.campaign.is_open:
            self._scoring.go(each)
        self.work(each)
        if self.campaign is None:
            raise InvalidOutcomeError("no arm has an outcome", instead=f"fix {self._measurement} and run again")
        if self._is_paused:
            raise InvalidInputError(
                f"status of the campaign {self.campaign.name!r}",
                "paused",
                rule=f"must be open to measure; this run has stored {counted(self.measured, 'outcome')}",
                fix="resume it on the dashboard or by Campaign.open(database, name).resume(), then run again",
            )
        found, given_up = self.verdicts(), dict(self.given_up)
        return Finished(found, self.campaign.standing, self.measured, given_up, self.unpaid, self.scored)

    @property
    def scored(self) -> Scored | None:
        """How far the scoring of answers is; None if nothing scores them."""
        return None if self._scoring is None else self._scoring.scored

    def _score_by(self, judge: Attempts) -> AnswerScoring:
        """Return the scoring of the answers that have no score yet."""
        assert self.campaign is not None  # a campaign with items is created before the first measurement
        known, spec = self._enrolment.scores(), self.spec
        limits: dict[str, Any] = {"budget": spec.proxy_budget, "jobs": spec.n_jobs}
        return AnswerScoring(self.campaign, judge, self._parameters, *known, **limits)

    def verdicts(self) -> Verdicts:
        """Return the verdicts so far, under the terms of the spec."""
        assert self.campaign is not None
        return self.campaign.verdicts(**{term.name: getattr(self.spec, term.name) for term in ADJUSTABLE})

    def close(self) -> None:
        """Close the database."""
        self._enrolment.close()

    def prepare(self) -> None:
        """Measure each new arm once if the cost of a measurement is known only after it."""
        while not self._stopping.is_set():
            with self._lock:
                if not self._new:
                    break
                arm = self._new.pop(0)
            try:
                self._admit(arm)
            except MeasurementError as error:
                if not self._stopping.is_set():
                    self.on_failure(arm.name, error)
            with self._lock:
                self._unopened -= 1
        # Every arm gets its first outcome before any other pull; otherwise the budget might not pay for all of them.
        while self._unopened and not self._stopping.wait(OPENING):
            pass

    def _admit(self, arm: PlannedArm) -> None:
        """Measure an arm for the first time, and add it to the campaign with that outcome and cost."""
        measured = self._attempts.measure(arm.name, arm.parameters)
        if measured.cost is None:
            raise MeasurementError("timed out, so its cost is not known", is_retryable=False)
        with self._lock:
            self.campaign = self._enrolment.admit(arm, measured.value, measured.cost)
        self.on_success(measured)

    def before_tell(self) -> None:
        """Note in the campaign how this run measures."""
        self._retry(self._enrolment.note_measurement)

    def on_pause(self) -> bool:
        """Note that the run ends because its campaign is paused; running measurements are finished and told."""
        self._is_paused = True
        return False

    def on_failure(self, arm: str, error: MeasurementError) -> None:
        """Raise if `on_error` of the spec is ``stop``, otherwise retire the arm."""
        times = f" (tried {self.spec.retries + 1} times)" if self.spec.retries and error.is_retryable else ""
        fault = f"no outcome for the arm {arm!r}: {self._measurement} {error.reason}{times}"
        if self.spec.on_error == "stop":
            raise InvalidOutcomeError(fault, instead="fix it and run again: all outcomes so far are kept")
        with self._lock:
            self.given_up[arm] = error.reason
        if self.campaign is not None and arm not in {each.name for each in self._enrolment.missing()}:
            self.campaign.retire(arm)
