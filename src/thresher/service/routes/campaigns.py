"""Campaigns: list, create, show and administer them."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from thresher.campaign import Campaign, look_alike, similar_note
from thresher.campaign.ledger import (
    ARCHIVED,
    Aggregate,
    ImportCommand,
    NewAggregate,
    NewItemOutcome,
    PastArm,
    ReducedAggregate,
)
from thresher.service import shapes
from thresher.service.authentication import authenticate
from thresher.service.campaign_registry import ServedCampaign
from thresher.service.context import (
    LONG_READ,
    READ,
    After,
    Governed,
    Key,
    Limit,
    Readable,
    RegistryOf,
    Wait,
    WatchOf,
    needs,
)
from thresher.service.settings import API
from thresher.service.strict import StrictRoute

router = APIRouter(prefix=f"{API}/campaigns", tags=["campaigns"], route_class=StrictRoute)
Archived = Annotated[bool, Query(description="Whether to list archived campaigns too.")]


@router.get("", dependencies=[needs("read"), READ], response_model=shapes.Campaigns)
def list_campaigns(registry: RegistryOf, after: After = 0, limit: Limit = 100, archived: Archived = False) -> Any:
    """List the campaigns and their state, oldest first; archived ones are left out unless asked for."""
    names = registry.names()[after : after + limit]
    standings = [registry.open(name).backend.standing() for name in names]
    return {
        "campaigns": [standing.to_dict() for standing in standings if archived or standing.status != ARCHIVED],
        "next": shapes.next_page(names, limit, after + limit),
    }


@router.post("", status_code=201, dependencies=[needs("admin")], response_model=shapes.CreatedCampaign)
def create_campaign(registry: RegistryOf, new: shapes.NewCampaign) -> Any:
    """Create a campaign; a budget above the cost of all items of all arms is reduced to that.

    `notes` points out names of arms that differ only by case or blanks.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the response has the budget and the notes
        Campaign.create(registry.storage, new.name, **new.given())
    note = similar_note(look_alike(new.names()))
    return _shown(registry.open(new.name)) | {"notes": [note] if note else []}


@router.get("/{campaign:name}", response_model=shapes.CampaignShape)
async def show_campaign(request: Request, served: Readable, watch: WatchOf, wait: Wait = 0.0) -> Any:
    """Show the state of a campaign and its terms.

    With `wait` it responds once an ask can return a ticket, or no ask ever will, or after that many seconds.
    """
    glimpse = await watch.until_ready(served, seconds=wait, admit=partial(authenticate, request))
    return glimpse.standing.to_dict() | {"terms": served.terms.to_dict()}


def _shown(served: ServedCampaign) -> dict[str, Any]:
    return served.backend.standing().to_dict() | {"terms": served.terms.to_dict()}


@router.post("/{campaign:name}/arms", response_model=shapes.CampaignShape)
def add_arms(served: Governed, arms: shapes.NewArms) -> Any:
    """Add arms."""
    Campaign(served.backend).add_arms(**arms.given())
    return _shown(served)


@router.post("/{campaign:name}/items", response_model=shapes.CampaignShape)
def add_items(served: Governed, new: shapes.NewItems) -> Any:
    """Add items to a campaign with items."""
    Campaign(served.backend).add_items(new.items)
    return _shown(served)


@router.post("/{campaign:name}/history", response_model=shapes.Acknowledgement)
def tell_history(served: Governed, past: shapes.PastArms) -> Any:
    """Store what past arms answered to the same items; it helps all later verdicts."""
    served.backend.tell_history([PastArm(arm.name, arm.outcomes) for arm in past.arms])
    return shapes.Acknowledgement()


@router.post("/{campaign:name}/retire", response_model=shapes.Acknowledgement)
def retire(served: Governed, arm: shapes.ArmName) -> Any:
    """Stop measuring an arm; it keeps its verdict."""
    served.backend.retire(arm.arm)
    return shapes.Acknowledgement()


@router.post("/{campaign:name}/extend", response_model=shapes.CampaignShape)
def extend(served: Governed, more: shapes.Amount, key: Key = None) -> Any:
    """Add to the budget; requests with the same Idempotency-Key add once."""
    served.backend.extend(more.amount, key=key)
    return _shown(served)


@router.post("/{campaign:name}/pause", response_model=shapes.CampaignShape)
def pause(served: Governed) -> Any:
    """Stop issuing tickets until the campaign is resumed."""
    served.backend.pause()
    return _shown(served)


@router.post("/{campaign:name}/resume", response_model=shapes.CampaignShape)
def resume(served: Governed) -> Any:
    """Issue tickets again."""
    served.backend.resume()
    return _shown(served)


@router.post("/{campaign:name}/close", response_model=shapes.CampaignShape)
def close(served: Governed, why: shapes.ReasonOnly) -> Any:
    """Close the campaign: issue no more tickets; outcomes of issued ones are still accepted."""
    served.backend.close(reason=why.reason)
    return _shown(served)


@router.post("/{campaign:name}/archive", response_model=shapes.CampaignShape)
def archive(served: Governed, why: shapes.ReasonOnly) -> Any:
    """Archive the campaign: lists leave it out, and it refuses every change until it is unarchived."""
    served.backend.archive(reason=why.reason)
    return _shown(served)


@router.post("/{campaign:name}/unarchive", response_model=shapes.CampaignShape)
def unarchive(served: Governed) -> Any:
    """Undo the archiving: the campaign is as it was."""
    served.backend.unarchive()
    return _shown(served)


@router.post("/{campaign:name}/import", response_model=shapes.ImportEvent)
def store_import(served: Governed, given: shapes.ImportRequest, key: Key = None) -> Any:
    """Write an import of files that a client has read and compared with the log, in one transaction.

    The client plans it: it reads the history, finds the lines that are new or gone, and repeats that if the response is
    409 with the type `import-overtaken`. Once for each Idempotency-Key.
    """
    command = ImportCommand(
        given.batch,
        tuple((one.name, one.form, tuple(one.continues)) for one in given.sources),
        tuple(
            NewAggregate(one.source, one.arm, Aggregate.of(one.n, one.total, one.squares), _lines(one.lines))
            for one in given.added
        ),
        tuple(NewItemOutcome(one.source, one.arm, one.item, one.outcome, one.repeat) for one in given.outcomes),
        tuple(given.voided),
        tuple(
            ReducedAggregate(one.number, Aggregate.of(one.n, one.total, one.squares), _lines(one.removed))
            for one in given.reduced
        ),
        given.after,
        given.paid,
        key,
    )
    return shapes.ImportEvent(seq=served.backend.store_import(command))


def _lines(groups: list[shapes.LineGroup]) -> Any:
    return tuple((one.outcome, one.times, one.hashes) for one in groups)


@router.post("/{campaign:name}/void", response_model=shapes.Acknowledgement)
def void(served: Governed, told: shapes.TicketAndReason) -> Any:
    """Remove an outcome from the statistics; its cost stays spent."""
    served.backend.void(told.ticket, reason=told.reason)
    return shapes.Acknowledgement()


@router.post("/{campaign:name}/void-import", response_model=shapes.Voidings)
def void_import(served: Governed, told: shapes.BatchAndReason) -> Any:
    """Remove all outcomes of an import from the statistics."""
    return shapes.Voidings(voided=served.backend.void_import(told.batch, reason=told.reason))


@router.post("/{campaign:name}/amend", response_model=shapes.Acknowledgement)
def amend(served: Governed, told: shapes.Amendment) -> Any:
    """Replace an outcome, or the numbers of an aggregate."""
    served.backend.amend(told.ticket, told.outcome, n=told.n, squares=told.squares, reason=told.reason)
    return shapes.Acknowledgement()


@router.post("/{campaign:name}/verify", dependencies=[LONG_READ], response_model=shapes.Findings)
def verify(served: Governed) -> Any:
    """Replay the event log and compare all stored rows with it."""
    return shapes.Findings(findings=served.backend.findings())
