"""Campaigns: list, create, show and administer them."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from thresher.live import Campaign
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
def list_campaigns(registry: RegistryOf, after: After = 0, limit: Limit = 100) -> Any:
    """List the campaigns and their state, oldest first."""
    names = registry.names()[after : after + limit]
    return {
        "campaigns": [registry.open(name).backend.standing().to_dict() for name in names],
        "next": next_page(names, limit, after + limit),
    }


@router.post("", status_code=201, dependencies=[needs("admin")], response_model=CampaignShape)
def create_campaign(registry: RegistryOf, new: NewCampaign) -> Any:
    """Create a campaign; a budget above the cost of all items of all arms is reduced to that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the response has the budget
        Campaign.create(registry.storage, new.name, **new.given())
    return _shown(registry.open(new.name))


@router.get("/{campaign:name}", response_model=CampaignShape)
async def show_campaign(request: Request, served: Readable, watch: WatchOf, wait: Wait = 0.0) -> Any:
    """Show the state of a campaign and its terms.

    With `wait` it responds once an ask can return a ticket, or no ask ever will, or after that many seconds.
    """
    glimpse = await watch.until(
        served.backend.name, is_worth_an_ask, seconds=wait, admit=partial(authenticate, request)
    )
    return glimpse.standing.to_dict() | {"terms": served.terms.to_dict()}


def _shown(served: ServedCampaign) -> dict[str, Any]:
    return served.backend.standing().to_dict() | {"terms": served.terms.to_dict()}


@router.post("/{campaign:name}/arms", response_model=CampaignShape)
def add_arms(served: Governed, arms: NewArms) -> Any:
    """Add arms."""
    Campaign(served.backend).add_arms(**arms.given())
    return _shown(served)


@router.post("/{campaign:name}/items", response_model=CampaignShape)
def add_items(served: Governed, new: NewItems) -> Any:
    """Add items to a campaign with items."""
    Campaign(served.backend).add_items(new.items)
    return _shown(served)


@router.post("/{campaign:name}/retire", response_model=Acknowledgement)
def retire(served: Governed, arm: ArmName) -> Any:
    """Stop measuring an arm; it keeps its verdict."""
    served.backend.retire(arm.arm)
    return Acknowledgement()


@router.post("/{campaign:name}/extend", response_model=CampaignShape)
def extend(served: Governed, more: Amount, key: Key = None) -> Any:
    """Add to the budget; requests with the same Idempotency-Key add once."""
    served.backend.extend(more.amount, key=key)
    return _shown(served)


@router.post("/{campaign:name}/pause", response_model=CampaignShape)
def pause(served: Governed) -> Any:
    """Stop issuing tickets until the campaign is resumed."""
    served.backend.pause()
    return _shown(served)


@router.post("/{campaign:name}/resume", response_model=CampaignShape)
def resume(served: Governed) -> Any:
    """Issue tickets again."""
    served.backend.resume()
    return _shown(served)


@router.post("/{campaign:name}/close", response_model=CampaignShape)
def close(served: Governed, why: ReasonOnly) -> Any:
    """Close the campaign: issue no more tickets; outcomes of issued ones are still accepted."""
    served.backend.close(reason=why.reason)
    return _shown(served)


@router.post("/{campaign:name}/void", response_model=Acknowledgement)
def void(served: Governed, told: TicketAndReason) -> Any:
    """Remove an outcome from the statistics; its cost stays spent."""
    served.backend.void(told.ticket, reason=told.reason)
    return Acknowledgement()


@router.post("/{campaign:name}/void-import", response_model=Voidings)
def void_import(served: Governed, told: BatchAndReason) -> Any:
    """Remove all outcomes of an import from the statistics."""
    return Voidings(voided=served.backend.void_import(told.batch, reason=told.reason))


@router.post("/{campaign:name}/amend", response_model=Acknowledgement)
def amend(served: Governed, told: Amendment) -> Any:
    """Replace an outcome."""
    served.backend.amend(told.ticket, told.outcome, reason=told.reason)
    return Acknowledgement()


@router.post("/{campaign:name}/verify", dependencies=[LONG_READ], response_model=Findings)
def verify(served: Governed) -> Any:
    """Replay the event log and compare all stored rows with it."""
    return Findings(findings=served.backend.findings())
