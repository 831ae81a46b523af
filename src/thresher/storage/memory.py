"""Campaigns in the memory of this process: for trying things out, and for tests."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from thresher.campaign import (
    UNUSED,
    Answer,
    Arm,
    CampaignState,
    Change,
    Event,
    Item,
    Ledger,
    LogEntry,
    Machine,
    Pull,
    answers_in,
    arms_that_took,
    changed_pulls,
    read_event,
)
from thresher.errors import CampaignExistsError, UnknownCampaignError
from thresher.storage.protocol import MOST_EXPIRED, Contents, Done, Heading, Need, Plan, Snapshot
from thresher.storage.reading import pulls_of_arms_changed, up_to


def clock() -> int:
    """Return the time of this machine: µs since 1970."""
    return time.time_ns() // 1000


@dataclass
class _Book:
    """One campaign: all its rows, its log, and a heap of its arms by urgency whose outdated entries are skipped."""

    heading: Heading
    state: CampaignState = field(default_factory=lambda: CampaignState(Ledger()))
    log: list[LogEntry] = field(default_factory=list)
    out: set[int] = field(default_factory=set)
    queue: list[tuple[float, int]] = field(default_factory=list)

    def take(self, change: Change, entry: LogEntry) -> None:
        """Write one change and its event."""
        self.state.absorb(change)
        self.log.append(entry)
        for number, pull in change.pulls.items():
            (self.out.add if pull.is_out else self.out.discard)(number)
        for position, arm in change.arms.items():
            heapq.heappush(self.queue, (arm.urgency, position))

    def ledger(self) -> Ledger:
        """Return the ledger."""
        return self.state.ledger

    def arms(self, *, first: int = 0, limit: int | None = None) -> list[Arm]:
        """Return arms by position, from `first` on."""
        return list(islice(self.state.arms.values(), first, first + limit if limit else None))

    def pulls(self, *, arm: int | None = None, after: int = 0, limit: int | None = None) -> list[Pull]:
        """Return pulls by number, of one arm or of all."""
        known = list(self.state.pulls.values()) if arm is None else self.state.pulls_of(arm)
        return [pull for pull in known if pull.number > after][:limit]

    def items(self, *, first: int = 0, limit: int | None = None) -> list[Item]:
        """Return items by position, from `first` on."""
        return list(islice(self.state.items.values(), first, first + limit if limit else None))

    def answers(self) -> list[Answer]:
        """Return the outcomes that count of all arms on all items."""
        return answers_in(self.state.pulls.values())

    def least(self, wanted: int, left: int) -> tuple[int, ...]:
        """Return the positions of that many arms of least urgency that `left` can pay."""
        arms, found, dear = self.state.arms, dict[int, float](), dict[int, float]()
        while self.queue and len(found) < wanted:
            urgency, position = heapq.heappop(self.queue)
            if arms[position].urgency == urgency:
                (found if arms[position].pull_cost <= left else dear)[position] = urgency
        for position, urgency in (found | dear).items():
            heapq.heappush(self.queue, (urgency, position))
        return tuple(found)

    def expired(self, now: int) -> tuple[int, ...]:
        """Return the numbers of outstanding pulls whose lease has expired."""
        pulls = (self.state.pulls[number] for number in self.out)
        first = sorted((pull.expires, pull.number) for pull in pulls if pull.expires <= now)[:MOST_EXPIRED]
        return tuple(sorted(number for _, number in first))


class MemoryStorage:
    """Campaigns in the memory of this process.

    Parameters
    ----------
    now : callable
        The clock, in µs since 1970.
    """

    def __init__(self, *, now: Callable[[], int] = clock) -> None:
        self._now = now
        self._lock = threading.RLock()
        self._books: dict[int, _Book] = {}

    def create(self, name: str, terms: str, machine: Machine, events: Sequence[Event]) -> Heading:
        """Write a new campaign with its first events; return its heading."""
        with self._lock:
            if any(book.heading.name == name for book in self._books.values()):
                raise CampaignExistsError(name)
            book, now = _Book(Heading(len(self._books) + 1, name, terms)), self._now()
            for event in events:
                book.take(*machine.record(book.state, event, now))
            self._books[book.heading.id] = book
            return book.heading

    def find(self, name: str) -> Heading:
        """Return the heading of a campaign."""
        with self._lock:
            for book in self._books.values():
                if book.heading.name == name:
                    return book.heading
            raise UnknownCampaignError(name, [book.heading.name for book in self._books.values()])

    def headings(self) -> list[Heading]:
        """Return the headings of all campaigns, oldest first."""
        with self._lock:
            return [book.heading for book in self._books.values()]

    def transact(self, campaign: int, machine: Machine, need: Need, plan: Plan) -> Done:
        """Read the rows that are needed, decide, write what changed."""
        with self._lock:
            state = self.look(campaign, need)
            event = plan(state)
            if event is None:
                return Done(state, None)
            change, entry = machine.record(state, event, self._now())
            self._books[campaign].take(change, entry)
            return Done(state, change)

    def look(self, campaign: int, need: Need) -> CampaignState:
        """Return rows of one moment."""
        with self._lock:
            book = self._books[campaign]
            rows, state = book.state, CampaignState(book.state.ledger)
            numbers = set(need.pulls) & rows.pulls.keys()
            if need.expired:
                state.lapsed = book.expired(self._now())
                numbers |= set(state.lapsed)
            if need.least:
                left = CampaignState(rows.ledger, rows.arms, rows.pulls, lapsed=state.lapsed).left_after_expiry(
                    reissue=need.reissue
                )
                state.least = book.least(need.least, left) if rows.ledger.cheapest <= left else ()
            if need.key is not None and (request := rows.requests.get(need.key)):
                state.requests[need.key] = request
                numbers |= set(request.numbers)
            if need.unused:
                numbers |= {pull.number for pull in rows.pulls.values() if pull.state == UNUSED}
            if need.since is not None:
                state.log = tuple(book.log[need.since :])
                numbers.update(*(changed_pulls(read_event(entry.kind, entry.body)) for entry in state.log))
            if need.beside:
                numbers |= {pull.number for n in list(numbers) for pull in rows.pulls_of(rows.pulls[n].arm)}
            state.add_pulls(rows.pulls[number] for number in sorted(numbers))
            state.add_arms(rows.arms[k] for k in {*state.least, *(pull.arm for pull in state.pulls.values())})
            if need.names:
                state.add_arms(arm for arm in rows.arms.values() if arm.name in need.names)
            if need.arms_since is not None:
                state.log = tuple(book.log[need.arms_since :])
                changed = pulls_of_arms_changed(state, need.arms_since) if need.arms_since else None
                state.add_arms(
                    rows.arms.values() if changed is None else (rows.arms[rows.pulls[n].arm] for n in changed)
                )
            _add_items(state, rows, need)
            return state

    @contextmanager
    def snapshot(self, campaign: int) -> Iterator[Snapshot]:
        """Hold the rows of one moment: nothing is written meanwhile."""
        with self._lock:
            yield self._books[campaign]

    def events(
        self, campaign: int, *, after: int = 0, limit: int | None = None, size: int | None = None
    ) -> list[LogEntry]:
        """Return the log in order."""
        with self._lock:
            return list(up_to(self._books[campaign].log[after:][:limit], size))

    def verify(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` finds in all rows."""
        with self._lock:
            rows, log = self._books[campaign].state, self._books[campaign].log
            kept = (rows.arms.values(), rows.pulls.values(), rows.requests.values(), rows.items.values(), log)
            contents = Contents(rows.ledger, *(iter(list[Any](some)) for some in kept))
        return check(contents)

    def close(self) -> None:
        """Do nothing: memory goes with the process."""


def _add_items(state: CampaignState, rows: CampaignState, need: Need) -> None:
    """Put what is needed of items into a state."""
    if need.items:
        state.add_items(rows.items[pull.item] for pull in state.pulls.values() if pull.item is not None)
    if need.item_pairs:
        arms, items = (set(names) for names in zip(*need.item_pairs, strict=True))
        state.add_arms(arm for arm in rows.arms.values() if arm.name in arms)
        state.add_items(item for item in rows.items.values() if item.name in items)
        taken = arms_that_took(rows.ledger, state.arms.values(), state.items.values(), need.item_pairs)
        state.add_pulls(pull for arm in sorted(taken) for pull in rows.pulls_of(arm))
    if need.everything:
        state.add_arms(rows.arms.values())
        state.add_items(rows.items.values())
    if need.told_after is not None:
        after = need.told_after
        state.add_pulls(pull for pull in rows.pulls.values() if pull.told > after and pull.item is not None)
