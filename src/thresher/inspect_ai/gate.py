"""Which samples may start now: those of the arms whose measurement is most valuable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from thresher.campaign import Ticket, Verdict
from thresher.inspect_ai.task_campaign import SamplePlace, TaskCampaign


class SampleEpoch(NamedTuple):
    """One sample in one epoch."""

    id: str | int
    epoch: int


@dataclass(eq=False)
class TaskArm:
    """One task with one model, as long as it runs.

    Parameters
    ----------
    board : TaskCampaign
    name : str
        The model: the arm of the campaign.
    task : str
        The name of the campaign.
    origin : tuple of str
        The ids of the run and of the task.
    told : set of SamplePlace
        What has an outcome.
    samples : int
        Number of samples times epochs.
    notes : list of str
        Warnings, for the log.

    Attributes
    ----------
    waiting : list of SampleEpoch
        The samples that hold a slot of inspect_ai and wait to start, first come first.
    running : set of SampleEpoch
        The samples that started and have no score yet.
    stalled : set of SampleEpoch
        Running samples that hold up no others any more: one that inspect_ai retries may itself wait for a slot.
    reserved : dict
        The tickets that reserve the cost of running samples, if they cost tokens or dollars.
    is_broke : bool
        Whether the rest of that budget is less than a sample of this arm may cost.
    forfeited : int
        Number of samples that ended without a score; they have cost their unit of the budget.
    stopped : int
        Number of samples that were not run.
    """

    board: TaskCampaign
    name: str
    task: str
    origin: tuple[str, str]
    told: set[SamplePlace]
    samples: int
    notes: list[str]
    waiting: list[SampleEpoch] = field(default_factory=list)
    running: set[SampleEpoch] = field(default_factory=set)
    stalled: set[SampleEpoch] = field(default_factory=set)
    reserved: dict[SampleEpoch, list[Ticket]] = field(default_factory=dict)
    is_broke: bool = False
    forfeited: int = 0
    stopped: int = 0

    @property
    def verdict(self) -> Verdict:
        """The latest verdict."""
        return self.board.verdicts[self.name]

    @property
    def is_decided(self) -> bool:
        """Whether another sample would change nothing."""
        return self.verdict.decision != "open" or self.verdict.certain

    @property
    def may_change(self) -> bool:
        """Whether outcomes are to come: of samples that run, or of others if the arm is open and has some left."""
        return bool(self.running - self.stalled) or (bool(self.waiting) and not self.is_decided)

    @property
    def worth(self) -> float:
        """The value of the next sample, in mistakes saved; less with each sample whose score is awaited."""
        return self.verdict.price / (1 + len(self.running))


def is_next(arm: TaskArm, sample: SampleEpoch, arms: list[TaskArm], in_flight: int) -> bool:
    """Return whether a waiting sample may start: its arm is the most valuable that waits, and few samples run.

    An arm counts only while it has samples that wait: a task that has not started, failed or ended holds up no other.
    While no sample runs, one can start.

    Parameters
    ----------
    arm : TaskArm
    sample : SampleEpoch
    arms : list of TaskArm
    in_flight : int
        Highest number of samples that run at a time; at least 1.
    """
    n_running = sum(len(each.running - each.stalled) for each in arms)
    if arm.is_decided or arm.waiting[0] != sample or n_running >= in_flight:
        return False
    return arm is max((each for each in arms if each.waiting and not each.is_decided), key=lambda each: each.worth)
