"""The expected mistakes and the decisions of a campaign against the amount spent, computed from the log."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from thresher.campaign.ledger import (
    CampaignState,
    Ledger,
    Machine,
    Terms,
    answers_in,
    item_pulls_in,
    known_with_order,
    read_event,
    table_of,
)
from thresher.campaign.messages import Entry
from thresher.campaign.verdict_pipeline import judge, progress_of
from thresher.campaign.verdicts import Verdict
from thresher.problem import amount_of
from thresher.types import Floats

POINTS = ((500, 60), (3_000, 30), (10**9, 12))  # (largest number of arms, points): each point reads all arms
FEWEST = 4  # points for a projection
ENTRIES = 1000  # events read at a time
MOST_EVENTS = 300_000  # a longer log is replayed only up to here


class Point(NamedTuple):
    """The expected mistakes at an amount spent."""

    spent: float
    mistakes: float


class Settled(NamedTuple):
    """A decision, and the amount spent since which it has stood.

    Attributes
    ----------
    position : int
        Of its row among the verdicts.
    arm, decision : str
        ``pass`` or ``fail``.
    spent : float
    """

    position: int
    arm: str
    decision: str
    spent: float


class ReadEvents(Protocol):
    """Reads the log of a campaign."""

    def __call__(self, *, after: int, limit: int | None) -> list[Entry]:
        """Return the entries after one, in order."""


class Trajectory:
    """The expected mistakes and the decisions of a campaign against the amount spent.

    Attributes
    ----------
    points : list of Point
    settled : dict of str to Settled
        The decisions that stood at the last point, by arm.
    """

    def __init__(self, terms: Terms) -> None:
        self._machine = Machine(terms)
        self._state = CampaignState(Ledger())
        self._next = 0
        self.points: list[Point] = []
        self.settled: dict[str, Settled] = {}

    @property
    def events(self) -> int:
        """The number of the last event that was applied."""
        return self._state.ledger.seq

    def catch_up(self, history: ReadEvents) -> None:
        """Apply all new events, up to `MOST_EVENTS` in all."""
        while self.events < MOST_EVENTS and (entries := history(after=self.events, limit=ENTRIES)):
            self.take(entries)

    def take(self, entries: Iterable[Entry]) -> None:
        """Apply the next events."""
        for entry in entries:
            event = read_event(entry.kind, json.dumps(entry.details))
            self._state.absorb(self._machine.apply(self._state, event))
            self._state.ledger = self._state.ledger._replace(seq=entry.seq)
            if self._state.ledger.spent >= self._next and self._state.ledger.told:
                self._add_point()

    def _add_point(self) -> None:
        ledger = self._state.ledger
        arms = [self._state.arms[position] for position in sorted(self._state.arms)]
        pulls = self._state.pulls.values()
        known = known_with_order(ledger, self._state.signals.values(), lambda: item_pulls_in(pulls))
        found = judge(self._machine, arms, self._outcomes(), known=known, progress=progress_of(ledger, arms))
        spent = amount_of(ledger.spent)
        self.points.append(Point(spent, found.expected_mistakes))
        self.settled = settled_in(found, self.settled, spent)
        most = next(points for size, points in POINTS if len(arms) <= size)
        self._next = ledger.spent + max(ledger.budget // most, 1)

    def _outcomes(self) -> Floats | None:
        """Return the outcomes of all arms on all items; None without items."""
        ledger = self._state.ledger
        if not ledger.pools:
            return None
        return table_of(answers_in(self._state.pulls.values()), ledger.arms, ledger.items, ledger.repeats)


def settled_in(rows: Iterable[Verdict], before: Mapping[str, Settled], spent: float) -> dict[str, Settled]:
    """Return the decisions in these rows by arm: since when they stand if they stood before, else since this amount."""
    found = dict[str, Settled]()
    for position, row in enumerate(rows):
        if row.decision == "open":
            continue
        known = before.get(row.arm)
        since = known.spent if known is not None and known.decision == row.decision else spent
        found[row.arm] = Settled(position, row.arm, row.decision, since)
    return found


def projected(points: Iterable[Point], budget: float) -> Point | None:
    """Return the expected mistakes at the end of the budget, extrapolated from the last half of the points.

    The logarithm of the mistakes is extrapolated by a straight line. None if there are too few points, the mistakes do
    not fall, or the budget is spent.
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
