"""The page of the items of a campaign, and items in the event log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from thresher.campaign import Entry, Items, said_under, view_of_items, view_of_judge
from thresher.dashboard.rendering import page
from thresher.report import signed
from thresher.service import MOST, MissingError, Readable
from thresher.types import Ints

router = APIRouter(include_in_schema=False)
PAGE = 100  # items on a page
SHOWN = 5  # items of one ask that are shown in the log
ORDERS: dict[str, tuple[str, Callable[[Items], Ints]]] = {
    "hardest": ("hardest first", lambda items: items.hardest_first),
    "easiest": ("easiest first", lambda items: items.hardest_first[::-1]),
    "answers": ("most arms first", lambda items: np.argsort(-items.answers, kind="stable")),
    "place": ("in their order", lambda items: np.arange(len(items))),
}

Order = Annotated[str, Query(pattern=f"^({'|'.join(ORDERS)})$")]
Start = Annotated[int, Query(ge=0, le=MOST)]


@router.get("/campaigns/{campaign:name}/items")
def items(request: Request, served: Readable, order: Order = "hardest", start: Start = 0) -> Response:
    """Show the difficulty of each item, which arms answered it, and all outcomes."""
    found = served.backend.judging.items()
    if not len(found):
        raise MissingError("This campaign has no items.")
    judge = view_of_judge(served.backend.judging)
    places = ORDERS[order][1](found)[start : start + PAGE]
    return page(
        request,
        "items.html",
        standing=served.backend.standing(),
        view=view_of_items(found, served.terms, is_judged=bool(judge)),
        judge=judge,
        rows=[found[int(i)] for i in places],
        n_items=len(found),
        n_arms=len(found.arms),
        orders={name: words for name, (words, _) in ORDERS.items()},
        order=order,
        start=start,
        page_size=PAGE,
        measure=said_under(served.terms, served.terms.goal).measure([]),
        signed=signed,
    )


def items_asked(entry: Entry, names: Sequence[str]) -> str:
    """Return the items of the tickets that an event issued, for the end of its sentence; empty if there are none."""
    pulls: Sequence[Any] = entry.details.get("pulls", ()) if entry.kind == "asked" else ()
    asked = [f"#{pull[0]}: {names[pull[3]]}{_ordinal(pull)}" for pull in pulls[:SHOWN] if len(pull) > 3]
    return f" ({', '.join(asked)}{', …' if len(pulls) > SHOWN else ''})" if asked else ""


def _ordinal(pull: Sequence[Any]) -> str:
    """Return for which time a ticket asks its item; empty if items are asked once."""
    return f" (repeat {pull[4]})" if len(pull) > 4 else ""
