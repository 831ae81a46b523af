"""The campaign of one task: its arms are models, its items are samples."""

from __future__ import annotations

import hashlib
import json
from threading import Lock
from typing import TYPE_CHECKING, Any

from thresher.campaign import Campaign, Verdict
from thresher.campaign.storage import Storage
from thresher.errors import CampaignExistsError, ConflictingOutcomeError, InvalidInputError
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


def item_name(sample: str | int, epoch: int) -> str:
    """Return the item that a sample is in an epoch."""
    return str(sample) if epoch == 1 else f"{sample} (epoch {epoch})"


class TaskCampaign:
    """A campaign with the latest verdicts; its methods block and are safe in threads.

    Its own budget is enough for every sample of every model: the budget that counts is that of the ``Bar``, which all
    tasks share.

    Parameters
    ----------
    db : str or Storage
    name : str
    threshold : float
    items : sequence of str
        The samples, for a campaign that does not exist yet.
    arm : str
        The first model.
    terms : dict
        See :class:`thresher.campaign.ledger.Terms`.
    """

    def __init__(
        self, db: str | Storage, name: str, *, threshold: float, items: list[str], arm: str, terms: dict[str, Any]
    ) -> None:
        self._lock, self.threshold = Lock(), threshold
        self.verdicts: dict[str, Verdict] = {}
        self.spent, self.summary = 0.0, ""
        given: dict[str, Any] = {"arms": [arm], "items": items, "threshold": threshold, "budget": len(items)}
        try:
            self.campaign = Campaign.create(db, name, **given, **terms)
        except CampaignExistsError:
            self.campaign = Campaign.open(db, name)

    def join(self, arm: str, items: list[str]) -> set[str]:
        """Add a model unless it is there; return the items that it has answered before.

        Raises
        ------
        InvalidInputError
            If the campaign has other samples or another bar.
        """
        with self._lock:
            known = self.campaign.items()
            if (names := {row.item for row in known}) != set(items):
                raise InvalidInputError(
                    f"number of samples of {self.campaign.name!r}",
                    len(items),
                    rule=f"must be the same {len(names)} samples and epochs as when the campaign was made",
                    fix="run with the same limit and epochs, or give Bar another name",
                )
            if arm not in known.arms:
                self.campaign.add_arms([arm], threshold=self.threshold)
            if arm != known.arms[0]:  # the campaign was made with the budget of its first arm
                # Also for an arm that is there: a run may have ended before its budget was added.
                self.campaign.extend(len(items), key=f"samples of {arm}")
            self._refresh()
            if (bar := self.verdicts[arm].threshold) != self.threshold:
                raise InvalidInputError(
                    f"bar of {self.campaign.name!r}", self.threshold, rule=f"must be {bar:g} as when it was made",
                    fix="give Bar another name",
                )  # fmt: skip
            column = known.arms.index(arm) if arm in known.arms else None
            return set() if column is None else {row.item for row in known if row.outcomes[column] is not None}

    def tell(self, arm: str, item: str, outcome: float, *, paid: bool) -> bool:
        """Store an outcome and judge again; return whether it, and no other outcome, is stored."""
        with self._lock:
            try:
                self.campaign.tell_items([(arm, item, outcome)], paid=paid)
            except ConflictingOutcomeError:
                return False
            self._refresh()
            return True

    def _refresh(self) -> None:
        found = self.campaign.verdicts()
        self.verdicts, self.summary = {row.arm: row for row in found}, found.summary
        self.spent = self.campaign.spent
