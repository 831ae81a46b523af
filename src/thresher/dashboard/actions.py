"""Pages with forms: they work without JavaScript and redirect to the page that shows the change."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import count
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from thresher.campaign import VERBS, Campaign, Verb, items_in, look_alike, similar_note
from thresher.campaign.ledger import Terms
from thresher.campaign.storage import MemoryStorage
from thresher.dashboard.rendering import campaign_url, page
from thresher.dashboard.term_fields import (
    ASKED,
    BLANK,
    HIDDEN,
    NUMBERS,
    Number,
    Word,
    accept_term_fields,
    number_in,
    parts,
    terms_in,
)
from thresher.dashboard.uploads import Upload
from thresher.errors import InvalidInputError, ThresherError
from thresher.policy import Traits, list_policies
from thresher.problem import decoded
from thresher.service import MOST, CampaignRegistry, Governed, RegistryOf, needs

router = APIRouter(include_in_schema=False)

Key = Annotated[str, Form(max_length=200)]
Text = Annotated[str, Form(max_length=1_000_000)]
Reason = Annotated[str, Form(max_length=200)]
PREVIEW = 10
UNFOLDED = ("name", "arms", "threshold", "budget")  # fields that are always seen


def _shown(name: str, *rest: object) -> Response:
    return RedirectResponse(campaign_url(name, *rest), status_code=303)


def _change(verb: Verb) -> Callable[..., Response]:
    """Return the action of a form that changes the whole campaign, perhaps for a reason."""

    def change(served: Governed, reason: Reason = "") -> Response:
        served.backend.perform(verb, {"reason": reason} if verb.arguments else {})
        return _shown(served.backend.name)

    return change


for _verb in VERBS.values():
    if _verb.scope == "admin" and _verb.arguments in ([], ["reason"]):
        router.add_api_route(f"/campaigns/{{campaign:name}}/{_verb.path}", _change(_verb), methods=["POST"])


@router.post("/campaigns/{campaign:name}/extend")
def extend(served: Governed, amount: Number, key: Key) -> Response:
    """Add to the budget; a form that is submitted twice adds once."""
    Campaign(served.backend).extend(number_in("budget", amount), key=key or None)
    return _shown(served.backend.name)


@router.post("/campaigns/{campaign:name}/arms/{position}/void")
def void(
    served: Governed, position: Annotated[int, Path(ge=0, le=MOST)], ticket: Word, reason: Reason = ""
) -> Response:
    """Remove an outcome from the statistics."""
    Campaign(served.backend).void(ticket, reason=reason)
    return _shown(served.backend.name, "arms", position)


@router.post("/campaigns/{campaign:name}/arms/{position}/retire")
def retire(served: Governed, position: Annotated[int, Path(ge=0, le=MOST)]) -> Response:
    """Stop measuring an arm."""
    Campaign(served.backend).retire(served.arm(position).name)
    return _shown(served.backend.name, "arms", position)


@router.get("/new", dependencies=[needs("admin")])
def blank(request: Request, registry: RegistryOf) -> Response:
    """Show the form for a new campaign, with a name that is free."""
    taken = set(registry.names())
    name = next(each for each in (f"campaign {n}" for n in count(len(taken) + 1)) if each not in taken)
    return _form(request, BLANK | {"name": name})


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
    given = {"name": name, "threshold": threshold, "budget": budget, "sigma": sigma, "arms": arms, "items": items}
    given |= {term.name: terms[term.name] for term in ASKED}
    for field, sent in (("arms", file), ("items", items_file)):
        if sent is not None and sent.filename:
            try:
                given[field] = decoded(await sent.read(), sent.filename)
            except InvalidInputError as error:
                return _form(request, given, complaint=str(error), status=422)
    return await run_in_threadpool(_create, request, registry, given, wanted=action == "create")


accept_term_fields(create)
router.post("/new", dependencies=[needs("admin")])(create)


def _create(request: Request, registry: CampaignRegistry, given: dict[str, str], *, wanted: bool) -> Response:
    upload = Upload(given["arms"])
    try:
        terms = terms_in(given)
        numbers: dict[str, Any] = {key: number_in(key, given[key]) for key in NUMBERS if given[key].strip()}
        if upload.table.names and not upload.complaints:
            upload.check_numbers(Terms.of_new(**terms), threshold=numbers.get("threshold"), sigma=numbers.get("sigma"))
        items = items_in(given["items"]) if given["items"].strip() else None
        if "budget" not in numbers:
            raise InvalidInputError("budget", rule="must be the number of measurements that may be made")
        if not upload.complaints:
            place = registry.storage if wanted else MemoryStorage()  # a preview finds the errors of a creation
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # the form states the largest budget
                Campaign.create(place, given["name"], arms=upload.table, items=items, **numbers, **terms)
            if wanted:
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
        is_unfolded=any(given[key] != BLANK[key] for key in given if key not in UNFOLDED),
        policies=[each.name for each in list_policies() if _is_offered(each.traits)],
        upload=upload,
        complaint=complaint,
        shown=shown,
        similar="" if upload is None else similar_note(look_alike(upload.table.names)),
    )
