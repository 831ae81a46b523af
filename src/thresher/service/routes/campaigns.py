"""Campaigns: the list, a new one, how one stands, and what governs it."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from thresher.live import Campaign
from thresher.service.authentication import authenticate
from thresher.service.context import (
    LONG_READ,
    READ,
    After,
    DeskOf,
    Governed,
    Key,
    Limit,
    Readable,
    Wait,
    WatchOf,
    needs,
)
from thresher.service.desk import File
from thresher.service.settings import API
from thresher.service.shapes import (
    Acknowledgement,
    Amendment,
    Amount,
    ArmName,
    BatchAndReason,
    Campaigns,
    CampaignShape,
    Findings,
    NewArms,
    NewCampaign,
    NewItems,
    ReasonOnly,
    TicketAndReason,
    Voidings,
    next_page,
)
from thresher.service.strict import StrictRoute
from thresher.service.watch import is_worth_an_ask

router = APIRouter(prefix=f"{API}/campaigns", tags=["campaigns"], route_class=StrictRoute)


@router.get("", dependencies=[needs("read"), READ], response_model=Campaigns)
def list_campaigns(desk: DeskOf, after: After = 0, limit: Limit = 100) -> Any:
    """List how the campaigns stand, oldest first."""
    names = desk.names()[after : after + limit]
    return {
        "campaigns": [desk.open(name).backend.standing().to_dict() for name in names],
        "next": next_page(names, limit, after + limit),
    }


@router.post("", status_code=201, dependencies=[needs("admin")], response_model=CampaignShape)
def create_campaign(desk: DeskOf, new: NewCampaign) -> Any:
    """Create a campaign; a budget beyond the cost of every item of every arm is cut down to that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the answer has the budget
        Campaign.create(desk.storage, new.name, **new.given())
    return _shown(desk.open(new.name))


@router.get("/{campaign:name}", response_model=CampaignShape)
async def show_campaign(request: Request, file: Readable, watch: WatchOf, wait: Wait = 0.0) -> Any:
    """Show how a campaign stands, and its terms.

    With `wait` it answers once an ask may give a ticket, or none ever will, or after so many seconds.
    """
    glimpse = await watch.until(file.backend.name, is_worth_an_ask, seconds=wait, admit=partial(authenticate, request))
    return glimpse.standing.to_dict() | {"terms": file.terms.to_dict()}


def _shown(file: File) -> dict[str, Any]:
    return file.backend.standing().to_dict() | {"terms": file.terms.to_dict()}


@router.post("/{campaign:name}/arms", response_model=CampaignShape)
def add_arms(file: Governed, arms: NewArms) -> Any:
    """Add arms."""
    Campaign(file.backend).add_arms(**arms.given())
    return _shown(file)


@router.post("/{campaign:name}/items", response_model=CampaignShape)
def add_items(file: Governed, new: NewItems) -> Any:
    """Add items to a campaign that has some."""
    Campaign(file.backend).add_items(new.items)
    return _shown(file)


@router.post("/{campaign:name}/retire", response_model=Acknowledgement)
def retire(file: Governed, arm: ArmName) -> Any:
    """Ask an arm no more; its verdict stays."""
    file.backend.retire(arm.arm)
    return Acknowledgement()


@router.post("/{campaign:name}/extend", response_model=CampaignShape)
def extend(file: Governed, more: Amount, key: Key = None) -> Any:
    """Add to the budget; repeated with the same Idempotency-Key, once."""
    file.backend.extend(more.amount, key=key)
    return _shown(file)


@router.post("/{campaign:name}/pause", response_model=CampaignShape)
def pause(file: Governed) -> Any:
    """Hand out no tickets until it is resumed."""
    file.backend.pause()
    return _shown(file)


@router.post("/{campaign:name}/resume", response_model=CampaignShape)
def resume(file: Governed) -> Any:
    """Hand out tickets again."""
    file.backend.resume()
    return _shown(file)


@router.post("/{campaign:name}/close", response_model=CampaignShape)
def close(file: Governed, why: ReasonOnly) -> Any:
    """Hand out no tickets any more; outcomes of those handed out are still taken."""
    file.backend.close(reason=why.reason)
    return _shown(file)


@router.post("/{campaign:name}/void", response_model=Acknowledgement)
def void(file: Governed, told: TicketAndReason) -> Any:
    """Take an outcome out of the statistics; its unit stays spent."""
    file.backend.void(told.ticket, reason=told.reason)
    return Acknowledgement()


@router.post("/{campaign:name}/void-import", response_model=Voidings)
def void_import(file: Governed, told: BatchAndReason) -> Any:
    """Take all outcomes of an import out of the statistics."""
    return Voidings(voided=file.backend.void_import(told.batch, reason=told.reason))


@router.post("/{campaign:name}/amend", response_model=Acknowledgement)
def amend(file: Governed, told: Amendment) -> Any:
    """Replace an outcome."""
    file.backend.amend(told.ticket, told.outcome, reason=told.reason)
    return Acknowledgement()


@router.post("/{campaign:name}/verify", dependencies=[LONG_READ], response_model=Findings)
def verify(file: Governed) -> Any:
    """Replay the log and compare everything that is stored with it."""
    return Findings(findings=file.findings())
