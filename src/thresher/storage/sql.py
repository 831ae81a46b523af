"""What SQLite and PostgreSQL share: from a need to queries, from rows to a state, from a change to writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from thresher.campaign import Arm, Change, Event, Happening, Ledger, Machine, Pull, Request, State, seal
from thresher.storage.protocol import Need, View
from thresher.storage.statements import Statement

Row: TypeAlias = tuple[Any, ...]
NEVER = 2**62  # a deadline that no clock reaches
EVERYTHING = 2**62  # a limit that no table reaches
MOST_LAPSED = 1000  # leases that one ask clears away

_ARM = (*Arm._fields, "campaign", "seal")
_PULL = (*Pull._fields, "campaign", "seal", "lease", "expires")
_EVENT = (*Event._fields, "campaign", "seal")
_REQUEST = (*Request._fields, "campaign", "seal")
_STEP = (*Ledger._fields, "campaign", "deadline", "key")
_PULL_COLUMNS = len(Pull._fields)


class Query(NamedTuple):
    """A named statement and its parameters."""

    name: str
    parameters: Mapping[str, Any]


class Write(NamedTuple):
    """A named statement and what each of its runs is given: mappings by name, or tuples of these fields."""

    name: str
    rows: Sequence[Any]
    fields: tuple[str, ...] = ()

    def values(self, statement: Statement) -> list[Row]:
        """Return what goes into the places of the statement, run by run."""
        if not self.fields:
            return [statement.values(row) for row in self.rows]
        return list(map(_picker(statement.names, self.fields), self.rows))


@cache
def _picker(names: tuple[str, ...], fields: tuple[str, ...]) -> Callable[[Row], Row]:
    return itemgetter(*(fields.index(name) for name in names))


def queries_of(campaign: int, need: Need) -> list[Query]:
    """Return the queries that bring what is needed, beside the ledger."""
    here = {"campaign": campaign}
    queries = [Query("pulls_numbered", here | span) for span in _spans(need.pulls)]
    queries += [Query("pulls_beside", here | {"number": number}) for number in need.pulls if need.beside]
    queries += [Query("arm_named", here | {"name": name}) for name in need.names]
    if need.least:
        queries.append(Query("least_arms", here | {"limit": need.least}))
        queries.append(Query("lapsed_pulls", here | {"limit": MOST_LAPSED}))
    if need.key is not None:
        queries.append(Query("request_with_key", here | {"key": need.key}))
        queries.append(Query("pulls_of_request", here | {"key": need.key}))
    return queries


def _spans(numbers: Sequence[int]) -> list[dict[str, int]]:
    """Return the numbers as stretches to be read at once; tickets asked together are mostly told together."""
    spans: list[dict[str, int]] = []
    for number in sorted(numbers):
        if spans and number - spans[-1]["last"] <= 4:
            spans[-1]["last"] = number
        else:
            spans.append({"first": number, "last": number})
    return spans


def view_of(ledger: Row, queries: Sequence[Query], results: Sequence[Sequence[Row]]) -> View:
    """Return the state that the answers to the queries describe."""
    state, expires = State(Ledger._make(ledger)), dict[int, int]()
    for query, rows in zip(queries, results, strict=True):
        if query.name in ("least_arms", "arm_named"):
            state.arms.update((row[0], Arm._make(row)) for row in rows)
        elif query.name == "request_with_key":
            state.requests.update((row[0], Request._make(row)) for row in rows)
        else:
            for row in rows:
                _take_pull(state, expires, row)
        if query.name == "least_arms":
            state.least = tuple(row[0] for row in rows)
        elif query.name == "lapsed_pulls":
            state.lapsed = tuple(sorted(row[0] for row in rows))
    return View(state, expires)


def _take_pull(state: State, expires: dict[int, int], row: Row) -> None:
    pull, rest = Pull._make(row[:_PULL_COLUMNS]), row[_PULL_COLUMNS + 1 :]
    state.add_pull(pull)
    expires[pull.number] = row[_PULL_COLUMNS]
    if rest:
        state.arms[rest[0]] = Arm._make(rest)


def sealed(machine: Machine, state: State, happening: Happening) -> tuple[Change, Event]:
    """Return what changes when something happens, and its event; the database adds the time."""
    change = machine.apply(state, happening)
    seq, kind, body = change.ledger.seq, happening.kind, happening.body()
    event = Event(seq, kind, body, 0, seal(state.ledger.hash, state.ledger.at, seq, kind, body))
    return change._replace(ledger=change.ledger._replace(hash=event.hash)), event


def step_of(campaign: int, change: Change, *, deadline: int = NEVER) -> Write:
    """Return the ledger's step, which must be the first write: the others take their time from it."""
    key = next(iter(change.requests), None)
    return Write("advance", [(*change.ledger, campaign, deadline, key)], _STEP)


def writes_of(campaign: int, state: State, change: Change, event: Event, *, lease: int, at: int | None) -> list[Write]:
    """Return the writes that follow the ledger's step: its event, and the rows that changed.

    Parameters
    ----------
    campaign : int
    state : State
        What was known before: rows that are not in it are new.
    change, event : Change, Event
    lease : int
        In µs.
    at : int, optional
        When the step was taken, if that is known already.
    """
    here = (campaign, event.hash)
    there = (*here, lease, None if at is None else at + lease)
    old_arms, new_arms = list[Row](), list[Row]()
    for k, arm in change.arms.items():
        (old_arms if k in state.arms else new_arms).append(arm + here)
    fresh, changed, renewed = list[Row](), list[Row](), list[Row]()
    for n, pull in change.pulls.items():
        known = state.pulls.get(n)
        if known is None:
            fresh.append(pull + there)
        else:
            (changed if known.since == pull.since else renewed).append(pull + there)
    writes = [
        Write("append_event", [event + here], _EVENT),
        Write("insert_arm", new_arms, _ARM),
        Write("update_arm", old_arms, _ARM),
        Write("insert_pull", fresh, _PULL),
        Write("change_pull", changed, _PULL),
        Write("renew_pull", renewed, _PULL),
        Write("insert_request", [request + here for request in change.requests.values()], _REQUEST),
    ]
    return [write for write in writes if write.rows]


def first_writes(campaign: int, at: int, machine: Machine, happenings: Sequence[Happening]) -> list[Write]:
    """Return the writes that begin a campaign whose ledger began at that time."""
    state, lines = State(Ledger()), list[Mapping[str, Any]]()
    for happening in happenings:
        change, event = sealed(machine, state, happening)
        state.absorb(change)
        state.ledger = state.ledger._replace(at=at)
        lines.append(event._asdict() | {"campaign": campaign, "at": at})
    return [
        Write("append_first_events", lines),
        Write("fill_ledger", [(*state.ledger, campaign)], (*Ledger._fields, "campaign")),
        Write("insert_arm", [(*arm, campaign, state.ledger.hash) for arm in state.arms.values()], _ARM),
    ]
