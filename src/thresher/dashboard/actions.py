"""The pages that change something: forms that need no script, each followed by the page that shows the change."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from thresher.campaign import Terms
from thresher.dashboard.rendering import campaign_url, page
from thresher.dashboard.term_fields import ASKED, BLANK, HIDDEN, NUMBERS, number_in, parts, terms_in
from thresher.dashboard.uploads import Upload
from thresher.errors import InvalidInputError, ThresherError
from thresher.live import Campaign
from thresher.live.items import items_in
from thresher.policy import Traits
from thresher.policy.listing import list_policies
from thresher.problem.arms_table import decoded
from thresher.service.context import MOST, DeskOf, Governed, needs
from thresher.terms import accept_terms

router = APIRouter(include_in_schema=False)

Key = Annotated[str, Form(max_length=200)]
Text = Annotated[str, Form(max_length=1_000_000)]
Word = Annotated[str, Form(max_length=500)]
Reason = Annotated[str, Form(max_length=200)]
Number = Annotated[str, Form(max_length=40)]
PREVIEW = 10


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
    file.backend.extend(number_in("budget", amount), key=key or None)
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


async def create(
    request: Request,
    desk: DeskOf,
    name: Word = "",
    threshold: Number = "",
    budget: Number = "",
    sigma: Number = "",
    arms: Text = "",
    file: UploadFile | None = None,
    items: Text = "",
    items_file: UploadFile | None = None,
    action: Word = "preview",
    **terms: str,
) -> Response:
    """Show what a campaign would be and what is wrong with it; create it if that is wanted and nothing is."""
    given = {"name": name, "threshold": threshold, "budget": budget, "sigma": sigma, "arms": arms, "items": items}
    given |= {term.name: terms[term.name] for term in ASKED}
    for field, sent in (("arms", file), ("items", items_file)):
        if sent is not None and sent.filename:
            try:
                given[field] = decoded(await sent.read(), sent.filename)
            except InvalidInputError as error:
                return _form(request, given, complaint=str(error), status=422)
    return await run_in_threadpool(_create, request, desk, given, wanted=action == "create")


accept_terms(create, lambda term: Word if term.kind is str else Number, default=lambda term: BLANK.get(term.name, ""))
router.post("/new", dependencies=[needs("admin")])(create)


def _create(request: Request, desk: Any, given: dict[str, str], *, wanted: bool) -> Response:
    upload = Upload(given["arms"])
    try:
        terms = terms_in(given)
        numbers: dict[str, Any] = {key: number_in(key, given[key]) for key in NUMBERS if given[key].strip()}
        if upload.table.names and not upload.complaints:
            upload.check_numbers(Terms(**terms), threshold=numbers.get("threshold"), sigma=numbers.get("sigma"))
        items = items_in(given["items"]) if given["items"].strip() else None
        if "budget" not in numbers:
            raise InvalidInputError("budget", rule="must be the number of measurements that may be made")
        if wanted and not upload.complaints:
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # the form states the largest budget
                Campaign.create(desk.storage, given["name"], arms=upload.table, items=items, **numbers, **terms)
            return _shown(given["name"])
    except ThresherError as error:
        return _form(request, given, upload=upload, complaint=str(error), status=422)
    return _form(request, given, upload=upload, status=422 if upload.complaints else 200)


def _is_offered(traits: Traits) -> bool:
    """Return whether a campaign can have a policy with these traits."""
    return not (traits.stops or traits.needs_truth or traits.needs_all_arms)


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
        parts=parts(),
        hidden=HIDDEN,
        policies=[each.name for each in list_policies() if _is_offered(each.traits)],
        upload=upload,
        complaint=complaint,
        shown=shown,
    )
