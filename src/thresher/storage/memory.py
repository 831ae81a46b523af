"""Campaigns in the memory of this process: for trying things out, and for tests."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from thresher.campaign import OUT, Arm, Change, Event, Happening, Ledger, Machine, Pull, State
from thresher.errors import CampaignExistsError, UnknownCampaignError
from thresher.storage.protocol import Contents, Done, Heading, Need, Plan, Snapshot, View
from thresher.storage.sql import MOST_LAPSED, sealed


def clock() -> int:
    """Return the time of this machine: µs since 1970."""
    return time.time_ns() // 1000


@dataclass
class _Book:
    """One campaign: all its rows, its log, and a heap of its arms by urgency whose outdated entries are skipped."""

    heading: Heading
    state: State = field(default_factory=lambda: State(Ledger()))
    events: list[Event] = field(default_factory=list)
    expires: dict[int, int] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)
    queue: list[tuple[float, int]] = field(default_factory=list)

    def take(self, change: Change, event: Event, *, at: int, lease: int) -> None:
        """Write one change and its event."""
        for number, pull in change.pulls.items():
            known = self.state.pulls.get(number)
            if known is None or known.since != pull.since:
                self.expires[number] = at + lease
            (self.out.add if pull.state == OUT else self.out.discard)(number)
        self.state.absorb(change._replace(ledger=change.ledger._replace(at=at)))
        self.events.append(event._replace(at=at))
        for position, arm in change.arms.items():
            heapq.heappush(self.queue, (arm.urgency, position))

    def ledger(self) -> Ledger:
        """Return the ledger."""
        return self.state.ledger

    def arms(self, *, first: int = 0, limit: int | None = None) -> list[Arm]:
        """Return arms by position, from the first wanted."""
        known = self.state.arms
        return [known[k] for k in range(first, min(len(known), first + limit) if limit else len(known))]

    def pulls(
        self, *, arm: int | None = None, after: int = 0, limit: int | None = None
    ) -> tuple[list[Pull], dict[int, int]]:
        """Return pulls by number, of one arm or of all, and when their leases run out."""
        known = list(self.state.pulls.values()) if arm is None else self.state.pulls_of(arm)
        pulls = [pull for pull in known if pull.number > after][:limit]
        return pulls, {pull.number: self.expires[pull.number] for pull in pulls}

    def least(self, wanted: int) -> tuple[int, ...]:
        """Return the positions of so many arms of least urgency."""
        found: dict[int, tuple[float, int]] = {}
        while self.queue and len(found) < wanted:
            entry = heapq.heappop(self.queue)
            if self.state.arms[entry[1]].urgency == entry[0]:
                found[entry[1]] = entry
        for entry in found.values():
            heapq.heappush(self.queue, entry)
        return tuple(found)


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

    def create(self, name: str, terms: str, machine: Machine, happenings: Sequence[Happening]) -> Heading:
        """Write a new campaign with its first events; return its heading."""
        with self._lock:
            if any(book.heading.name == name for book in self._books.values()):
                raise CampaignExistsError(name)
            book = _Book(Heading(len(self._books) + 1, name, terms))
            at = self._now()
            for happening in happenings:
                book.take(*sealed(machine, book.state, happening), at=at, lease=machine.terms.lease_micros)
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
        """Read the rows that are needed, decide, and write what changes with its event."""
        with self._lock:
            book = self._books[campaign]
            view = self.look(campaign, need)
            happening = plan(view.state)
            if happening is None:
                return Done(view, None, view.state.ledger.at)
            change, event = sealed(machine, view.state, happening)
            at = self._now()
            book.take(change, event, at=at, lease=machine.terms.lease_micros)
            return Done(view, change._replace(ledger=change.ledger._replace(at=at)), at)

    def look(self, campaign: int, need: Need) -> View:
        """Return rows of one moment."""
        with self._lock:
            book, now = self._books[campaign], self._now()
            state = State(book.state.ledger)
            numbers = set(need.pulls) & book.state.pulls.keys()
            if need.least:
                state.least = book.least(need.least)
                lapsed = sorted((book.expires[n], n) for n in book.out if book.expires[n] <= now)
                state.lapsed = tuple(sorted(number for _, number in lapsed[:MOST_LAPSED]))
                numbers |= set(state.lapsed)
            if need.key is not None and (request := book.state.requests.get(need.key)):
                state.requests[need.key] = request
                numbers |= set(range(request.first, request.first + request.made))
            if need.beside:
                numbers |= {p.number for n in list(numbers) for p in book.state.pulls_of(book.state.pulls[n].arm)}
            for number in sorted(numbers):
                state.add_pull(book.state.pulls[number])
            positions = {*state.least, *(pull.arm for pull in state.pulls.values())}
            positions |= {k for k, arm in book.state.arms.items() if arm.name in need.names} if need.names else set()
            state.arms.update((k, book.state.arms[k]) for k in positions)
            return View(state, {number: book.expires[number] for number in numbers})

    @contextmanager
    def snapshot(self, campaign: int) -> Iterator[Snapshot]:
        """Hold the rows of one moment: nothing is written meanwhile."""
        with self._lock:
            yield self._books[campaign]

    def events(self, campaign: int, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return events by number."""
        with self._lock:
            return self._books[campaign].events[after:][:limit]

    def verify(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` finds in all rows."""
        with self._lock:
            book = self._books[campaign]
            state = book.state
            return check(
                Contents(
                    state.ledger,
                    list(state.arms.values()),
                    list(state.pulls.values()),
                    dict(book.expires),
                    list(state.requests.values()),
                    iter(book.events),
                )
            )

    def close(self) -> None:
        """Do nothing: memory goes with the process."""
