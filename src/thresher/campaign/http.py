"""The backend of a campaign behind a service."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from thresher.campaign.allocation import Allocation
from thresher.campaign.arguments import check_ticket, checked
from thresher.campaign.arms import ArmRow
from thresher.campaign.creation import first_signals
from thresher.campaign.inputs import (
    batch_of,
    history_range,
    key_of,
    lookup_name,
    repeat_of,
    ticket_count,
)
from thresher.campaign.ledger import (
    IMPORT_KINDS,
    Aggregate,
    ImportCommand,
    ImportLog,
    PastArm,
    Score,
    Terms,
    cost_of,
    outcome_of,
    read_event,
    score_of,
)
from thresher.campaign.messages import Entry, Receipt, Standing, Ticket, ToldItem
from thresher.campaign.service_client import LONGEST_POLL, ServiceClient, path_of
from thresher.campaign.signal_inputs import NO_SIGNALS, GivenSignals
from thresher.campaign.verbs import VERBS, Verb
from thresher.errors import (
    CampaignExistsError,
    CorruptionError,
    InvalidInputError,
    StorageUnavailableError,
)
from thresher.problem import amount_of, ticks_of

if TYPE_CHECKING:
    from thresher.campaign.service_judging import ServiceJudging

ARMS_IN_A_CALL = 2000
BYTES_IN_A_CALL = 400_000  # of names of items; a service accepts a megabyte
NUMBERS_IN_A_CALL = 4000  # scores, or outcomes of past arms
NO_TERMS = {"name", "budget", "arms", "items"}  # of the request that creates a campaign


class HttpBackend:
    """One campaign behind a service."""

    lines_in_an_import = 4000  # of one request: a service accepts a megabyte

    def __init__(self, client: ServiceClient, name: str) -> None:
        self._client, self.name = client, name
        self.terms = Terms.from_dict(client.call("GET", path_of(name))["terms"])

    @cached_property
    def judging(self) -> ServiceJudging:
        """What the service concludes; a process that only asks and tells does not load it."""
        from thresher.campaign.service_judging import ServiceJudging

        return ServiceJudging(self._client, self.name, self.terms)

    def _post(self, what: str, body: Any = None, **given: Any) -> Any:
        return self._client.call("POST", path_of(self.name, what), body=body, **given)

    def perform(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Perform a verb by one request; return what it returns."""
        sent = checked(self, given)
        body = _given(**{member: sent[name] for name, member in verb.members.items()})
        key = (sent["key"] or _new_key()) if verb.takes_key else None
        answer = self._post(verb.path, body if verb.members else None, key=key)
        return READERS[verb.answer](answer[verb.answer]) if verb.answer in READERS else None

    def ask(self, n: int, *, key: str | None = None) -> list[Ticket]:
        """Return up to `n` tickets."""
        answer = self._post("ask", {"n": ticket_count(n)}, key=key_of(key) or _new_key())
        return [_ticket(row) for row in answer["tickets"]]

    def allocate(self, budget: Any) -> Allocation:
        """Return how a batch of that cost should be split over the arms."""
        amount = amount_of(ticks_of(budget, what="budget"))
        return Allocation.from_dict(self._client.call("GET", path_of(self.name, "allocation"), budget=amount))

    def tell(self, outcomes: Sequence[tuple[str, Any, Any]], *, batch: str | None = None) -> list[Receipt]:
        """Record (ticket, outcome, cost or None) triples, all or none; return their receipts."""
        told = [
            {"ticket": check_ticket(self.name, ticket), "outcome": outcome_of(self.terms, value)}
            | _given(cost=None if (ticks := cost_of(cost, self.terms)) is None else amount_of(ticks))
            for ticket, value, cost in outcomes
        ]
        if not told:
            return []
        body = {"outcomes": told} | _given(batch=batch_of(batch))
        return [Receipt(**row) for row in self._post("tell", body)["receipts"]]

    def tell_items(self, outcomes: Sequence[ToldItem], *, paid: bool, batch: str | None = None) -> list[Receipt]:
        """Record outcomes by arm, item and ordinal, all or none; return their receipts."""
        told = [
            {
                "arm": lookup_name("arm", arm),
                "item": lookup_name("item", item),
                "outcome": outcome_of(self.terms, value),
            }
            | ({} if repeat is None else {"repeat": repeat_of(repeat)})
            for arm, item, value, repeat in outcomes
        ]
        body = {"outcomes": told, "paid": paid} | _given(batch=batch_of(batch))
        return [Receipt(**row) for row in self._post("items/tell", body)["receipts"]]

    def tell_history(self, past: Sequence[PastArm]) -> None:
        """Store outcomes of past arms, some arms in each call; an arm that is stored already is not stored again."""
        size = max(NUMBERS_IN_A_CALL // max((len(arm.outcomes) for arm in past), default=1), 1)
        for i in range(0, len(past), size):
            self._post("history", {"arms": [arm._asdict() for arm in past[i : i + size]]})

    def tell_proxy(self, scores: Sequence[Score]) -> None:
        """Store scores of answers, some in each call; a score that is stored already is not stored again."""
        for i in range(0, len(scores), NUMBERS_IN_A_CALL):
            told = [
                {"arm": score.arm, "item": score.item, "score": score_of(score)}
                for score in scores[i : i + NUMBERS_IN_A_CALL]
            ]
            self._post("proxy", {"scores": told})

    def tell_counts(self, arm: str, sums: Aggregate, *, paid: bool, key: str | None, batch: str | None) -> Receipt:
        """Record aggregated outcomes of one arm; return the receipt."""
        body = {"arm": lookup_name("arm", arm), "n": sums.count, "total": sums.total, "paid": bool(paid)}
        body |= _given(squares=sums.squares, batch=batch_of(batch))
        return Receipt(**self._post("counts", body, key=key_of(key) or _new_key()))

    def imports(self) -> ImportLog:
        """Return what imports told."""
        log = ImportLog()
        for page in self._client.pages(path_of(self.name, "history"), "entries"):
            for row in page["entries"]:
                if row["kind"] in IMPORT_KINDS:
                    log.add(read_event(row["kind"], json.dumps(row["details"])))
                log.seq = row["seq"]
        return log

    def store_import(self, command: ImportCommand) -> int:
        """Write an import in one transaction; return the number of its event."""
        body = {
            "batch": batch_of(command.batch),
            "sources": [{"name": name, "form": form, "continues": more} for name, form, more in command.sources],
            "added": [
                {"source": one.source, "arm": lookup_name("arm", one.arm), "lines": _lines(one.lines)} | _sums(one.sums)
                for one in command.added
            ],
            "outcomes": [
                {"source": one.source, "arm": lookup_name("arm", one.arm), "item": lookup_name("item", one.item)}
                | ({"outcome": one.value} if one.repeat == 1 else {"outcome": one.value, "repeat": one.repeat})
                for one in command.outcomes
            ],
            "voided": command.voided,
            "reduced": [
                {"number": one.number, "removed": _lines(one.removed)} | _sums(one.sums) for one in command.reduced
            ],
            "after": command.after,
            "paid": command.paid,
        }
        seq: int = self._post("import", body, key=command.key)["seq"]
        return seq

    def add_arms(self, rows: Sequence[ArmRow], *, measured: Mapping[str, int] | None = None) -> None:
        """Add arms, in several calls if there are many; `measured` has the number of outcomes told next, by arm."""
        for part in _parts(rows):
            body = {"arms": _arms(self.terms, part)} | _given(measured=_measured(part, measured))
            self._post("arms", body, is_repeatable=False)

    def add_items(self, names: Sequence[str]) -> None:
        """Add items, in several calls if there are many."""
        for part in _parts_of_items(names):
            self._post("items", {"items": part}, is_repeatable=False)

    def standing(self) -> Standing:
        """Return status, budget and counts of the campaign."""
        return standing_of(self._client.call("GET", path_of(self.name)))

    def history(self, *, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return the events in order."""
        first, most = history_range(after, limit)
        pages = self._client.pages(path_of(self.name, "history"), "entries", after=first, most=most)
        rows = [row for page in pages for row in page["entries"]]
        return [Entry(row["seq"], datetime.fromisoformat(row["at"]), row["kind"], row["details"]) for row in rows]

    def verify(self) -> None:
        """Make the service replay the log and compare the stored rows with it."""
        if findings := self._post("verify")["findings"]:
            raise CorruptionError(self.name, findings)

    def wait(self, seconds: float) -> None:
        """Wait until an ask may return a ticket, by a long poll."""
        self._client.call("GET", path_of(self.name), wait=max(seconds, LONGEST_POLL))

    def disconnect(self) -> None:
        """Close the connections."""
        self._client.close()


def create_over_http(
    client: ServiceClient,
    name: str,
    terms: Terms,
    rows: Sequence[ArmRow],
    *,
    budget: float,
    items: Sequence[str] = (),
    measured: Mapping[str, int] | None = None,
    signals: GivenSignals = NO_SIGNALS,
) -> HttpBackend:
    """Create a campaign behind a service; return it.

    Many arms or items need several calls: the first one creates the campaign, the others add arms and items. History
    and scores are told in calls of their own; they are checked before the first.
    """
    first_signals(name, terms, [row[0] for row in rows], items, signals)
    first, *rest = _parts(rows)
    if terms.control and terms.control not in [row[0] for row in first]:
        rule = f"must be one of the first {ARMS_IN_A_CALL} arms, which the request that creates the campaign has"
        raise InvalidInputError("control", terms.control, rule=rule)
    body: dict[str, Any] = {
        "name": name,
        "budget": amount_of(ticks_of(budget)),
        "arms": _arms(terms, first),
        **terms.to_dict(),
        **_given(measured=_measured(first, measured)),
    }
    first_items, *more_items = _parts_of_items(items)
    body |= {"items": first_items} if items else {}
    backend = _create_once(client, name, body)
    for part in rest:
        backend.add_arms(part, measured=measured)
    for names in more_items:
        backend.add_items(names)
    if rest or more_items:
        # The first call cut the budget down to what its arms and items cost.
        whole = len(items) * terms.repeats * sum(row[4] for row in rows)
        most = min(ticks_of(budget), whole if items else ticks_of(budget))
        if (missing := most - ticks_of(backend.standing().budget)) > 0:
            backend.perform(VERBS["extend"], {"budget": amount_of(missing), "key": None})
    backend.tell_history(signals.past)
    backend.tell_proxy(signals.scores)
    return backend


def _create_once(client: ServiceClient, name: str, body: dict[str, Any]) -> HttpBackend:
    """Create a campaign; if the response is lost, repeat the call and recognise what the first one created."""
    try:
        client.call("POST", "/campaigns", body=body, is_repeatable=False)
        return HttpBackend(client, name)
    except StorageUnavailableError as error:
        if getattr(error.__cause__, "is_unreached", True):
            raise
    try:
        client.call("POST", "/campaigns", body=body)
    except CampaignExistsError:
        if not _is_as_asked(made := HttpBackend(client, name), body):
            raise
        return made
    return HttpBackend(client, name)


def _is_as_asked(made: HttpBackend, body: dict[str, Any]) -> bool:
    """Return whether a campaign is the one that a request would create, without asks or outcomes yet."""
    now, control = made.standing(), made.terms.control
    is_same = made.terms.to_dict() == {key: body[key] for key in body.keys() - NO_TERMS}
    if now.told or now.spent or now.outstanding or not is_same:
        return False
    return [row.arm for row in made.judging.verdicts()] == [arm["arm"] for arm in body["arms"] if arm["arm"] != control]


def list_over_http(client: ServiceClient, *, archived: bool) -> list[Standing]:
    """Return the standing of each campaign of a service, oldest first."""
    pages = client.pages("/campaigns", "campaigns", size=1000, archived="true" if archived else None)
    return [standing_of(row) for page in pages for row in page["campaigns"]]


def standing_of(row: dict[str, Any]) -> Standing:
    """Return the standing in a response; an older service sends no note."""
    return Standing(**{field.name: row[field.name] for field in fields(Standing) if field.name in row})


def _given(**members: Any) -> dict[str, Any]:
    """Return the members that are given: an older service refuses unknown members."""
    return {name: value for name, value in members.items() if value is not None}


def _lines(groups: Sequence[tuple[float | None, int, str]]) -> list[dict[str, Any]]:
    return [{"outcome": outcome, "times": times, "hashes": hashes} for outcome, times, hashes in groups]


def _sums(sums: Aggregate) -> dict[str, Any]:
    return {"n": sums.count, "total": sums.total} | _given(squares=sums.squares)


def _ticket(row: dict[str, Any]) -> Ticket:
    return Ticket(row["id"], row["arm"], datetime.fromisoformat(row["expires"]), row.get("item"), row.get("repeat"))


# What a verb returns, from the member of the response that has it.
READERS: dict[str, Callable[[Any], Any]] = {
    "voided": int,
    "tickets": lambda rows: [None if row is None else _ticket(row) for row in rows],
}


def _arms(terms: Terms, rows: Sequence[ArmRow]) -> list[dict[str, Any]]:
    """Return arms as they are sent: no bar if there is a control, no sigma that follows from the family."""
    unused = {"threshold" if terms.control else "", "" if terms.kind.takes_sigma else "sigma"}
    keys = ("arm", "threshold", "sigma", "cost", "pull_cost")
    arms = [zip(keys, (*row[:4], amount_of(row[4])), strict=True) for row in rows]
    return [{key: value for key, value in arm if key not in unused} for arm in arms]


def _measured(rows: Sequence[ArmRow], measured: Mapping[str, int] | None) -> dict[str, int] | None:
    """Return the outcomes of these arms that are told next; None without any: an older service refuses the key."""
    return {row[0]: n for row in rows if (n := (measured or {}).get(row[0], 0))} or None


def _parts(rows: Sequence[ArmRow]) -> list[Sequence[ArmRow]]:
    return [rows[i : i + ARMS_IN_A_CALL] for i in range(0, len(rows), ARMS_IN_A_CALL)]


def _parts_of_items(names: Sequence[str]) -> list[list[str]]:
    """Return names in parts of at most half a megabyte; one empty part without names."""
    parts: list[list[str]] = [[]]
    size = 0
    for name in names:
        size += len(json.dumps(name)) + 2
        if size > BYTES_IN_A_CALL:
            parts.append([])
            size = len(json.dumps(name)) + 2
        parts[-1].append(name)
    return parts


def _new_key() -> str:
    """Return a random idempotency key."""
    return secrets.token_hex(16)
