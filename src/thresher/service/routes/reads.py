"""Reads: verdicts, pulls, history, exports, and a stream of changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from thresher.campaign import judge_document
from thresher.service import shapes
from thresher.service.authentication import authenticate
from thresher.service.campaign_registry import Glimpse
from thresher.service.context import LONG_READ, MOST, READ, STREAM, After, Limit, Readable, WatchOf, next_page
from thresher.service.exports import EXPORTS, PAGE_BYTES, Export
from thresher.service.settings import API
from thresher.service.strict import StrictRoute

router = APIRouter(prefix=API + "/campaigns/{campaign:name}", tags=["reading"], route_class=StrictRoute)
Risk = Annotated[float | None, Query(gt=0, lt=0.5, description="Instead of the campaign's.")]
Word = Annotated[str | None, Query(max_length=200, description="Instead of the campaign's.")]
OtherBar = Annotated[float | None, Query(description="The verdicts if this were the bar of every arm.")]
STREAMED: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}
Batch = Annotated[float, Query(gt=0, description="What the batch may cost, in the unit of the pull costs.")]
FILES: dict[str, Any] = {media_type.partition(";")[0]: {} for media_type, _ in EXPORTS.values()}


@router.get("/verdicts", dependencies=[READ], response_model=shapes.VerdictPage)
def verdicts(
    served: Readable,
    after: After = 0,
    limit: Limit = 1000,
    risk: Risk = None,
    guarantee: Word = None,
    passes: Word = None,
    sigma_check: Word = None,
    bar: OtherBar = None,
) -> Any:
    """Show the verdict on each arm, in the order of the arms; other terms apply to this response only."""
    given = {"risk": risk, "guarantee": guarantee, "passes": passes, "sigma_check": sigma_check, "bar": bar}
    events, found = served.verdicts(**given)
    document = found.to_document(slice(after, after + limit))
    rows = [row | {"sure": row["proven"]} for row in document["verdicts"]]
    return document | {"verdicts": rows, "events": events, "next": next_page(rows, limit, after + limit)}


@router.get("/items", dependencies=[READ], response_model=shapes.ItemPage)
def items(served: Readable, after: After = 0, limit: Limit = 100) -> Any:
    """Show the difficulty of each item, the number of arms that answered it, and their outcomes."""
    found = served.backend.judging.items()
    rows = [row.to_dict() for row in found[after : after + limit]]
    return {
        "items": rows,
        "arms": list(found.arms),
        "share": found.share,
        "next": next_page(rows, limit, after + limit),
    }


@router.get("/judge", dependencies=[READ], response_model=shapes.JudgeShape)
def judge(served: Readable) -> Any:
    """Show how well the scores of answers agree with the outcomes, and what they save."""
    return judge_document(served.backend.judging.judge_agreement())


@router.get("/allocation", dependencies=[LONG_READ], response_model=shapes.AllocationShape)
def allocation(served: Readable, budget: Batch) -> Any:
    """Show how the next batch should be split over the arms; nothing is reserved."""
    return served.backend.allocate(budget).to_dict()


@router.get("/offer", dependencies=[READ], response_model=shapes.OfferShape)
def offer(served: Readable, risk: Risk = None, guarantee: Word = None) -> Any:
    """Estimate how many more measurements would decide how many of the undecided arms; null if it is not known.

    The estimate comes from a simulation, which takes a moment.
    """
    found = served.verdicts(risk=risk, guarantee=guarantee)[1].offer
    return {"measurements": None, "decided": None, "n_open": None} if found is None else found._asdict()


@router.get("/arms/{position}/pulls", dependencies=[READ], response_model=shapes.PullPage)
def pulls(
    served: Readable, position: Annotated[int, Path(ge=0, le=MOST)], after: After = 0, limit: Limit = 1000
) -> Any:
    """Show the pulls of one arm, by its position from 0."""
    served.arm(position)
    rows = served.pulls(position, after=after, limit=limit)
    return {"pulls": rows, "next": next_page(rows, limit, rows[-1].number if rows else 0)}


@router.get("/history", dependencies=[READ], response_model=shapes.HistoryPage)
def history(served: Readable, after: After = 0, limit: Limit = 1000) -> Any:
    """Show the events after number `after`, in order."""
    entries = served.backend.history(after=after, limit=limit, size=PAGE_BYTES)
    last = entries[-1].seq if entries else after
    return {"entries": entries, "next": last if last < served.backend.standing().events else None}


@router.get("/export/{what}", dependencies=[LONG_READ], response_class=Response, responses={200: {"content": FILES}})
def export(served: Readable, what: Export) -> Response:
    """Export as a file: verdicts or outcomes as CSV, the log as JSON lines."""
    media_type, write = EXPORTS[what]
    headers = {"Content-Disposition": f'attachment; filename="{what.value}"'}
    return StreamingResponse(write(served), media_type=media_type, headers=headers)


@router.get(
    "/events",
    dependencies=[STREAM],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(request: Request, served: Readable, watch: WatchOf) -> StreamingResponse:
    """Stream the state of the campaign: now, and after each event (server-sent events)."""
    request.state.waits = True
    glimpses = watch.changes(served, admit=partial(authenticate, request))
    return StreamingResponse(_lines(glimpses), media_type="text/event-stream")


async def _lines(glimpses: AsyncIterator[Glimpse | None]) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    async for glimpse in glimpses:
        if glimpse is None:
            yield ": still here\n\n"
        else:
            standing = glimpse.standing
            yield f"event: standing\nid: {standing.events}\ndata: {json.dumps(standing.to_dict())}\n\n"
