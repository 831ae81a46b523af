"""Import of a log into a campaign: all outcomes or none, each counted once."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from thresher.campaign import outcome_of
from thresher.errors import InvalidOutcomeError
from thresher.live import Campaign
from thresher.runner.adapters.log import LoggedOutcome


@dataclass(frozen=True)
class Imported:
    """Counts of an import.

    Parameters
    ----------
    told, before : int
        Outcomes told now; outcomes told by an earlier import.
    arms : int
        Number of arms with outcomes in the log.
    """

    told: int
    before: int
    arms: int


def tell_log(
    campaign: Campaign, outcomes: Sequence[LoggedOutcome], *, progress: Callable[[int, int], None] | None = None
) -> Imported:
    """Tell outcomes that another tool measured; return counts.

    Outcomes with tickets are told in one transaction; their cost was reserved by the ask. Outcomes with names of arms
    do not use the budget: they were measured elsewhere. All are checked before the first is stored. If the database
    fails in between, repeating the import stores the rest.

    Raises
    ------
    InvalidOutcomeError
        If an outcome does not fit the campaign; the message names the line, and nothing was stored.
    CampaignError
        If a ticket is unknown or another outcome is stored for it; nothing was stored.
    """
    for one in outcomes:
        _check_value(campaign, one)
    if any(one.ticket for one in outcomes):
        receipts = campaign.tell_many([(one.ticket, one.value) for one in outcomes])
        before = sum(receipt.replayed for receipt in receipts)
        return Imported(len(receipts) - before, before, len({receipt.arm for receipt in receipts}))
    _check_arms(campaign, outcomes)
    parts = _parts(campaign, outcomes)
    told = 0
    for done, part in enumerate(parts, start=1):
        told += 0 if _tell(campaign, part) else len(part)
        if progress is not None:
            progress(done, len(parts))
    return Imported(told, len(outcomes) - told, len({one.arm for one in outcomes}))


def _parts(campaign: Campaign, outcomes: Sequence[LoggedOutcome]) -> list[list[LoggedOutcome]]:
    """Return the outcomes in parts; each part is one event, with the idempotency key of its last outcome.

    An outcome is a part by itself, unless the ids are chained: then all outcomes of an arm are one part, without those
    that were told before. So a table of a million rows needs one event for each arm.
    """
    if not all(one.chained for one in outcomes):
        return [[one] for one in outcomes]
    known = {entry.details.get("key") for entry in campaign.history() if entry.kind == "counted"}
    arms: dict[str, list[LoggedOutcome]] = {}
    for one in outcomes:
        arms.setdefault(one.arm, []).append(one)
        if _key(one) in known:
            arms[one.arm] = []
    return [part for part in arms.values() if part]


def _tell(campaign: Campaign, part: Sequence[LoggedOutcome]) -> bool:
    """Tell outcomes of one arm as an aggregate; return whether they had been told before."""
    total, squares = math.fsum(one.value for one in part), math.fsum(one.value * one.value for one in part)
    arm, key = part[-1].arm, _key(part[-1])
    return campaign.tell_counts(arm, n=len(part), total=total, squares=squares, paid=False, key=key).replayed


def _key(one: LoggedOutcome) -> str:
    return hashlib.sha256(f"{one.id}\0{one.arm}".encode()).hexdigest()


def _check_value(campaign: Campaign, one: LoggedOutcome) -> None:
    try:
        outcome_of(campaign.terms, one.value)
    except InvalidOutcomeError as error:
        raise InvalidOutcomeError(f"{one.place}: {error}", instead="nothing was stored") from error


def _check_arms(campaign: Campaign, outcomes: Sequence[LoggedOutcome]) -> None:
    known = [row.arm for row in campaign.verdicts()]
    names = set(known)
    unknown = next((one for one in outcomes if one.arm not in names), None)
    if unknown is not None:
        near = get_close_matches(unknown.arm, known, n=1, cutoff=0.5) or known[:3]
        raise InvalidOutcomeError(
            f"{unknown.place}: the campaign has no arm {unknown.arm[:60]!r}",
            instead=f"it has {', '.join(map(repr, near))}; nothing was stored",
        )
