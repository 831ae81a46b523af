"""The routes of the verbs that are declared once: see :mod:`thresher.campaign.verbs`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, create_model

from thresher.campaign import VERBS, Verb
from thresher.service import shapes
from thresher.service.context import Governed, Key, Workable
from thresher.service.settings import API
from thresher.service.strict import StrictRoute

CALLERS: dict[str, Any] = {"work": Workable, "admin": Governed}  # by scope
TAGS = {"work": "workers", "admin": "campaigns"}
ANSWERS = {  # the shapes of responses
    "done": shapes.Acknowledgement,
    "standing": shapes.CampaignShape,
    "voided": shapes.Voidings,
    "tickets": shapes.Renewals,
}
ARGUMENTS: dict[str, Any] = {  # their types in a body
    "ticket": shapes.TicketId,
    "tickets": list[shapes.TicketId],
    "reason": shapes.Reason,
    "batch": shapes.Batch,
    "arm": shapes.Name,
    "budget": float,
    "outcome": shapes.Value,
    "n": Annotated[int, Field(ge=1, le=10**12)] | None,
    "squares": shapes.Value | None,
}
# Names and descriptions of bodies in the OpenAPI document, by their arguments; any other is named after its verb.
BODIES = {
    ("ticket", "reason"): ("TicketAndReason", "A ticket and a reason."),
    ("tickets",): ("TicketList", "Tickets whose leases are to be renewed."),
    ("batch", "reason"): ("BatchAndReason", "The id of an import and a reason."),
    ("ticket", "outcome", "n", "squares", "reason"): (
        "Amendment",
        "The new outcome of a pull, with a reason; of an aggregate the new sum, number and sum of squares.",
    ),
    ("arm",): ("ArmName", "The name of an arm."),
    ("budget",): ("Amount", "An amount of budget."),
    ("reason",): ("ReasonOnly", "A reason."),
}

router = APIRouter(prefix=API + "/campaigns/{campaign:name}", route_class=StrictRoute)


def body_of(verb: Verb) -> type[BaseModel] | None:
    """Return the shape of the body of a verb; None if it takes nothing, or only an idempotency key."""
    if not verb.members:
        return None
    own = f"{verb.name.title().replace('_', '')}Request", f"The arguments of {verb.name}."
    title, about = BODIES.get(tuple(verb.members), own)
    fields: dict[str, Any] = {}
    for name, member in verb.members.items():
        default = verb.signature.parameters[name].default
        fields[member] = ARGUMENTS[name], ... if default is inspect.Parameter.empty else default
    return create_model(title, __base__=shapes.Shape, __doc__=about, **fields)


def _endpoint(verb: Verb, body: type[BaseModel] | None) -> Callable[..., Any]:
    """Return the function of a route, with the signature from which FastAPI reads what a request has."""

    def endpoint(served: Any, given: Any = None, key: str | None = None) -> Any:
        values = {name: getattr(given, member) for name, member in verb.members.items()}
        returned = served.backend.perform(verb, values | ({"key": key} if verb.takes_key else {}))
        if verb.answer == "standing":
            return served.shown()
        return shapes.Acknowledgement() if verb.answer == "done" else {verb.answer: returned}

    taken = {"served": CALLERS[verb.scope]} | ({} if body is None else {"given": body})
    one_by_name = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(name, one_by_name, annotation=kind) for name, kind in taken.items()]
    if verb.takes_key:
        parameters.append(inspect.Parameter("key", one_by_name, default=None, annotation=Key))
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return endpoint


for _verb in VERBS.values():
    router.add_api_route(
        f"/{_verb.path}",
        _endpoint(_verb, body_of(_verb)),
        methods=["POST"],
        name=_verb.name,
        description=_verb.description,
        response_model=ANSWERS[_verb.answer],
        tags=[TAGS[_verb.scope]],
    )
