"""What travels: the bodies of requests and answers, as the OpenAPI document shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from thresher.campaign import Pull
from thresher.live import Entry, Verdict

LARGEST_PAGE = 10_000


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("a NUL")
    return text


Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_without_nul)]
TicketId: TypeAlias = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_without_nul)]
Reason: TypeAlias = Annotated[str, Field(max_length=200), AfterValidator(_without_nul)]
Value: TypeAlias = bool | int | float


class Shape(BaseModel):
    """A body in which every key is known and every number is one."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class NewArm(Shape):
    """An arm with numbers of its own; what is not given is the campaign's."""

    arm: Name
    threshold: float | None = None
    sigma: float | None = None
    cost: float | None = None
    pull_cost: float | None = None


class NewArms(Shape):
    """Arms by name, or with numbers of their own; numbers given beside them are for all."""

    arms: Annotated[list[Name] | list[NewArm], Field(min_length=1)]
    threshold: float | None = None
    sigma: float | None = None
    costs: float | None = None
    pull_costs: float | None = None

    def given(self) -> dict[str, Any]:
        """Return the arms as the keywords of ``Campaign.create`` and ``Campaign.add_arms``."""
        numbers = self.model_dump(include={"threshold", "sigma", "costs", "pull_costs"})
        return {"arms": _columns(self.arms), **numbers}


class NewCampaign(NewArms):
    """A campaign to be."""

    name: Name
    budget: float
    family: Annotated[str, Field(max_length=40)] = "bernoulli"
    policy: Annotated[str, Field(max_length=200)] = "stopping"
    lease: float = 600.0
    expiry: Annotated[str, Field(max_length=40)] = "reissue"
    low: float = 0.0
    high: float = 1.0
    stop_price: float = 0.0
    stop_mistakes: float = 0.0
    false_pass: float = 1.0
    false_fail: float = 1.0
    abstain: float = 1.0
    confidence: float = 0.05

    def given(self) -> dict[str, Any]:
        """Return the campaign as the keywords of ``Campaign.create``, all but the name."""
        return self.model_dump(exclude={"arms", "name"}) | super().given()


def _columns(arms: list[str] | list[NewArm]) -> list[str] | dict[str, list[Any]]:
    names = [arm for arm in arms if isinstance(arm, str)]
    if names:
        return names
    rows = [arm.model_dump() for arm in arms if isinstance(arm, NewArm)]
    return {key: [row[key] for row in rows] for key in rows[0]}


class Wish(Shape):
    """How many tickets are wanted."""

    n: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 1


class TicketShape(BaseModel):
    """One pull handed out."""

    id: str
    arm: str
    expires: datetime


class Tickets(BaseModel):
    """Tickets, and whether there may be more later if there are none now."""

    tickets: list[TicketShape]
    is_open: bool


class Outcome(Shape):
    """What came of a pull."""

    ticket: TicketId
    outcome: Value


class Outcomes(Shape):
    """What came of several pulls; they are taken all or none."""

    outcomes: list[Outcome]


class ReceiptShape(BaseModel):
    """What became of an outcome."""

    ticket: str
    arm: str
    replayed: bool
    late: bool
    used: bool


class Receipts(BaseModel):
    """What became of the outcomes, in their order."""

    receipts: list[ReceiptShape]


class Counts(Shape):
    """Outcomes of one arm as an aggregate: how many, their sum, the sum of their squares."""

    arm: Name
    n: Annotated[int, Field(ge=1, le=10**12)]
    total: Value
    squares: Value | None = None
    paid: bool = True


class TicketAndReason(Shape):
    """A ticket, and why."""

    ticket: TicketId
    reason: Reason = ""


class Amendment(Shape):
    """The outcome that a pull should have."""

    ticket: TicketId
    outcome: Value
    reason: Reason = ""


class TicketList(Shape):
    """Tickets."""

    tickets: list[TicketId]


class Renewals(BaseModel):
    """The renewed tickets; null stands for one that was lost."""

    tickets: list[TicketShape | None]


class ArmName(Shape):
    """An arm."""

    arm: Name


class Amount(Shape):
    """An amount of budget."""

    amount: float


class ReasonOnly(Shape):
    """Why."""

    reason: Reason = ""


class StandingShape(BaseModel):
    """How a campaign stands; money is in the unit of the pull costs."""

    name: str
    status: str
    is_open: bool
    budget: float
    spent: float
    outstanding: float
    arms: int
    told: int
    late: int
    events: int
    note: str


class CampaignShape(StandingShape):
    """How a campaign stands, and its terms."""

    terms: dict[str, Any]


class Campaigns(BaseModel):
    """How campaigns stand; `next` is where the next page begins, null on the last."""

    campaigns: list[StandingShape]
    next: int | None


class VerdictShape(BaseModel):
    """What is known of one arm; null stands for an end of the interval that is not known, and for other unknowns."""

    arm: str
    verdict: str
    sure: bool
    mean: float | None
    pulls: int
    low: float | None
    high: float | None
    p_wrong: float | None
    price: float | None
    threshold: float
    outstanding: int
    retired: bool


class VerdictPage(BaseModel):
    """Verdicts as of an event; `next` is where the next page begins, null on the last."""

    verdicts: list[VerdictShape]
    expected_mistakes: float | None
    notes: list[str]
    events: int
    next: int | None


class EntryShape(BaseModel):
    """One line of a campaign's history."""

    seq: int
    at: datetime
    kind: str
    details: dict[str, Any]


class History(BaseModel):
    """What happened, in order; `next` is the `after` of the next page, null on the last."""

    entries: list[EntryShape]
    next: int | None


class PullShape(BaseModel):
    """One pull of an arm, from the ask to the verdict."""

    number: int
    ticket: str
    state: str
    size: int
    value: float | None
    late: bool


class PullPage(BaseModel):
    """Pulls of an arm; `next` is the `after` of the next page, null on the last."""

    pulls: list[PullShape]
    next: int | None


class Findings(BaseModel):
    """What is not as it was written; empty if all is well."""

    findings: list[str]


class Health(BaseModel):
    """That the server is there."""

    status: str = "ok"


class Done(BaseModel):
    """That it was done, or had been done before."""

    done: bool = True


def verdict_shape(row: Verdict) -> dict[str, Any]:
    """Return a verdict as it travels."""
    return {key: _or_none(value) for key, value in row.to_dict().items()}


def entry_shape(entry: Entry) -> dict[str, Any]:
    """Return a line of the history as it travels."""
    return {"seq": entry.seq, "at": entry.at, "kind": entry.kind, "details": entry.details}


def pull_shape(pull: Pull) -> dict[str, Any]:
    """Return a pull as it travels."""
    row = pull._asdict()
    return {key: row[key] for key in PullShape.model_fields} | {"late": bool(pull.late)}


def _or_none(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def finite(value: float) -> float | None:
    """Return a number, or None where it is not finite: JSON has no other way to say so."""
    return value if math.isfinite(value) else None


def next_page(rows: list[Any] | Mapping[Any, Any], limit: int, last: int) -> int | None:
    """Return where the next page begins if this one is full."""
    return last if len(rows) == limit else None
