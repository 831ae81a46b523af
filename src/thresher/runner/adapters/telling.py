"""From the outcomes of a log to a campaign: all of them or none, and each once however often they are brought."""

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
    """What became of the outcomes of a log.

    Parameters
    ----------
    told, before : int
        Told now; told by an earlier import.
    arms : int
        Arms that they belong to.
    """

    told: int
    before: int
    arms: int


def tell_log(
    campaign: Campaign, outcomes: Sequence[LoggedOutcome], *, progress: Callable[[int, int], None] | None = None
) -> Imported:
    """Bring outcomes that another tool measured; return what became of them.

    Those with tickets are told in one transaction and were paid for when they were asked. Those with the names of arms
    cost nothing of the budget: they were measured elsewhere. They are all looked at before the first is stored; if the
    database goes away in between, bringing them again stores the rest.

    Raises
    ------
    InvalidOutcomeError
        If an outcome is none of the campaign's; the message names the line, and nothing was stored.
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
    """Return what is to be told, in parts that are told at once and stand under the key of their last outcome.

    An outcome stands alone, unless its id stands for all before it: then what a table has of an arm is one part, less
    the beginning that was told before. A table of a million rows is as many events as it has arms.
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
    """Tell outcomes of one arm at once; return whether they had been told before."""
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
