"""Pulls: the routes that workers call."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from thresher.campaign import Campaign, Receipt
from thresher.campaign.ledger import Score
from thresher.service import shapes
from thresher.service.authentication import authenticate, caller_of, require_scope
from thresher.service.context import Key, MetricsOf, Wait, WatchOf, Workable
from thresher.service.settings import API
from thresher.service.strict import StrictRoute

router = APIRouter(prefix=API + "/campaigns/{campaign:name}", tags=["workers"], route_class=StrictRoute)
FOR_OLDER_CLIENTS: dict[str, Any] = {"response_model_exclude_defaults": True}  # older clients do not have all fields


@router.post("/ask", response_model=shapes.Tickets)
async def ask(
    request: Request,
    served: Workable,
    wanted: shapes.AskRequest,
    watch: WatchOf,
    key: Key = None,
    wait: Wait = 0.0,
) -> Any:
    """Issue up to `n` tickets, each for the most valuable pull.

    With `wait` it responds as soon as there is a ticket, or there never will be one, or after that many seconds.
    Repeated with the same Idempotency-Key it returns the same tickets and reserves no more of the budget.
    """
    request.state.waits = wait > 0
    tickets, is_open = await watch.ask(served, wanted.n, key=key, seconds=wait, admit=partial(authenticate, request))
    return {"tickets": tickets, "is_open": is_open}


@router.post("/tell", response_model=shapes.Receipts, **FOR_OLDER_CLIENTS)
def tell(request: Request, served: Workable, told: shapes.TellRequest, numbers: MetricsOf) -> Any:
    """Record outcomes by ticket, all or none; telling the same outcome again changes nothing.

    A `cost` is charged in place of the pull cost of the arm, as far as the budget can pay it; the receipt has the rest
    as `unpaid`, which is left out if it is 0. Unless the terms allow costs (`most_cost`), they need a token of scope
    `admin`.
    """
    if not served.terms.most_cost and any(one.cost is not None for one in told.outcomes):
        what, instead = "a cost", "leave it out, or create the campaign with most_cost"
        require_scope(caller_of(request), "admin", served.backend.name, what=what, instead=instead)
    told_pulls = [(one.ticket, one.outcome, one.cost) for one in told.outcomes]
    receipts = served.backend.tell(told_pulls, batch=told.batch)
    numbers.outcomes.inc(sum(not receipt.replayed for receipt in receipts))
    return {"receipts": receipts}


@router.post("/items/tell", response_model=shapes.Receipts, **FOR_OLDER_CLIENTS)
def tell_items(request: Request, served: Workable, told: shapes.ItemOutcomes, numbers: MetricsOf) -> Any:
    """Record outcomes by arm and item, without tickets, all or none; telling one again changes nothing.

    Outcomes that the budget does not pay (`paid` is false) need a token of scope `admin`.
    """
    if not told.paid:
        require_scope(caller_of(request), "admin", served.backend.name)
    outcomes = [(one.arm, one.item, one.outcome, one.repeat) for one in told.outcomes]
    receipts = served.backend.tell_items(outcomes, paid=told.paid, batch=told.batch)
    numbers.outcomes.inc(sum(not receipt.replayed for receipt in receipts))
    return {"receipts": receipts}


@router.post("/proxy", response_model=shapes.Acknowledgement)
def tell_proxy(served: Workable, told: shapes.Scores) -> Any:
    """Store cheap scores of answers, such as those of an LLM judge; telling one again changes nothing."""
    served.backend.tell_proxy([Score(one.arm, one.item, one.score) for one in told.scores])
    return shapes.Acknowledgement()


@router.post("/counts", response_model=Receipt, **FOR_OLDER_CLIENTS)
def tell_counts(request: Request, served: Workable, counts: shapes.Counts, numbers: MetricsOf, key: Key = None) -> Any:
    """Record outcomes of one arm as an aggregate, without tickets; once for each Idempotency-Key.

    Outcomes that the budget does not pay (`paid` is false) need a token of scope `admin`.
    """
    if not counts.paid:
        require_scope(caller_of(request), "admin", served.backend.name)
    receipt = Campaign(served.backend).tell_counts(**counts.model_dump(), key=key)
    numbers.outcomes.inc(0 if receipt.replayed else counts.n)
    return receipt


@router.post("/counts/table", response_model=shapes.ImportReceipt)
def tell_count_table(request: Request, served: Workable, table: shapes.CountTable, numbers: MetricsOf) -> Any:
    """Record counts of many arms in one transaction, each once for its arm and its key.

    A row that was told with other numbers is an error: `replace` corrects it and voids what the table lacks,
    `cumulative` adds the difference. Outcomes that the budget does not pay (`paid` is false) need a token of scope
    `admin`; so does `replace`.
    """
    if not table.paid or table.replace:
        require_scope(caller_of(request), "admin", served.backend.name)
    fields = ["arm", "key", "n", "total"] + ["squares"] * any(row.squares is not None for row in table.counts)
    columns = {name: [getattr(row, name) for row in table.counts] for name in fields}
    given = {name: getattr(table, name) for name in ("source", "cumulative", "replace", "paid", "batch")}
    done = Campaign(served.backend).tell_counts(columns, **given)
    numbers.outcomes.inc(done.told)
    return done
