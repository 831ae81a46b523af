"""The page that splits the next batch over the arms, and the same as a file."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from thresher.campaign import Allocation, Campaign
from thresher.dashboard.rendering import page
from thresher.dashboard.term_fields import number_in
from thresher.errors import ThresherError
from thresher.service import LONG_READ, Readable

router = APIRouter(include_in_schema=False)
Budget = Annotated[str, Query(max_length=40)]
SHOWN = 500  # arms on the page


@router.get("/campaigns/{campaign:name}/allocation", dependencies=[LONG_READ])
def allocation(request: Request, served: Readable, budget: Budget = "") -> Response:
    """Show how the next batch should be split over the arms, by default all that is left of the budget."""
    found: Allocation | None = None
    complaint, standing = "", served.backend.standing()
    try:
        found = _found(served, budget)
    except ThresherError as error:
        complaint = str(error)
    rows = sorted(found or (), key=lambda row: -row.measurements)
    return page(
        request, "allocation.html", standing=standing, budget=budget, found=found, complaint=complaint,
        has_costs=any(row.cost != row.measurements for row in rows),
        rows=[row for row in rows if row.measurements][:SHOWN], status=422 if complaint else 200,
    )  # fmt: skip


@router.get("/campaigns/{campaign:name}/allocation.csv", dependencies=[LONG_READ])
def allocation_file(served: Readable, budget: Budget = "") -> Response:
    """Return the allocation of all arms as CSV."""
    headers = {"Content-Disposition": 'attachment; filename="allocation.csv"'}
    return Response(_found(served, budget).to_csv(), media_type="text/csv; charset=utf-8", headers=headers)


def _found(served: Readable, budget: str) -> Allocation:
    return Campaign(served.backend).allocate(number_in("budget", budget) if budget.strip() else None)
