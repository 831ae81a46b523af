"""The pages that change something: forms that need no script, each followed by the page that shows the change."""

from __future__ import annotations

import math
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from thresher.campaign import Terms
from thresher.dashboard.rendering import campaign_url, page
from thresher.dashboard.uploads import Upload
from thresher.errors import InvalidProblemError, ThresherError
from thresher.live import Campaign
from thresher.problem import FAMILIES
from thresher.service.context import MOST, DeskOf, Governed, needs

router = APIRouter(include_in_schema=False)

Key = Annotated[str, Form(max_length=200)]
Text = Annotated[str, Form(max_length=1_000_000)]
Word = Annotated[str, Form(max_length=500)]
Reason = Annotated[str, Form(max_length=200)]
Number = Annotated[str, Form(max_length=40)]
CHOICES = [name for name in FAMILIES if name != "two-point"]
PREVIEW = 10
BLANK = {
    "name": "", "family": "bernoulli", "threshold": "", "budget": "", "sigma": "", "low": "0", "high": "1",
    "lease": "600", "arms": "",
}  # fmt: skip


def _shown(name: str, *rest: object) -> Response:
    return RedirectResponse(campaign_url(name, *rest), status_code=303)


@router.post("/campaigns/{campaign:name}/pause")
def pause(file: Governed) -> Response:
    """Hand out no tickets until it is resumed."""
    file.backend.pause()
    return _shown(file.backend.name)


@router.post("/campaigns/{campaign:name}/resume")
def resume(file: Governed) -> Response:
    """Hand out tickets again."""
    file.backend.resume()
    return _shown(file.backend.name)


@router.post("/campaigns/{campaign:name}/extend")
def extend(file: Governed, amount: Number, key: Key) -> Response:
    """Add to the budget; a form that is sent twice adds once."""
    file.backend.extend(_number("the budget", amount), key=key or None)
    return _shown(file.backend.name)


@router.post("/campaigns/{campaign:name}/close")
def close(file: Governed, reason: Reason = "") -> Response:
    """Hand out no tickets any more."""
    file.backend.close(reason=reason)
    return _shown(file.backend.name)


@router.post("/campaigns/{campaign:name}/arms/{position}/void")
def void(file: Governed, position: Annotated[int, Path(ge=0, le=MOST)], ticket: Word, reason: Reason = "") -> Response:
    """Take an outcome out of the statistics."""
    file.backend.void(ticket, reason=reason)
    return _shown(file.backend.name, "arms", position)


@router.post("/campaigns/{campaign:name}/arms/{position}/retire")
def retire(file: Governed, position: Annotated[int, Path(ge=0, le=MOST)]) -> Response:
    """Ask an arm no more."""
    file.backend.retire(file.arm(position).name)
    return _shown(file.backend.name, "arms", position)


@router.get("/new", dependencies=[needs("admin")])
def blank(request: Request) -> Response:
    """Show the form for a new campaign."""
    return _form(request, BLANK)


@router.post("/new", dependencies=[needs("admin")])
async def create(
    request: Request,
    desk: DeskOf,
    name: Word = BLANK["name"],
    family: Word = BLANK["family"],
    threshold: Number = BLANK["threshold"],
    budget: Number = BLANK["budget"],
    sigma: Number = BLANK["sigma"],
    low: Number = BLANK["low"],
    high: Number = BLANK["high"],
    lease: Number = BLANK["lease"],
    arms: Text = BLANK["arms"],
    file: UploadFile | None = None,
    action: Word = "preview",
) -> Response:
    """Show what a campaign would be and what is wrong with it; create it if that is wanted and nothing is."""
    if file is not None and file.filename:
        arms = (await file.read()).decode("utf-8", "replace")
    given = {
        "name": name, "family": family, "threshold": threshold, "budget": budget, "sigma": sigma, "low": low,
        "high": high, "lease": lease, "arms": arms,
    }  # fmt: skip
    return await run_in_threadpool(_create, request, desk, given, wanted=action == "create")


def _create(request: Request, desk: Any, given: dict[str, str], *, wanted: bool) -> Response:
    upload = Upload(given["arms"])
    try:
        asked = _keywords(given)
        numbers = {key: asked[key] for key in ("family", "low", "high", "lease") if key in asked}
        if upload.table.names and not upload.complaints:
            upload.check_numbers(Terms(**numbers), threshold=asked["threshold"], sigma=asked.get("sigma"))
        if wanted and not upload.complaints:
            Campaign.create(desk.storage, given["name"], arms=upload.table, **asked)
            return _shown(given["name"])
    except ThresherError as error:
        return _form(request, given, upload=upload, complaint=str(error), status=422)
    return _form(request, given, upload=upload, status=422 if upload.complaints else 200)


def _keywords(given: dict[str, str]) -> dict[str, Any]:
    """Return the form as the keywords of ``Campaign.create``, all but the name and the arms."""
    asked: dict[str, Any] = {"family": given["family"], "threshold": None}
    for key in ("threshold", "budget", "sigma", "low", "high", "lease"):
        is_for_bounded = key in ("low", "high")
        if given[key].strip() and (given["family"] == "bounded" or not is_for_bounded):
            asked[key] = _number(f"the {key}", given[key])
    if "budget" not in asked:
        raise InvalidProblemError("no budget", instead="say how many measurements may be made")
    return asked


def _number(what: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidProblemError(f"{what} is {text[:40]!r}", instead="give a number")
    return number


def _form(
    request: Request, given: dict[str, str], *, upload: Upload | None = None, complaint: str = "", status: int = 200
) -> Response:
    columns = {} if upload is None else upload.table.columns
    shown = list(zip(*(cells[:PREVIEW] for cells in columns.values()), strict=True))
    return page(
        request,
        "new.html",
        status=status,
        given=given,
        families=CHOICES,
        upload=upload,
        complaint=complaint,
        shown=shown,
    )
