"""From the outcomes of a log to a campaign: all of them or none, and each once however often they are brought."""

from __future__ import annotations

import hashlib
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
    else:
        _check_arms(campaign, outcomes)
        receipts = []
        for done, one in enumerate(outcomes, start=1):
            key = hashlib.sha256(f"{one.id}\0{one.arm}".encode()).hexdigest()
            squares = one.value * one.value
            receipts.append(campaign.tell_counts(one.arm, n=1, total=one.value, squares=squares, paid=False, key=key))
            if progress is not None:
                progress(done, len(outcomes))
    before = sum(receipt.replayed for receipt in receipts)
    return Imported(len(receipts) - before, before, len({receipt.arm for receipt in receipts}))


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
