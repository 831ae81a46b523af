"""What SQLite and PostgreSQL share: from a need to queries, from rows to a state, from a change to writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from thresher.campaign import Arm, Change, Event, Happening, Ledger, Machine, Pull, Request, State, seal
from thresher.storage.protocol import Need, View

Row: TypeAlias = tuple[Any, ...]
NEVER = 2**62  # a deadline that no clock reaches
EVERYTHING = 2**62  # a limit that no table reaches
MOST_LAPSED = 1000  # leases that one ask clears away

_ARM, _PULL = len(Arm._fields), len(Pull._fields)


class Query(NamedTuple):
    """A named statement and its parameters."""

    name: str
    parameters: Mapping[str, Any]


class Write(NamedTuple):
    """A named statement and the parameters of each of its runs."""

    name: str
    rows: Sequence[Mapping[str, Any]]


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
    pull, rest = Pull._make(row[:_PULL]), row[_PULL + 1 :]
    state.add_pull(pull)
    expires[pull.number] = row[_PULL]
    if rest:
        state.arms[rest[0]] = Arm._make(rest)


def sealed(machine: Machine, state: State, happening: Happening) -> tuple[Change, Event]:
    """Return what changes when something happens, and its event; the database adds the time."""
    change = machine.apply(state, happening)
    seq, kind, body = change.ledger.seq, happening.kind, happening.body()
    event = Event(seq, kind, body, 0, seal(state.ledger.hash, state.ledger.at, seq, kind, body))
    return change._replace(ledger=change.ledger._replace(hash=event.hash)), event


def writes_of(
    campaign: int, state: State, change: Change, event: Event, *, lease: int, deadline: int = NEVER
) -> list[Write]:
    """Return the writes of one transaction: the ledger's step, its event, and the rows that changed."""
    here = {"campaign": campaign}
    step = change.ledger._asdict() | here | {"deadline": deadline}
    line = here | {"seq": event.seq, "kind": event.kind, "body": event.body, "hash": event.hash}
    arms = [(k in state.arms, arm._asdict() | here) for k, arm in change.arms.items()]
    pulls = [(n in state.pulls, pull._asdict() | here | {"lease": lease}) for n, pull in change.pulls.items()]
    writes = [
        Write("advance", [step]),
        Write("append_event", [line]),
        Write("insert_arm", [row for known, row in arms if not known]),
        Write("update_arm", [row for known, row in arms if known]),
        Write("insert_pull", [row for known, row in pulls if not known]),
        Write("update_pull", [row for known, row in pulls if known]),
        Write("insert_request", [request._asdict() | here for request in change.requests.values()]),
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
    here = {"campaign": campaign}
    return [
        Write("append_first_events", lines),
        Write("insert_arm", [arm._asdict() | here for arm in state.arms.values()]),
        Write("fill_ledger", [state.ledger._asdict() | here]),
    ]
