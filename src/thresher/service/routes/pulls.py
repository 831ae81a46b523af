"""Pulls: what workers call."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from thresher.live import Receipt
from thresher.service.authentication import authenticate, caller_of, require_scope
from thresher.service.context import Key, MetricsOf, Wait, WatchOf, Workable
from thresher.service.settings import API
from thresher.service.shapes import (
    Acknowledgement,
    AskRequest,
    Counts,
    ItemOutcomes,
    Receipts,
    Renewals,
    TellRequest,
    TicketAndReason,
    TicketList,
    Tickets,
)
from thresher.service.strict import StrictRoute

router = APIRouter(prefix=API + "/campaigns/{campaign:name}", tags=["workers"], route_class=StrictRoute)
FOR_OLDER_CLIENTS: dict[str, Any] = {"response_model_exclude_defaults": True}  # they do not know all fields


@router.post("/ask", response_model=Tickets)
async def ask(
    request: Request,
    file: Workable,
    wanted: AskRequest,
    watch: WatchOf,
    key: Key = None,
    wait: Wait = 0.0,
) -> Any:
    """Hand out up to `n` tickets, each for the pull that is worth most.

    With `wait` it answers as soon as there is a ticket, or none ever will be, or after so many seconds. Repeated with
    the same Idempotency-Key it gives the same tickets and takes no more of the budget.
    """
    request.state.waits = wait > 0
    tickets, is_open = await watch.ask(file, wanted.n, key=key, seconds=wait, admit=partial(authenticate, request))
    return {"tickets": tickets, "is_open": is_open}


@router.post("/tell", response_model=Receipts, **FOR_OLDER_CLIENTS)
def tell(file: Workable, told: TellRequest, numbers: MetricsOf) -> Any:
    """Take outcomes by ticket, all or none; telling the same again changes nothing.

    A `cost` is charged in place of the pull cost of the arm, as far as the budget can pay it; the receipt has the rest
    as `unpaid`, which is left out where it is 0.
    """
    told_pulls = [(one.ticket, one.outcome, one.cost) for one in told.outcomes]
    receipts = file.backend.tell(told_pulls, batch=told.batch)
    numbers.outcomes.inc(sum(not receipt.replayed for receipt in receipts))
    return {"receipts": receipts}


@router.post("/items/tell", response_model=Receipts, **FOR_OLDER_CLIENTS)
def tell_items(request: Request, file: Workable, told: ItemOutcomes, numbers: MetricsOf) -> Any:
    """Take outcomes by arm and item, without tickets, all or none; telling the same again changes nothing.

    Outcomes that the budget does not pay (`paid` is false) need a token of scope `admin`.
    """
    if not told.paid:
        require_scope(caller_of(request), "admin", file.backend.name)
    triples = [(one.arm, one.item, one.outcome) for one in told.outcomes]
    receipts = file.backend.tell_items(triples, paid=told.paid, batch=told.batch)
    numbers.outcomes.inc(sum(not receipt.replayed for receipt in receipts))
    return {"receipts": receipts}


@router.post("/counts", response_model=Receipt, **FOR_OLDER_CLIENTS)
def tell_counts(request: Request, file: Workable, counts: Counts, numbers: MetricsOf, key: Key = None) -> Any:
    """Take outcomes of one arm as an aggregate, without tickets; repeated with the same Idempotency-Key, once.

    Outcomes that the budget does not pay (`paid` is false) need a token of scope `admin`.
    """
    if not counts.paid:
        require_scope(caller_of(request), "admin", file.backend.name)
    given = counts.model_dump(exclude={"arm"})
    receipt = file.backend.tell_counts(counts.arm, **given, key=key)
    numbers.outcomes.inc(0 if receipt.replayed else counts.n)
    return receipt


@router.post("/fail", response_model=Acknowledgement)
def fail(file: Workable, lost: TicketAndReason) -> Any:
    """Give a pull up: no outcome came of it."""
    file.backend.fail(lost.ticket, reason=lost.reason)
    return Acknowledgement()


@router.post("/heartbeat", response_model=Renewals)
def heartbeat(file: Workable, held: TicketList) -> Any:
    """Renew leases."""
    return {"tickets": file.backend.heartbeat(held.tickets)}
