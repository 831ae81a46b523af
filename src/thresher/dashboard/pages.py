"""The pages that are read: the list, a campaign at a glance, an arm, the log."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from thresher.dashboard.board import KINDS, ORDERS, PAGE, Boards, Choice
from thresher.dashboard.rendering import page
from thresher.dashboard.sentences import sentence
from thresher.live.interval_history import running_intervals
from thresher.live.overview import Overview
from thresher.report.allocation import allocation_picture
from thresher.report.decisions import Measure, bar_of, next_step, spent_of
from thresher.report.progress import progress_picture
from thresher.report.running import running_picture
from thresher.report.verdict_rows import Strips
from thresher.service.authentication import caller_of
from thresher.service.context import MOST, DeskOf, Readable
from thresher.service.desk import File
from thresher.service.problem_details import MissingError

router = APIRouter(include_in_schema=False)
LINES = 100  # of the log on a page
PULLS = 100  # of an arm on its page
MOST_FORESEEN = 10_000  # arms of a campaign whose page says what more budget would decide

Order = Annotated[str, Query(pattern=f"^({'|'.join(ORDERS)})$")]
Kind = Annotated[str, Query(pattern=f"^({'|'.join(KINDS)})$")]
Search = Annotated[str, Query(max_length=500)]
Start = Annotated[int, Query(ge=0, le=MOST)]
Position = Annotated[int, Path(ge=0, le=MOST)]


def boards_of(request: Request) -> Boards:
    """Return the boards of this server."""
    boards: Boards = request.app.state.boards
    return boards


@router.get("/")
def campaigns(request: Request, desk: DeskOf) -> Response:
    """Show all campaigns, or the one that the caller may see."""
    caller = caller_of(request)
    names = desk.names() if caller.campaign is None else [caller.campaign]
    boards = [boards_of(request).of(desk.open(name)) for name in reversed(names)]
    shown = [(board.file.backend.standing(), board.known_verdicts) for board in boards]
    return page(request, "campaigns.html", shown=shown)


@router.get("/campaigns/{campaign:name}")
def campaign(
    request: Request,
    file: Readable,
    order: Order = "decision",
    kind: Kind = "all",
    search: Search = "",
    start: Start = 0,
) -> Response:
    """Show a campaign at a glance."""
    return _glance(request, "campaign.html", file, Choice(order, kind, search, start))


@router.get("/campaigns/{campaign:name}/glance")
def glance(
    request: Request,
    file: Readable,
    order: Order = "decision",
    kind: Kind = "all",
    search: Search = "",
    start: Start = 0,
) -> Response:
    """Show the parts of a campaign's page that change."""
    return _glance(request, "glance.html", file, Choice(order, kind, search, start))


def _glance(request: Request, template: str, file: File, choice: Choice) -> Response:
    board = boards_of(request).of(file)
    shown = board.glance()
    found = choice.of(shown.verdicts)
    answer = page(
        request,
        template,
        may_govern=caller_of(request).may("admin", file.backend.name),
        terms=file.terms,
        glance=shown,
        spent_words=spent_of(shown.standing),
        next_step=_next_step(shown),
        measure=Measure.of(shown.verdicts, shown.verdicts.said.unit),
        is_behind=board.is_behind,
        choice=choice,
        orders=ORDERS,
        kinds=KINDS,
        found=len(found),
        rows=found[choice.start : choice.start + PAGE],
        page_size=PAGE,
        strips=Strips(shown.verdicts),
        progress=progress_picture(shown.points, budget=shown.standing.budget, end=shown.end),
        progress_data=_progress_data(shown),
        allocation=allocation_picture(shown.verdicts),
    )
    boards_of(request).freshen(board)
    return answer


def _next_step(shown: Overview) -> str:
    """Return what to do next, for a reader who has the buttons of this page."""
    more = math.nan if shown.standing.is_open or shown.standing.arms > MOST_FORESEEN else shown.verdicts.more
    go_on = "start a worker (thresher work ADDRESS CAMPAIGN --command …)"
    return next_step(shown.verdicts, shown.standing, more, extend="Extend: {amount}", go_on=go_on)


def _progress_data(shown: Overview) -> str:
    points = [[point.spent, round(point.mistakes, 6)] for point in shown.points]
    end = None if shown.end is None else [shown.end.spent, round(shown.end.mistakes, 6)]
    return json.dumps({"points": points, "end": end, "budget": shown.standing.budget})


@router.get("/campaigns/{campaign:name}/arms/{position}")
def arm(request: Request, file: Readable, position: Position, start: Start = 0) -> Response:
    """Show one arm and its history."""
    known = file.arm(position)
    verdicts = boards_of(request).of(file).verdicts()
    if position >= len(verdicts):
        raise MissingError(f"The arm {position} is new; look again in a moment.")
    pulls = file.pulls(position)
    moments = running_intervals(file.terms, pulls, threshold=known.threshold, sigma=known.sigma)
    newest = pulls[::-1]
    return page(
        request,
        "arm.html",
        may_govern=caller_of(request).may("admin", file.backend.name),
        standing=file.backend.standing(),
        position=position,
        arm=known,
        row=verdicts[position],
        said=verdicts.said,
        measure=Measure.of(verdicts, verdicts.said.unit),
        bar=bar_of([verdicts[position]], verdicts.said).removesuffix("."),
        pulls=newest[start : start + PULLS],
        n_pulls=len(newest),
        start=start,
        page_size=PULLS,
        picture=running_picture(moments, threshold=known.threshold),
        data=json.dumps(_running_data(moments, known.threshold)),
    )


def _running_data(moments: list[Any], threshold: float) -> dict[str, Any]:
    columns = zip(*moments, strict=True) if moments else ((), (), (), ())
    names = ("pulls", "mean", "low", "high")
    known = {name: [_known(value) for value in column] for name, column in zip(names, columns, strict=True)}
    return {**known, "threshold": threshold}


def _known(value: float) -> float | None:
    return round(value, 6) if math.isfinite(value) else None


@router.get("/campaigns/{campaign:name}/log")
def log(request: Request, file: Readable, before: Start = 0) -> Response:
    """Show the event log, newest first."""
    standing = file.backend.standing()
    last = min(before - 1, standing.events) if before else standing.events
    entries = file.backend.history(after=max(last - LINES, 0), limit=min(LINES, max(last, 1)))
    lines = [(entry, sentence(entry)) for entry in reversed(entries) if entry.seq <= last]
    return page(request, "log.html", standing=standing, lines=lines, lines_size=LINES)
