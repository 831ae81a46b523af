"""How many mistakes were to be expected as the budget was spent, as the log tells it, and where that leads."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np

from thresher.campaign import CampaignState, Ledger, Machine, Terms, amount_of, read_event
from thresher.live.judge import judge
from thresher.live.messages import Entry

POINTS = ((500, 60), (3_000, 30), (10**9, 12))  # how many for up to so many arms: each costs a look at all of them
FEWEST = 4  # points that a projection rests on
ENTRIES = 1000  # events that are taken in at a time
MOST_EVENTS = 300_000  # in a log that is replayed for a picture


class Point(NamedTuple):
    """How many mistakes were expected when so much was spent."""

    spent: float
    mistakes: float


class History(Protocol):
    """Gives the events of a campaign after one, in order."""

    def __call__(self, *, after: int, limit: int | None) -> list[Entry]:
        """Return them."""


class Trajectory:
    """The expected mistakes of a campaign against what was spent."""

    def __init__(self, terms: Terms) -> None:
        self._machine = Machine(terms)
        self._state = CampaignState(Ledger())
        self._next = 0
        self.points: list[Point] = []

    @property
    def events(self) -> int:
        """The number of the last event that was taken in."""
        return self._state.ledger.seq

    def catch_up(self, history: History) -> None:
        """Take in all that happened since the last time; a log that is too long for that only up to a point."""
        while self.events < MOST_EVENTS and (entries := history(after=self.events, limit=ENTRIES)):
            self.take(entries)

    def take(self, entries: Iterable[Entry]) -> None:
        """Take in what happened next."""
        for entry in entries:
            event = read_event(entry.kind, json.dumps(entry.details))
            self._state.absorb(self._machine.apply(self._state, event))
            self._state.ledger = self._state.ledger._replace(seq=entry.seq)
            if self._state.ledger.spent >= self._next and self._state.ledger.told:
                self._add_point()

    def _add_point(self) -> None:
        ledger = self._state.ledger
        arms = [self._state.arms[position] for position in sorted(self._state.arms)]
        self.points.append(Point(amount_of(ledger.spent), judge(self._machine, arms).expected_mistakes))
        most = next(points for size, points in POINTS if len(arms) <= size)
        self._next = ledger.spent + max(ledger.budget // most, 1)


def projected(points: Iterable[Point], budget: float) -> Point | None:
    """Return how many mistakes are expected when the budget is spent, if they go on falling as in the last half.

    The logarithm of the mistakes is taken to fall in a straight line; None where there are too few points, they do not
    fall, or the budget is spent.
    """
    known = [point for point in points if point.mistakes > 0.0]
    recent = known[len(known) // 2 :]
    if len(recent) < FEWEST or recent[-1].spent >= budget:
        return None
    spent = np.array([point.spent for point in recent])
    slope = float(np.polyfit(spent, np.log([point.mistakes for point in recent]), 1)[0])
    if not slope < 0.0:
        return None
    return Point(budget, recent[-1].mistakes * math.exp(slope * (budget - recent[-1].spent)))
