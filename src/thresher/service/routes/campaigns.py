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
    next_page,
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
        "next": next_page(names, limit, after + limit),
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
    return registry.open(new.name).shown() | {"notes": [note] if note else []}


@router.get("/{campaign:name}", response_model=shapes.CampaignShape)
async def show_campaign(request: Request, served: Readable, watch: WatchOf, wait: Wait = 0.0) -> Any:
    """Show the state of a campaign and its terms.

    With `wait` it responds once an ask can return a ticket, or no ask ever will, or after that many seconds.
    """
    glimpse = await watch.until_ready(served, seconds=wait, admit=partial(authenticate, request))
    return glimpse.standing.to_dict() | {"terms": served.terms.to_dict()}


@router.post("/{campaign:name}/arms", response_model=shapes.CampaignShape)
def add_arms(served: Governed, arms: shapes.NewArms) -> Any:
    """Add arms."""
    Campaign(served.backend).add_arms(**arms.given())
    return served.shown()


@router.post("/{campaign:name}/items", response_model=shapes.CampaignShape)
def add_items(served: Governed, new: shapes.NewItems) -> Any:
    """Add items to a campaign with items."""
    Campaign(served.backend).add_items(new.items)
    return served.shown()


@router.post("/{campaign:name}/history", response_model=shapes.Acknowledgement)
def tell_history(served: Governed, past: shapes.PastArms) -> Any:
    """Store what past arms answered to the same items; it helps all later verdicts.

    A past arm with the name and the outcomes of one that is stored is not stored again.
    """
    served.backend.tell_history([PastArm(arm.name, arm.outcomes) for arm in past.arms])
    return shapes.Acknowledgement()


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


@router.post("/{campaign:name}/verify", dependencies=[LONG_READ], response_model=shapes.Findings)
def verify(served: Governed) -> Any:
    """Replay the event log and compare all stored rows with it."""
    return shapes.Findings(findings=served.backend.findings())
