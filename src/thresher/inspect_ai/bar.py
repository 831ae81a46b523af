"""The early stopping manager."""

from __future__ import annotations

import asyncio
import math
import warnings
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from inspect_ai.util import EarlyStop

from thresher.campaign import Campaign, Spending, Verdicts
from thresher.campaign.storage import MemoryStorage, Storage
from thresher.errors import InvalidInputError
from thresher.inspect_ai.cost_ledger import CostLedger, check_cost
from thresher.inspect_ai.gate import SampleEpoch, TaskArm, is_next
from thresher.inspect_ai.scoring import ScoreReader, outcome_in
from thresher.inspect_ai.task_campaign import SamplePlace, TaskCampaign, campaign_name
from thresher.number_text import amount, exact
from thresher.problem import real

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore
    from pydantic import JsonValue

LONGEST_WAIT = 5.0  # seconds after which a waiting sample looks again, in case another process changed the campaign
NOT_SHUFFLED = (
    "the samples of task {task!r} are not shuffled: their scores are a random sample of the benchmark only if"
    " the order is random; use eval(sample_shuffle=1), inspect eval --sample-shuffle, or dataset.shuffle()"
)
NOT_MEAN = "task {task!r} reduces its epochs by {reducers}; the verdict is about the mean over samples and epochs"


class Bar:
    """Early stopping for inspect_ai: decides for each task × model whether its mean score is above a bar.

    Give the same object to all tasks of an ``eval`` or ``eval_set``: they share its budget. Each task has a campaign
    of its own in the database, ``NAME/TASK``, whose arms are models and whose items are samples; with several epochs
    each sample is an item that is asked several times.

    Parameters
    ----------
    threshold : float
        The bar: a task × model passes if its mean score over all samples is above it.
    budget : float
        Number of samples that all tasks and models may run, including those of earlier runs with the same `db` and
        `name`. A sample that ends in an error counts. With `cost` it is a number of tokens or dollars.
    db : str or Storage, optional
        Address of the database, as of :meth:`thresher.Campaign.create`. Without it outcomes are kept in memory.
    name : str
        The first part of the names of the campaigns.
    score : str or callable, optional
        The scorer (``judge``), or one of its values (``judge.style``), that is the outcome; or a function from the
        scores of a sample, a dict of ``SampleScore`` by scorer, to a number. Not needed with one score.
    arms : int, optional
        Number of task × model pairs. An equal share of the budget is then kept for each that has not started yet.
    cost : str, optional
        ``tokens`` or ``usd``: what a sample has cost, as inspect_ai counts it, is charged to the budget. A sample
        starts if the largest cost seen of its task × model can be reserved; so the budget can be exceeded only by
        samples that are in flight and cost more than any before. Processes with one `db` and `name` share the budget.
    in_flight : int
        Highest number of samples that run at a time, in all tasks. Fewer waste less when an arm is decided, more are
        faster.
    patience : float
        Seconds without a start or an end of any sample after which those that run count no longer against `in_flight`.
    **terms
        Terms of the campaigns: see :class:`thresher.campaign.ledger.Terms`. The default ``guarantee="anytime"`` allows
        to stop at a decision.

    Raises
    ------
    InvalidInputError
        If a value breaks its rule.
    """

    def __init__(
        self,
        threshold: float,
        *,
        budget: float,
        db: str | Storage | None = None,
        name: str = "inspect_ai",
        score: str | ScoreReader | None = None,
        arms: int | None = None,
        cost: str | None = None,
        in_flight: int = 10,
        patience: float = 60.0,
        **terms: Any,
    ) -> None:
        if not (seconds := real(patience)) > 0:
            raise InvalidInputError("patience", patience, rule="must be a number of seconds above 0")
        check_cost(cost)
        if not real(budget) > 0 or (cost is None and not real(budget) >= 1):
            raise InvalidInputError("budget", budget, rule="must be a number of at least 1, or above 0 with a cost")
        for where, value in (("arms", 1 if arms is None else arms), ("in_flight", in_flight)):
            if not real(value) >= 1:
                raise InvalidInputError(where, value, rule="must be a number of at least 1")
        self.threshold, self.budget, self.name = threshold, budget, name
        self._db = MemoryStorage() if db is None else db
        self._score, self._expected, self._in_flight = score, arms, in_flight
        self._terms = {"guarantee": "anytime"} | terms
        self._cost, self._ledger = cost, None if cost is None else CostLedger(self._db, name, cost=cost, budget=budget)
        self._lock = Lock()  # tasks start in parallel, each in a thread
        self._boards: dict[str, TaskCampaign] = {}
        self._spent_before: dict[str, float] | None = None
        self._arms: list[TaskArm] = []
        self._started: set[tuple[str, str]] = set()
        self._patience, self._changed_at = seconds, monotonic()
        self._sleepers: list[anyio.Event] = []
        # A task calls all methods in its own context, or in one that was copied from it.
        self._current: ContextVar[TaskArm] = ContextVar("task × model")

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Open the campaign of a task and add its model.

        Raises
        ------
        InvalidInputError
            If the task has no scorer, runs already with the same model, or had other samples in an earlier run.
        """
        if not task.scorers:
            raise InvalidInputError(f"scorer of task {task.task!r}", None, rule="must be given: scores are judged")
        ids, name = [str(one.id) for one in samples], campaign_name(self.name, task)
        self._check_twin(name, task)
        self._started.add((name, task.model))
        board, told = await anyio.to_thread.run_sync(partial(self._join, name, task.model, ids, epochs))
        arm = TaskArm(board, task.model, name, (task.run_id, task.task_id), told, len(ids) * epochs, _notes(task))
        for note in arm.notes:
            warnings.warn(note, stacklevel=2)
        self._arms.append(arm)
        self._current.set(arm)
        return "thresher"

    def _check_twin(self, name: str, task: EvalSpec) -> None:
        """Raise if another task of the same run has the same name and model; a retry is the same task."""
        for arm in self._arms:
            run, identity = arm.origin
            if (arm.task, arm.name, run) == (name, task.model, task.run_id) and identity != task.task_id:
                raise InvalidInputError(
                    "name of two tasks with the same model", task.task, rule="must be unique",
                    fix="give one of them another name: Task(name=…)",
                )  # fmt: skip

    def _join(self, name: str, model: str, samples: list[str], epochs: int) -> tuple[TaskCampaign, set[SamplePlace]]:
        given: dict[str, Any] = {"threshold": self.threshold, "samples": samples, "epochs": epochs}
        with self._lock:
            if name not in self._boards:
                self._boards[name] = TaskCampaign(self._db, name, arm=model, terms=self._terms, **given)
            if self._spent_before is None:
                before = [one for one in Campaign.list(self._db, archived=True) if one.name.startswith(f"{self.name}/")]
                self._spent_before = {one.name: one.spent for one in before}
            return self._boards[name], self._boards[name].join(model, samples, epochs)

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 - their name
        """Wait until the sample may run; return the reason if it never will."""
        arm, sample = self._current.get(None), SampleEpoch(id, epoch)
        if arm is None or sample in arm.running:  # the latter is a retry after an error: it has a slot again
            if arm is not None:
                arm.stalled.discard(sample)
            return None
        arm.waiting.append(sample)
        try:
            while not (reason := self._reason(arm, sample)):
                if is_next(arm, sample, self._arms, self._in_flight) and await self._start(arm, sample):
                    return None
                await self._change()
        finally:
            arm.waiting.remove(sample)
            self._notify()
        arm.stopped += 1
        return EarlyStop(id=id, epoch=epoch, reason=reason)

    def _reason(self, arm: TaskArm, sample: SampleEpoch) -> str:
        """Return why a sample is not to be run; empty if it may be."""
        if arm.board.place(*sample) in arm.told:
            return "measured in an earlier run"
        # Outcomes of other models of the task can reopen a decision, and a sample that was stopped is lost.
        if arm.is_decided and not any(each.may_change for each in self._arms if each.board is arm.board):
            return f"decided: {arm.verdict.decision}"
        is_spent = self.committed >= self._limit if self._ledger is None else arm.is_broke or self.spent >= self._limit
        return "the budget is spent" if is_spent else ""

    @property
    def spent(self) -> float:
        """What was paid: samples of earlier runs and those that ended with or without a score; or their cost."""
        if self._ledger is not None:
            return self._ledger.spent
        scored = (self._spent_before or {}) | {name: board.spent for name, board in self._boards.items()}
        return sum(scored.values()) + sum(arm.forfeited for arm in self._arms)

    @property
    def committed(self) -> float:
        """What is spent, and the samples that run, or what is reserved for them."""
        if self._ledger is not None:
            return self._ledger.spent + self._ledger.outstanding
        return self.spent + sum(len(arm.running) for arm in self._arms)

    @property
    def _limit(self) -> float:
        """The budget without the shares of the arms that have not started."""
        if self._expected is None:
            return self.budget
        return self.budget * min(1.0, len(self._started) / self._expected)

    @property
    def campaigns(self) -> dict[str, Campaign]:
        """The campaigns of the tasks that have started, by name."""
        return {name: board.campaign for name, board in self._boards.items()}

    def verdicts(self) -> Verdicts:
        """Return one table over all tasks and models that have started: a row for each, named ``TASK MODEL``."""
        rows = [
            replace(row, arm=f"{name.removeprefix(f'{self.name}/')} {row.arm}")
            for name, board in self._boards.items()
            for row in board.verdicts.values()
        ]
        said = next((board.campaign.verdicts().said for board in self._boards.values()), None)
        told = sum(row.pulls for row in rows)
        return Verdicts(rows, said=said, spending=Spending(self.budget, self.spent, told))

    async def _start(self, arm: TaskArm, sample: SampleEpoch) -> bool:
        """Start a sample; return False if its cost cannot be reserved now."""
        self._count(arm, sample)
        if self._ledger is None:
            return True
        reserve = partial(self._ledger.reserve, (arm.task, arm.name))
        if tickets := await anyio.to_thread.run_sync(reserve):
            arm.reserved[sample] = tickets
            return True
        arm.running.discard(sample)
        arm.is_broke = self._ledger.outstanding == 0  # else what other samples have reserved may come back
        return False

    def _count(self, arm: TaskArm, sample: SampleEpoch) -> None:
        """Count a sample as running until it has a score, or its asyncio task is done: errors are not reported."""
        try:
            this = asyncio.current_task()
        except RuntimeError:  # trio: without a sign of its end, a sample must not hold up others
            arm.forfeited += 1
            return
        arm.running.add(sample)
        if this is not None:
            this.add_done_callback(lambda _: self._end(arm, sample))

    def _end(self, arm: TaskArm, sample: SampleEpoch) -> None:
        if sample in arm.running:
            arm.running.remove(sample)
            arm.forfeited += 1
            self._settle(arm, sample)
        self._notify()

    def _settle(self, arm: TaskArm, sample: SampleEpoch) -> None:
        """Charge what the sample in whose context this is called has cost."""
        if self._ledger is not None and (tickets := arm.reserved.pop(sample, None)):
            self._ledger.settle((arm.task, arm.name), tickets, self._ledger.cost_here())

    async def _change(self) -> None:
        """Wait until a sample has started or ended; if none does for long, those that run hold up no others."""
        self._sleepers.append(event := anyio.Event())
        with anyio.move_on_after(min(LONGEST_WAIT, self._patience)):
            await event.wait()
        if monotonic() - self._changed_at >= self._patience:
            for arm in self._arms:
                arm.stalled |= arm.running
            self._notify()

    def _notify(self) -> None:
        self._changed_at = monotonic()
        sleepers, self._sleepers = self._sleepers, []
        for event in sleepers:
            event.set()

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002
        """Store the outcome of a sample and judge again.

        Raises
        ------
        InvalidOutcomeError
            If the scores cannot be read as a number, or the family of the campaign cannot give it.
        """
        arm, sample = self._current.get(None), SampleEpoch(id, epoch)
        if arm is None:
            return
        outcome = outcome_in(f"task {arm.task!r}, model {arm.name!r}, sample {id!r}", scores, self._score)
        if outcome is None:
            return
        place = arm.board.place(*sample)
        tell = partial(arm.board.tell, arm.name, place, outcome, paid=sample in arm.running)
        if not await anyio.to_thread.run_sync(tell):
            arm.notes.append(f"sample {place} has another outcome from an earlier run, which stands")
        arm.told.add(place)
        self._settle(arm, sample)
        arm.running.discard(sample)
        self._notify()

    async def complete_task(self) -> dict[str, JsonValue]:
        """Return the verdict on the task × model, for the log."""
        arm = self._current.get()
        row = arm.verdict
        self._notify()
        return {
            "campaign": arm.task,
            "arm": arm.name,
            "bar": self.threshold,
            "summary": arm.board.summary,
            "decision": row.decision,
            "verdict": row.verdict,
            "mean": _finite(row.mean),
            "low": _finite(row.low),
            "high": _finite(row.high),
            "valid_low": _finite(row.valid_low),
            "valid_high": _finite(row.valid_high),
            "p_wrong": _finite(row.p_wrong),
            "proven": row.proven,
            "certain": row.certain,
            "samples": arm.samples,
            "measured": row.pulls,
            "stopped": arm.stopped,
            "without_score": arm.forfeited,
            "budget": self.budget,
            "spent": self.spent,
            "cost": self._cost or "samples",
            "notes": list(arm.notes),
        }

    def __repr__(self) -> str:
        spent = f"{amount(self.spent)} of {amount(self.budget)} spent"
        return f"<Bar {exact(self.threshold)}: {spent}, {len(self._started)} task × model>"


def _finite(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else number


def _notes(task: EvalSpec) -> list[str]:
    """Return what is wrong with the order of the samples, or their reduction."""
    notes, reducers = [], task.config.epochs_reducer
    if not task.dataset.shuffled and task.config.sample_shuffle in (None, False):
        notes.append(NOT_SHUFFLED.format(task=task.task))
    if reducers and reducers != ["mean"]:
        notes.append(NOT_MEAN.format(task=task.task, reducers=", ".join(reducers)))
    return notes
