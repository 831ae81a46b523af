"""The bodies of requests and responses, as in the OpenAPI document.

Responses are the messages of :mod:`thresher.campaign` where JSON can represent them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from thresher.campaign import MOST_ITEMS, ControlStatistics, Entry, Receipt, Spending, Standing, Ticket, Verdict
from thresher.problem import MOST_MONEY, percent_in
from thresher.report import COLUMNS
from thresher.service.tokens import DAY, LONGEST_LABEL, TOKEN_LASTS
from thresher.terms import TERMS, Term

LARGEST_PAGE = 10_000
LONGEST_TEXT = 500  # of a term, which may be the name of an arm


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain NUL")
    return text


Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_without_nul)]
TicketId: TypeAlias = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_without_nul)]
Reason: TypeAlias = Annotated[str, Field(max_length=200), AfterValidator(_without_nul)]
Batch: TypeAlias = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_without_nul)]
Value: TypeAlias = bool | int | float


def rate_type(**limits: float) -> Any:
    """Return the type of a number that may be given in per cent, as ``"80%"``."""
    percent = Annotated[str, Field(pattern=r"^\s*[-+]?[0-9.]+\s*%\s*$")]
    shown = Annotated[float, Field(**limits)] | percent
    return Annotated[float, BeforeValidator(_number_of_rate, json_schema_input_type=shown)]


def _number_of_rate(value: Any) -> Any:
    rate = percent_in(value)
    return value if rate is None else rate


Rate: TypeAlias = rate_type()  # type: ignore[valid-type]


class Shape(BaseModel):
    """A body in which every key is known and every number is finite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class NewArm(Shape):
    """An arm with its own numbers; the others are those of the request."""

    arm: Name
    threshold: Rate | None = None
    sigma: float | None = None
    cost: float | None = None
    pull_cost: float | None = None


class NewArms(Shape):
    """Arms by name, or with their own numbers; the other members are defaults for all arms."""

    arms: Annotated[list[Name] | list[NewArm], Field(min_length=1)]
    threshold: Rate | None = None
    sigma: float | None = None
    costs: float | None = None
    pull_costs: float | None = None
    measured: Annotated[
        dict[Name, Annotated[int, Field(ge=0)]] | None,
        Field(description="Outcomes of each arm that are told next: the budget need not pay for them."),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the keywords of ``Campaign.create`` and ``Campaign.add_arms``: arms by name, or as columns."""
        values = self.model_dump(exclude={"name"})
        if isinstance(self.arms[0], NewArm):
            values["arms"] = {key: [row[key] for row in values["arms"]] for key in NewArm.model_fields}
        return values

    def names(self) -> list[str]:
        """Return the names of the arms."""
        return [(one.arm if isinstance(one, NewArm) else one).strip() for one in self.arms]


class NewCampaign(NewArms):
    """A new campaign: its name, budget, arms, items and terms."""

    name: Name
    budget: float
    items: Annotated[
        Annotated[list[Name], Field(min_length=1)] | Annotated[int, Field(ge=1, le=MOST_ITEMS)] | None,
        Field(description="The items that every arm can answer: names, or how many."),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the keywords of ``Campaign.create``, all but the name.

        A client of an older version also sends retired terms; at their defaults they are ignored.
        """
        values = super().given()
        retired = {term.name for term in TERMS if term.retired and values[term.name] == term.default}
        return {key: value for key, value in values.items() if key not in retired}


def _term_field(term: Term, limits: Mapping[str, float]) -> Any:
    """Return a term as a Pydantic field; unknown choices are rejected later, by an error that suggests one."""
    given: dict[str, Any] = {"description": term.help, "deprecated": term.retired or None, **limits}
    given |= {"max_length": LONGEST_TEXT} if term.is_text and not term.or_number else {}
    given |= {"json_schema_extra": {"enum": list(term.choices)}} if term.choices else {}
    kind = Annotated[str, Field(max_length=LONGEST_TEXT)] | float if term.or_number else term.kind
    return kind, Field(term.default, **given)


def _new_term_field(term: Term) -> Any:
    """Return a term of a new campaign as a Pydantic field: a rate may be given in per cent."""
    kind, field = _term_field(term, term.limits)
    return rate_type(**term.limits) if term.is_rate and kind is float else kind, field


_TERM_FIELDS: dict[str, Any] = {term.name: _new_term_field(term) for term in TERMS}
_STORED_FIELDS: dict[str, Any] = {term.name: _term_field(term, term.stored_limits) for term in TERMS}
if not TYPE_CHECKING:
    NewCampaign = create_model("NewCampaign", __base__=NewCampaign, __doc__=NewCampaign.__doc__, **_TERM_FIELDS)
_TERMS_SCHEMA = create_model("Terms", **_STORED_FIELDS).model_json_schema()


class AskRequest(Shape):
    """The largest number of tickets to issue."""

    n: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 1


class Tickets(BaseModel):
    """Tickets, and whether an ask can return a ticket, now or later."""

    tickets: list[Ticket]
    is_open: bool


class Outcome(Shape):
    """The outcome of a pull, and its cost if that is known only now."""

    ticket: TicketId
    outcome: Value
    cost: Annotated[float, Field(ge=0, le=MOST_MONEY)] | None = None


class TellRequest(Shape):
    """Outcomes of several pulls; all are recorded or none."""

    outcomes: list[Outcome]
    batch: Batch | None = None


class Receipts(BaseModel):
    """The receipts of outcomes, in their order."""

    receipts: list[Receipt]


class ItemAnswer(Shape):
    """The outcome of an arm on an item; `repeat` is the ordinal of the repeat, where the terms have repeats."""

    arm: Name
    item: Name
    outcome: Value
    repeat: Annotated[int, Field(ge=1, le=10**9)] = 1


class ItemOutcomes(Shape):
    """Outcomes of arms on items, without tickets; all are recorded or none."""

    outcomes: list[ItemAnswer]
    paid: bool = False
    batch: Batch | None = None


class PastArmShape(Shape):
    """What a past arm answered: outcomes in the order of the items, null where there is none."""

    name: Name
    outcomes: Annotated[list[Value | None], Field(min_length=1)]


class PastArms(Shape):
    """Past arms on the same items, which are neither measured nor judged."""

    arms: Annotated[list[PastArmShape], Field(min_length=1)]


class ScoreShape(Shape):
    """A cheap score of the answer of an arm to an item."""

    arm: Name
    item: Name
    score: Value


class Scores(Shape):
    """Cheap scores of answers, such as those of an LLM judge; all are stored or none."""

    scores: Annotated[list[ScoreShape], Field(min_length=1)]


class NewItems(Shape):
    """The names of new items."""

    items: Annotated[list[Name], Field(min_length=1)]


class ItemShape(BaseModel):
    """What is known of an item: outcomes are in the order of the arms, null where there is none.

    Where items are asked several times, `outcomes` are means, and `repeated` has all outcomes of every arm.
    """

    item: str
    answers: int
    mean: float | None
    effect: float
    outcomes: list[float | None]
    repeated: list[list[float | None]] = []


class ItemPage(BaseModel):
    """Items in order, and the arms; `next` is where the next page begins, null on the last."""

    items: list[ItemShape]
    arms: list[str]
    share: float
    next: int | None


class JudgedArm(BaseModel):
    """Agreement of scores and outcomes on the answers of one arm; `slope` is the weight of a score."""

    arm: str
    labels: int
    agreement: float | None
    slope: float
    low: float | None
    high: float | None
    score: float | None
    outcome: float | None


class JudgeShape(BaseModel):
    """How well scores agree with outcomes: a share if both are 0 or 1, else a correlation within arms."""

    labels: int
    is_binary: bool
    value: float | None
    low: float | None
    high: float | None
    chance: float | None
    share: float
    share_without: float
    saved: float
    spread: float
    arms: list[JudgedArm]
    sentences: list[str]
    warnings: list[str]


class Counts(Shape):
    """Outcomes of one arm as an aggregate: how many, their sum, the sum of their squares."""

    arm: Name
    n: Annotated[int, Field(ge=1, le=10**12)]
    total: Value
    squares: Value | None = None
    paid: bool = True
    batch: Batch | None = None


class KeyedCounts(Shape):
    """A row of a table of counts: an arm, the key that tells its counts apart, and the numbers."""

    arm: Name
    key: Annotated[str, Field(max_length=500)] = ""
    n: Annotated[int, Field(ge=1, le=10**12)]
    total: Value
    squares: Value | None = None


class CountTable(Shape):
    """Counts of many arms, as a version of a source."""

    counts: Annotated[list[KeyedCounts], Field(min_length=1)]
    source: Annotated[str, Field(max_length=500)] = "tell_counts"
    cumulative: bool = False
    replace: bool = False
    paid: bool = False
    batch: Batch | None = None


class ImportReceipt(BaseModel):
    """How many rows were told now and before, how many are missing and voided, and the id of the import."""

    told: int
    before: int
    arms: int
    batch: str
    missing: int
    voided: int


class LineGroup(Shape):
    """Lines with one outcome: how often each occurs, and their hashes in Base64, eight bytes each.

    A line that is an aggregate has its sum of squares, or null, and 0 times.
    """

    outcome: Value | None
    times: Annotated[int, Field(ge=0)]
    hashes: Annotated[str, Field(max_length=1_000_000)]


class SourceVersion(Shape):
    """A source, what makes two of its lines the same, and the imports of earlier versions of thresher it continues."""

    name: Annotated[str, Field(max_length=500)]
    form: Annotated[str, Field(max_length=500)]
    continues: list[Batch] = []


class NewLines(Shape):
    """Lines of one arm that a source adds: their number, sum, sum of squares and hashes."""

    source: Annotated[int, Field(ge=0)]
    arm: Name
    n: Annotated[int, Field(ge=1, le=10**12)]
    total: Value
    squares: Value | None = None
    lines: list[LineGroup]


class NewItemLine(Shape):
    """An outcome of an arm on an item that a source adds."""

    source: Annotated[int, Field(ge=0)]
    arm: Name
    item: Name
    outcome: Value
    repeat: Annotated[int, Field(ge=1, le=10**9)] = 1


class RemovedLines(Shape):
    """Lines that are removed from an aggregate, and the numbers that are left of it."""

    number: Annotated[int, Field(ge=1)]
    n: Annotated[int, Field(ge=1, le=10**12)]
    total: Value
    squares: Value | None = None
    removed: list[LineGroup]


class ImportRequest(Shape):
    """What an import changes, planned with the log up to event `after`; `outcomes` are those of items."""

    batch: Batch
    sources: list[SourceVersion]
    added: list[NewLines] = []
    outcomes: list[NewItemLine] = []
    voided: list[Annotated[int, Field(ge=1)]] = []
    reduced: list[RemovedLines] = []
    after: Annotated[int, Field(ge=0, lt=2**62)]
    paid: bool = False


class ImportEvent(BaseModel):
    """The number of the event that an import wrote."""

    seq: int


class Voidings(BaseModel):
    """The number of outcomes that were removed from the statistics."""

    voided: int


class Renewals(BaseModel):
    """The renewed tickets; null for each expired one."""

    tickets: list[Ticket | None]


@dataclass(frozen=True, kw_only=True)
class CampaignShape(Standing):
    """The standing of a campaign and its terms; newer terms are included only if they differ from their defaults."""

    terms: Annotated[dict[str, Any], WithJsonSchema(_TERMS_SCHEMA)]


@dataclass(frozen=True, kw_only=True)
class CreatedCampaign(CampaignShape):
    """The standing of a new campaign, its terms, and notes on its arms."""

    notes: list[str]


class Campaigns(BaseModel):
    """The standings of campaigns; `next` is where the next page begins, null on the last."""

    campaigns: list[Standing]
    next: int | None


def _shape_of(row: type, name: str, doc: str, **more: Any) -> Any:
    """Return the shape of a row; a number that is infinite or unknown is null."""
    fields: dict[str, Any] = get_type_hints(row)
    fields = {field: (hint | None if hint is float else hint, ...) for field, hint in fields.items()}
    return create_model(name, __doc__=doc, **fields, **more)


ControlShape = _shape_of(
    ControlStatistics, "Control", "What is known of the control; null for a number that is infinite or unknown."
)
VerdictShape = _shape_of(
    Verdict,
    "Verdict",
    "The verdict of one arm; null for a number that is infinite or unknown.",
    **{column.key: (float | str | None, ...) for column in COLUMNS if column.value is not None},
    sure=(bool, Field(description="The former name of proven.", deprecated=True)),
)


class VerdictPage(BaseModel):
    """Verdicts as of an event; `next` is where the next page begins, null on the last.

    `control` has the statistics of the control if the campaign has one, else it is null.
    """

    verdicts: list[VerdictShape]  # type: ignore[valid-type]
    control: ControlShape | None = None  # type: ignore[valid-type]
    summary: str
    counts: dict[str, int]
    expected_mistakes: float | None
    level: float
    spending: Spending
    notes: list[str]
    events: int
    next: int | None


class AllocatedArmShape(BaseModel):
    """What the next batch spends on one arm; `share` is of its measurements, `items` are empty without items."""

    arm: str
    measurements: int
    share: float
    cost: float
    items: list[str]


class AllocationShape(BaseModel):
    """How the next batch should be split over the arms; `note` says why it does not use the whole budget."""

    arms: list[AllocatedArmShape]
    budget: float
    cost: float
    measurements: int
    note: str


class OfferShape(BaseModel):
    """How many more measurements are expected to decide how many of the undecided arms; null if it is not known."""

    measurements: float | None
    decided: float | None
    n_open: int | None


class HistoryPage(BaseModel):
    """Events in order; `next` is the `after` of the next page, null on the last."""

    entries: list[Entry]
    next: int | None


class PullShape(BaseModel):
    """One pull of an arm."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    ticket: str
    state: str
    size: int
    value: float | None
    late: bool
    item: int | None = None
    repeat: int = 1


class PullPage(BaseModel):
    """Pulls of an arm; `next` is the `after` of the next page, null on the last."""

    pulls: list[PullShape]
    next: int | None


class Findings(BaseModel):
    """Differences between stored rows and the log; empty if there are none."""

    findings: list[str]


class Health(BaseModel):
    """The server is running."""

    status: str = "ok"


class NewToken(Shape):
    """A token to create; one of scope ``work`` is for one campaign, any other for all."""

    scope: Annotated[str, Field(max_length=20, description="read, work or admin.")] = "read"
    campaign: Name | None = None
    label: Annotated[str, Field(max_length=LONGEST_LABEL)] = ""
    days: Annotated[float, Field(gt=0, le=TOKEN_LASTS // DAY)] = TOKEN_LASTS / DAY


class CreatedToken(BaseModel):
    """A new token; `token` is its secret text, which is not shown again."""

    token: str
    id: str
    scope: str
    campaign: str | None
    notes: list[str]


class TokenShape(BaseModel):
    """A token, a browser session or a one-time code, without its secret."""

    id: str
    kind: str
    scope: str
    campaign: str | None
    label: str
    parent: Annotated[str, Field(description="The token that opened a session, else empty.")]
    made: datetime
    expires: datetime


class TokenList(BaseModel):
    """All tokens, oldest first."""

    tokens: list[TokenShape]


class RevokedToken(BaseModel):
    """The id of a token that was revoked, and the number of browser sessions that ended with it."""

    revoked: str
    sessions: int


class Acknowledgement(BaseModel):
    """The change was made, now or by an earlier request."""

    done: bool = True
