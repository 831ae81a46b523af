"""The campaign of one task: its arms are models, its items are samples, and an epoch is a repeat of its items."""

from __future__ import annotations

import hashlib
import json
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.campaign import Campaign, Items, Verdict
from thresher.campaign.storage import Storage
from thresher.errors import CampaignExistsError, ConflictingOutcomeError, InvalidInputError
from thresher.number_text import exact
from thresher.problem import LONGEST_NAME

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec


def campaign_name(prefix: str, spec: EvalSpec) -> str:
    """Return the name of the campaign of a task: tasks with other arguments have another one.

    A name that is too long ends in its hash.
    """
    passed = spec.task_args_passed
    arguments = f" {json.dumps(passed, sort_keys=True, default=str)}" if passed else ""
    name = f"{prefix}/{spec.task}{arguments}"
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{name[: LONGEST_NAME - 17]} {digest}"


class SamplePlace(NamedTuple):
    """The item that a sample is, and for which time it is asked."""

    item: str
    repeat: int

    def __str__(self) -> str:
        return self.item if self.repeat == 1 else f"{self.item} (epoch {self.repeat})"


class TaskCampaign:
    """A campaign with the latest verdicts; its methods block and are safe in threads.

    Its own budget is enough for every sample of every model: the budget that counts is that of the ``Bar``, which all
    tasks share.

    Parameters
    ----------
    db : str or Storage
    name : str
    threshold : float
    samples : list of str
        Ids, for a campaign that does not exist yet.
    epochs : int
        How often each sample is run.
    arm : str
        The first model.
    terms : dict
        See :class:`thresher.campaign.ledger.Terms`.
    """

    def __init__(
        self,
        db: str | Storage,
        name: str,
        *,
        threshold: float,
        samples: list[str],
        epochs: int,
        arm: str,
        terms: dict[str, Any],
    ) -> None:
        self._lock, self.threshold = Lock(), threshold
        self.verdicts: dict[str, Verdict] = {}
        self.spent, self.summary = 0.0, ""
        given: dict[str, Any] = {"arms": [arm], "items": samples, "threshold": threshold, "repeats": epochs} | terms
        try:
            self.campaign = Campaign.create(db, name, budget=len(samples) * given["repeats"], **given)
        except CampaignExistsError:
            self.campaign = Campaign.open(db, name)

    def place(self, sample: str | int, epoch: int) -> SamplePlace:
        """Return the item of a sample and its repeat; earlier versions made every epoch of a sample an item."""
        if self.campaign.terms.repeats > 1:
            return SamplePlace(str(sample), epoch)
        return SamplePlace(str(SamplePlace(str(sample), epoch)), 1)

    def join(self, arm: str, samples: list[str], epochs: int) -> set[SamplePlace]:
        """Add a model unless it is there; return what it has answered before.

        Raises
        ------
        InvalidInputError
            If the campaign has other samples or another bar.
        """
        with self._lock:
            known, repeats = self.campaign.items(), self.campaign.terms.repeats
            places = [self.place(sample, epoch) for epoch in range(1, epochs + 1) for sample in samples]
            if set(known.names) != {place.item for place in places} or max(place.repeat for place in places) > repeats:
                raise InvalidInputError(
                    f"number of samples of {self.campaign.name!r}",
                    len(places),
                    rule=f"must be the same {len(known) * repeats} samples and epochs as when the campaign was made",
                    fix="run with the same limit and epochs, or give Bar another name",
                )
            if arm not in known.arms:
                self.campaign.add_arms([arm], threshold=self.threshold)
            if arm != known.arms[0]:  # the campaign was made with the budget of its first arm
                # Also for an arm that is there: a run may have ended before its budget was added.
                self.campaign.extend(len(known) * repeats, key=f"samples of {arm}")
            self._refresh()
            if (bar := self.verdicts[arm].threshold) != self.threshold:
                raise InvalidInputError(
                    f"bar of {self.campaign.name!r}", self.threshold, rule=f"must be {exact(bar)} as when it was made",
                    fix="give Bar another name",
                )  # fmt: skip
            return _told(known, arm)

    def tell(self, arm: str, place: SamplePlace, outcome: float, *, paid: bool) -> bool:
        """Store an outcome and judge again; return whether it, and no other outcome, is stored."""
        with self._lock:
            try:
                self.campaign.tell_items([(arm, place.item, outcome, place.repeat)], paid=paid)
            except ConflictingOutcomeError:
                return False
            self._refresh()
            return True

    def _refresh(self) -> None:
        found = self.campaign.verdicts()
        self.verdicts, self.summary = {row.arm: row for row in found}, found.summary
        self.spent = self.campaign.spent


def _told(known: Items, arm: str) -> set[SamplePlace]:
    """Return what an arm has answered; nothing if it is new."""
    if arm not in known.arms:
        return set()
    told = np.argwhere(~np.isnan(known.outcomes[:, known.arms.index(arm)]))
    return {SamplePlace(known.names[item], repeat + 1) for repeat, item in told.tolist()}
