"""Pages without forms: a campaign, an arm, the log."""

from __future__ import annotations

import json
import math
import shlex
from bisect import bisect_left
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from thresher.campaign import Overview, Standing, Verdicts, are_imported, running_intervals
from thresher.dashboard.board import KINDS, ORDERS, PAGE, Choice, boards_of
from thresher.dashboard.item_pages import items_asked
from thresher.dashboard.other_bar import BarText, other_bar_of
from thresher.dashboard.rendering import campaign_url, page
from thresher.dashboard.sentences import ArmNames, named_arms, named_pulls, sentence
from thresher.report import (
    DASHBOARD,
    MARKUP,
    Strips,
    View,
    allocation_picture,
    bar_of,
    cells_of,
    interval_cell,
    next_step,
    numbers_of,
    passing_rule,
    progress_picture,
    quantile_name,
    running_picture,
    sentence_case,
    timeline_picture,
)
from thresher.service import MOST, MissingError, Readable, ServedCampaign, caller_of

router = APIRouter(include_in_schema=False)
LINES = 100  # of the log on a page
PULLS = 100  # of an arm on its page
PULL_COLUMNS = {
    "Measurement": "Number of the measurement among all of the campaign.",
    "Item": "Item that the arm answered.",
    "State": "Whether the measurement is in flight, has an outcome, has expired or was voided.",
    "Outcome": "Value that was measured.",
    "Ticket": "Id under which a worker reports the outcome.",
    "Correct it": "Take the outcome out of the statistics.",
}
STATES = {
    "out": "in flight",
    "told": "counted",
    "lapsed": "expired",
    "forfeited": "expired, spent",
    "unused": "late, not counted",
    "void": "voided",
}
LOG_COLUMNS = {
    "Event": "Number of the event in the log.",
    "When (UTC)": "Time by the clock of the database.",
    "Kind": "Kind of the event, as the JSON export names it.",
    "In words": "What changed.",
}
MOST_FORESEEN = 10_000  # arms up to which a page shows what more budget would decide

Order = Annotated[str, Query(pattern=f"^({'|'.join(ORDERS)})$")]
Kind = Annotated[str, Query(pattern=f"^({'|'.join(KINDS)})$")]
Search = Annotated[str, Query(max_length=500)]
Start = Annotated[int, Query(ge=0, le=MOST)]
Position = Annotated[int, Path(ge=0, le=MOST)]


def _choice(
    order: Order = "decision", kind: Kind = "all", search: Search = "", start: Start = 0, bar: BarText = ""
) -> Choice:
    return Choice(order, kind, search, start, bar)


Chosen = Annotated[Choice, Depends(_choice)]


@router.get("/campaigns/{campaign:name}")
def campaign(request: Request, served: Readable, choice: Chosen) -> Response:
    """Show a campaign."""
    return _glance(request, "campaign.html", served, choice)


@router.get("/campaigns/{campaign:name}/glance")
def glance(request: Request, served: Readable, choice: Chosen) -> Response:
    """Show the parts of a campaign's page that change."""
    return _glance(request, "glance.html", served, choice)


def _glance(request: Request, template: str, served: ServedCampaign, choice: Choice) -> Response:
    board = boards_of(request).of(served)
    shown = board.glance()
    found = choice.of(shown.verdicts)
    rows, drawn = found[choice.start : choice.start + PAGE], shown.verdicts.drawn
    control = _place_of_control(served, shown.verdicts)
    said = shown.verdicts.said
    view = View(shown.verdicts, said)
    link = partial(_arm_url, served.backend.name, control)
    columns = numbers_of(view, DASHBOARD)
    cells = cells_of(columns, [row for _, row in rows], view)
    headings = {column.key: sentence_case(column.heading(view)) for column in [*MARKUP[:2], *columns]}
    answer = page(
        request,
        template,
        may_govern=caller_of(request).may("admin", served.backend.name),
        terms=served.terms,
        glance=shown,
        next_step=_next_step(served, shown),
        rule=passing_rule(shown.verdicts, said),
        worker=worker_command(request, shown.standing),
        columns=columns,
        headings=headings,
        legends={headings[column.key]: column.help for column in [*MARKUP[:2], *columns]},
        markup={column.key: column for column in MARKUP},
        is_behind=board.is_behind or board.is_reading,
        choice=choice,
        name=served.backend.name,
        other=other_bar_of(board, choice.bar),
        orders=ORDERS,
        kinds={kind: shown.verdicts.counts.get(kind, len(drawn)) for kind in KINDS},
        found=len(found),
        rows=[
            (place + (place >= control), row, zip(columns, texts, strict=True), drawn[place])
            for (place, row), texts in zip(rows, cells, strict=True)
        ],
        page_size=PAGE,
        strips=Strips(drawn),
        progress=progress_picture(shown.points, budget=shown.standing.budget, end=shown.end),
        progress_data=_progress_data(shown),
        allocation=allocation_picture(drawn, what=said.drawn_name, link=link),
        timeline=timeline_picture(shown.settled, budget=shown.standing.budget, n_arms=len(drawn), link=link),
    )
    boards_of(request).freshen(board)
    return answer


def _arm_url(campaign: str, control: int, place: int) -> str:
    """Return the address of the arm at a place among the verdicts, in which the control has no row."""
    return campaign_url(campaign, "arms", place + (place >= control))


def _place_of_control(served: ServedCampaign, verdicts: Verdicts) -> int:
    """Return the position of the control, which has no row, or the number of arms without a control."""
    if verdicts.control is None:
        return len(verdicts)
    return bisect_left(range(len(verdicts)), True, key=lambda place: served.arm(place).name != verdicts[place].arm)


def _next_step(served: ServedCampaign, shown: Overview) -> str:
    """Return the next step, in terms of the buttons of this page."""
    offer = lambda: None if shown.standing.arms > MOST_FORESEEN else shown.verdicts.offer  # noqa: E731
    is_imported = are_imported(served.backend.history, shown.standing)
    go_on = "import more outcomes" if is_imported else "start a worker"
    how = {"extend": "Extend: {amount}", "go_on": go_on, "goal": shown.verdicts.said.goal}
    said, has_control = shown.verdicts.said, shown.verdicts.control is not None
    return next_step(shown.verdicts, shown.standing, offer, **how, has_control=has_control, repeats=said.repeats)


def worker_command(request: Request, standing: Standing) -> str:
    """Return the command that starts a worker for a campaign of this server."""
    scheme = "https" if request.app.state.settings.secure else "http"
    measure = "'./measure {arm} {item}'" if standing.items else "'./measure {arm}'"
    address = f"{scheme}://{request.headers['host']}"
    return f"thresher work {address} {shlex.quote(standing.name)} --command {measure}"


def _progress_data(shown: Overview) -> str:
    points = [[point.spent, round(point.mistakes, 6)] for point in shown.points]
    end = None if shown.end is None else [shown.end.spent, round(shown.end.mistakes, 6)]
    return json.dumps({"points": points, "end": end, "budget": shown.standing.budget})


@router.get("/campaigns/{campaign:name}/arms/{position}")
def arm(request: Request, served: Readable, position: Position, start: Start = 0) -> Response:
    """Show one arm and its history."""
    known = served.arm(position)
    verdicts = boards_of(request).of(served).verdicts()
    if known.name == served.terms.control:
        raise MissingError(f"{known.name} is the control, the bar of the other arms: it has no verdict.")
    place = position - (position > _place_of_control(served, verdicts))
    if place >= len(verdicts):
        raise MissingError(f"The arm {position} is new; look again in a moment.")
    row, said, pulls = verdicts[place], verdicts.said, served.pulls(position)
    measure = said.measure(verdicts)
    newest, standing = pulls[::-1], served.backend.standing()
    # Outcomes of one item are not independent draws; those of different items bound the mean as such draws do.
    items = standing.items if served.terms.repeats > 1 else 0
    moments = running_intervals(served.terms, pulls, threshold=known.threshold, sigma=known.sigma, items=items)
    bar, what = served.terms.quantile or known.threshold, said.drawn_name
    return page(
        request,
        "arm.html",
        may_govern=caller_of(request).may("admin", served.backend.name),
        standing=standing,
        items=served.backend.stored.names_of_items() if standing.items else [],
        has_repeats=served.terms.repeats > 1,
        is_exact=served.terms.item_sampling.ends_known,
        position=position,
        arm=known,
        row=row,
        valid=interval_cell(replace(row, low=row.valid_low, high=row.valid_high), said, measure),
        said=said,
        measure=measure,
        bar=bar_of([row], said).removesuffix("."),
        pulls=newest[start : start + PULLS],
        n_pulls=len(newest),
        start=start,
        page_size=PULLS,
        help=PULL_COLUMNS,
        states=STATES,
        quantile=quantile_name(served.terms.quantile).capitalize() if served.terms.quantile else "",
        mean_head=sentence_case(said.mean_head),
        picture=running_picture(moments, threshold=bar, what=what),
        data=json.dumps(_running_data(moments, bar) | {"what": what}),
    )


def _running_data(moments: list[Any], threshold: float) -> dict[str, Any]:
    columns = zip(*moments, strict=True) if moments else ((), (), (), ())
    names = ("pulls", "mean", "low", "high")
    known = {name: [_known(value) for value in column] for name, column in zip(names, columns, strict=True)}
    return {**known, "threshold": threshold}


def _known(value: float) -> float | None:
    return round(value, 6) if math.isfinite(value) else None


@router.get("/campaigns/{campaign:name}/log")
def log(request: Request, served: Readable, before: Start = 0) -> Response:
    """Show the event log, newest first."""
    standing = served.backend.standing()
    last = min(before - 1, standing.events) if before else standing.events
    entries = served.backend.history(after=max(last - LINES, 0), limit=min(LINES, max(last, 1)))
    items = served.backend.stored.names_of_items() if standing.items else []
    shown = [entry for entry in reversed(entries) if entry.seq <= last]
    names = ArmNames(served.arms_of(named_pulls(shown)), {at: served.arm(at).name for at in named_arms(shown)})
    lines = [(entry, sentence(entry, names) + items_asked(entry, items)) for entry in shown]
    return page(request, "log.html", standing=standing, lines=lines, lines_size=LINES, help=LOG_COLUMNS)
