"""What SQLite and PostgreSQL share: from a need to queries, from rows to a state, from a change to writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from thresher.campaign import Arm, Change, Event, Happening, Ledger, Machine, Pull, Request, State, seal
from thresher.campaign.rows import make
from thresher.storage.protocol import Need, View
from thresher.storage.reading import arms_of, damaged, ledgers_of, pulls_of, requests_of
from thresher.storage.statements import Row

NEVER = 2**62  # a deadline that no clock reaches
EVERYTHING = 2**62  # a limit that no table reaches
MOST_LAPSED = 1000  # leases that one ask clears away

# What a step and its event are given, beside what each row is given.
GIVEN = (
    "seq", "hash", "status", "budget", "spent", "reserved", "opening", "arms", "pulls", "told", "late",
    "campaign", "deadline", "key", "previous", "kind", "body", "lease",
)  # fmt: skip
_FIELDS = {
    "insert_arm": Arm._fields,
    "update_arm": Arm._fields,
    "insert_pull": Pull._fields,
    "change_pull": Pull._fields,
    "renew_pull": Pull._fields,
    "insert_request": Request._fields,
}
_PULL_COLUMNS = len(Pull._fields)


class Query(NamedTuple):
    """A named statement and its parameters."""

    name: str
    parameters: Mapping[str, Any]


class Write(NamedTuple):
    """A named statement, and the rows that it writes."""

    name: str
    fields: tuple[str, ...]
    rows: Sequence[Row]


class Step(NamedTuple):
    """One step of a campaign as it is written.

    Attributes
    ----------
    campaign, lease : int
        The latter in µs.
    given : tuple
        Values of ``GIVEN``.
    writes : list of Write
        The rows that change.
    """

    campaign: int
    lease: int
    given: Row
    writes: list[Write]


@cache
def picker(names: tuple[str, ...], fields: tuple[str, ...]) -> Callable[[Row], Row]:
    """Return the function that picks named values from a row of these fields."""
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


def view_of(campaign: str, ledgers: Sequence[Row], queries: Sequence[Query], results: Sequence[Sequence[Row]]) -> View:
    """Return the state that the answers to the queries describe.

    Raises
    ------
    CorruptionError
        If there is no ledger, or a row holds what was never written.
    """
    if len(ledgers) != 1:
        raise damaged(campaign, "it has no ledger any more")
    [ledger] = ledgers_of(campaign, ledgers)
    state, expires = State(ledger), dict[int, int]()
    for query, rows in zip(queries, results, strict=True):
        if query.name in ("least_arms", "arm_named"):
            _take_arms(campaign, state, rows)
        elif query.name == "request_with_key":
            state.requests.update((request.key, request) for request in requests_of(campaign, rows))
        else:
            _take_pulls(campaign, state, expires, rows)
        if query.name == "least_arms":
            state.least = tuple(row[0] for row in rows)
        elif query.name == "lapsed_pulls":
            state.lapsed = tuple(sorted(row[0] for row in rows))
    return View(state, expires)


def _take_arms(campaign: str, state: State, rows: Sequence[Row]) -> None:
    state.arms.update((arm.position, arm) for arm in arms_of(campaign, rows))


def _take_pulls(campaign: str, state: State, expires: dict[int, int], rows: Sequence[Row]) -> None:
    """Take in pulls, with their arms if those were read beside them."""
    for pull in pulls_of(campaign, [row[: _PULL_COLUMNS + 1] for row in rows]):
        state.add_pull(pull)
    expires.update((row[0], row[_PULL_COLUMNS]) for row in rows)
    _take_arms(campaign, state, [row[_PULL_COLUMNS + 1 :] for row in rows if len(row) > _PULL_COLUMNS + 1])


def sealed(machine: Machine, state: State, happening: Happening) -> tuple[Change, Event]:
    """Return what changes when something happens, and its event; the database adds the time."""
    change = machine.apply(state, happening)
    ledger, kind, body = change.ledger, happening.kind, happening.body()
    seal_ = seal(state.ledger.hash, state.ledger.at, ledger.seq, kind, body)
    sealed_ledger = make(Ledger, (ledger.seq, ledger.at, seal_, *ledger[3:]))
    return Change(sealed_ledger, change.arms, change.pulls, change.requests), Event(ledger.seq, kind, body, 0, seal_)


def at_time(change: Change, at: int) -> Change:
    """Return a change as it is once the database has said what time it is."""
    ledger = make(Ledger, (change.ledger.seq, at, *change.ledger[2:]))
    return Change(ledger, change.arms, change.pulls, change.requests)


def step_of(campaign: int, state: State, change: Change, event: Event, *, lease: int, deadline: int = NEVER) -> Step:
    """Return what is to be written: the ledger's step, its event, and the rows that changed.

    Parameters
    ----------
    campaign : int
    state : State
        What was known before: rows that are not in it are new.
    change, event : Change, Event
    lease : int
        In µs.
    deadline : int
        When the step must not be taken any more, in µs since 1970.
    """
    seq, _, *ledger = change.ledger
    key = next(iter(change.requests), None)
    given = (seq, *ledger, campaign, deadline, key, state.ledger.hash, event.kind, event.body, lease)
    rows: dict[str, list[Row]] = defaultdict(list)
    for k, arm in change.arms.items():
        rows["update_arm" if k in state.arms else "insert_arm"].append(arm)
    for n, pull in change.pulls.items():
        known = state.pulls.get(n)
        name = "insert_pull" if known is None else "change_pull" if known.since == pull.since else "renew_pull"
        rows[name].append(pull)
    if change.requests:
        rows["insert_request"] = [*change.requests.values()]
    return Step(campaign, lease, given, [Write(name, _FIELDS[name], found) for name, found in rows.items()])
