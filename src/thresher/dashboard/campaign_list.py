"""The page that lists the campaigns: dates, decisions, sorting and search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from thresher.campaign import Standing, Verdicts
from thresher.campaign.ledger import ARCHIVED
from thresher.dashboard.board import Board, Dates, boards_of
from thresher.dashboard.rendering import page
from thresher.service import RegistryOf, caller_of

router = APIRouter(include_in_schema=False)
COLUMNS = {
    "Campaign": "Name of the campaign.",
    "Status": "open: workers measure; paused: they wait; ended: nothing is left to measure; closed: ended for good; "
    "archived: hidden from this list.",
    "Decisions": "Number of arms that pass, fail and are undecided.",
    "Arms": "Number of arms.",
    "Spent": "Budget spent, of the whole budget; lighter: in flight.",
    "Created": "When the campaign was created (UTC).",
    "Last event": "When it last changed (UTC): a ticket, an outcome, a correction.",
}


class ListedCampaign(NamedTuple):
    """A campaign in the list; `verdicts` is None until they are computed."""

    board: Board
    standing: Standing
    verdicts: Verdicts | None
    dates: Dates

    @property
    def is_old(self) -> bool:
        """Whether newer verdicts can be computed."""
        return not self.standing.note and not self.board.is_as_of(self.standing.events)


ORDERS: dict[str, tuple[str, Callable[[ListedCampaign], float | str]]] = {
    "created": ("newest", lambda each: -each.dates.created.timestamp()),
    "changed": ("last event", lambda each: -each.dates.changed.timestamp()),
    "name": ("name", lambda each: each.standing.name.casefold()),
    "undecided": ("most undecided", lambda each: 1.0 if each.verdicts is None else -each.verdicts.counts["open"]),
    "left": ("most budget left", lambda each: each.standing.spent - each.standing.budget),
}
Order = Annotated[str, Query(pattern=f"^({'|'.join(ORDERS)})$")]
Search = Annotated[str, Query(max_length=500)]


@router.get("/")
def campaigns(
    request: Request, registry: RegistryOf, order: Order = "created", search: Search = "", archived: bool = False
) -> Response:
    """Show all campaigns, or the one that the caller may see; archived ones only if asked for."""
    caller, boards = caller_of(request), boards_of(request)
    names = registry.names() if caller.campaign is None else [caller.campaign]
    wanted = search.casefold()
    matching = [_listed(boards.of(registry.open(name))) for name in reversed(names) if wanted in name.casefold()]
    found = [each for each in matching if archived or each.standing.status != ARCHIVED]
    answer = page(
        request,
        "campaigns.html",
        shown=sorted(found, key=ORDERS[order][1]),
        n_campaigns=len(names),
        orders={name: label for name, (label, _) in ORDERS.items()},
        order=order,
        search=search,
        archived=archived,
        n_hidden=len(matching) - len(found),
        help=COLUMNS,
    )
    boards.judge_soon([each.board for each in found if each.is_old])
    return answer


def _listed(board: Board) -> ListedCampaign:
    standing = board.served.backend.standing()
    return ListedCampaign(board, standing, board.known_verdicts, board.dates(standing.events))
