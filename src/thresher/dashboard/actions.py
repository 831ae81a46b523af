"""Pages with forms: they work without JavaScript and redirect to the page that shows the change."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from thresher.campaign import Terms
from thresher.dashboard.rendering import campaign_url, page
from thresher.dashboard.uploads import Upload
from thresher.errors import InvalidInputError, ThresherError
from thresher.live import Campaign
from thresher.live.items import items_in
from thresher.policy import Traits
from thresher.policy.listing import list_policies
from thresher.service.context import MOST, Governed, RegistryOf, needs
from thresher.terms import OFFERED, Term, accept_terms

router = APIRouter(include_in_schema=False)

Key = Annotated[str, Form(max_length=200)]
Text = Annotated[str, Form(max_length=1_000_000)]
Word = Annotated[str, Form(max_length=500)]
Reason = Annotated[str, Form(max_length=200)]
Number = Annotated[str, Form(max_length=40)]
PREVIEW = 10
ASKED = tuple(term for term in OFFERED if term.label)  # terms in the form
HIDDEN = "two-point"  # the toy of the paper: a family for simulations
# The terms in the order of the form, by section; all others are among the advanced options.
PARTS = {
    "outcomes": ("family", "unit", "low", "high"),
    "bar": ("passes", "tolerance"),
    "stop": ("stop_mistakes", "stop_price"),
    "decisions": ("risk", "guarantee", "goal"),
}
NUMBERS = ("threshold", "budget", "sigma")  # in the form beside the terms
BLANK = dict.fromkeys(("name", "arms", "items", *NUMBERS), "") | {
    term.name: str(term.default) if term.kind is str else f"{term.default:g}" for term in ASKED
}


def _shown(name: str, *rest: object) -> Response:
    return RedirectResponse(campaign_url(name, *rest), status_code=303)


@router.post("/campaigns/{campaign:name}/pause")
def pause(served: Governed) -> Response:
    """Stop issuing tickets until the campaign is resumed."""
    served.backend.pause()
    return _shown(served.backend.name)


@router.post("/campaigns/{campaign:name}/resume")
def resume(served: Governed) -> Response:
    """Issue tickets again."""
    served.backend.resume()
    return _shown(served.backend.name)


@router.post("/campaigns/{campaign:name}/extend")
def extend(served: Governed, amount: Number, key: Key) -> Response:
    """Add to the budget; a form that is submitted twice adds once."""
    served.backend.extend(_number("budget", amount), key=key or None)
    return _shown(served.backend.name)


@router.post("/campaigns/{campaign:name}/close")
def close(served: Governed, reason: Reason = "") -> Response:
    """Close the campaign: issue no more tickets."""
    served.backend.close(reason=reason)
    return _shown(served.backend.name)


@router.post("/campaigns/{campaign:name}/arms/{position}/void")
def void(
    served: Governed, position: Annotated[int, Path(ge=0, le=MOST)], ticket: Word, reason: Reason = ""
) -> Response:
    """Remove an outcome from the statistics."""
    served.backend.void(ticket, reason=reason)
    return _shown(served.backend.name, "arms", position)


@router.post("/campaigns/{campaign:name}/arms/{position}/retire")
def retire(served: Governed, position: Annotated[int, Path(ge=0, le=MOST)]) -> Response:
    """Stop measuring an arm."""
    served.backend.retire(served.arm(position).name)
    return _shown(served.backend.name, "arms", position)


@router.get("/new", dependencies=[needs("admin")])
def blank(request: Request) -> Response:
    """Show the form for a new campaign."""
    return _form(request, BLANK)


async def create(
    request: Request,
    registry: RegistryOf,
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
    """Preview a campaign with its errors; create it if requested and there are none."""
    if file is not None and file.filename:
        arms = (await file.read()).decode("utf-8", "replace")
    if items_file is not None and items_file.filename:
        items = (await items_file.read()).decode("utf-8", "replace")
    given = {"name": name, "threshold": threshold, "budget": budget, "sigma": sigma, "arms": arms, "items": items}
    given |= {term.name: terms[term.name] for term in ASKED}
    return await run_in_threadpool(_create, request, registry, given, wanted=action == "create")


accept_terms(create, lambda term: Word if term.kind is str else Number, default=lambda term: BLANK.get(term.name, ""))
router.post("/new", dependencies=[needs("admin")])(create)


def _create(request: Request, registry: Any, given: dict[str, str], *, wanted: bool) -> Response:
    upload = Upload(given["arms"])
    try:
        terms = Terms(**_terms(given))
        numbers: dict[str, Any] = {key: _number(key, given[key]) for key in NUMBERS if given[key].strip()}
        if upload.table.names and not upload.complaints:
            upload.check_numbers(terms, threshold=numbers.get("threshold"), sigma=numbers.get("sigma"))
        items = items_in(given["items"]) if given["items"].strip() else None
        if "budget" not in numbers:
            raise InvalidInputError("budget", rule="must be the number of measurements that may be made")
        if wanted and not upload.complaints:
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # the form states the largest budget
                Campaign.create(
                    registry.storage, given["name"], arms=upload.table, items=items, **numbers, **_terms(given)
                )
            return _shown(given["name"])
    except ThresherError as error:
        return _form(request, given, upload=upload, complaint=str(error), status=422)
    return _form(request, given, upload=upload, status=422 if upload.complaints else 200)


def _terms(given: dict[str, str]) -> dict[str, Any]:
    """Return the terms of a form; one that is blank, or that the family does not use, keeps its default."""
    used = [term for term in ASKED if given[term.name].strip() and term.only_for in ("", given["family"])]
    return {term.name: given[term.name] if term.kind is str else _number(term.name, given[term.name]) for term in used}


def _number(where: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInputError(where, text, rule="must be a number") from error


def _parts() -> dict[str, list[Term]]:
    """Return the terms of the form by its parts."""
    terms = {term.name: term for term in ASKED}
    parts = {part: [terms[name] for name in names] for part, names in PARTS.items()}
    placed = {name for names in PARTS.values() for name in names}
    return parts | {"further": [term for term in ASKED if term.name not in placed]}


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
        parts=_parts(),
        hidden=HIDDEN,
        policies=[each.name for each in list_policies() if _is_offered(each.traits)],
        upload=upload,
        complaint=complaint,
        shown=shown,
    )
