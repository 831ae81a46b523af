"""One night of tests as a campaign: every test runs once, then reruns go where they change a verdict."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.live import Campaign, Ticket, Verdict
from thresher.pytest_plugin.history import Past
from thresher.storage.memory import MemoryStorage

SECOND_CHANCES = 3  # reruns of a test that has only failed tonight, before anything else is rerun
SURPRISE = 1e-5  # a night less likely than this under the past means that the past is over
MOST_TICKETS = 10_000


@dataclass(frozen=True)
class Test:
    """A test: its name, its bar, what a wrong verdict on it costs, a hash of its source."""

    __test__ = False  # pytest, this is not for you

    name: str
    bar: float
    cost: float
    source: str


@dataclass
class Tally:
    """What was seen of a test tonight, and the past that still counts."""

    test: Test
    past: Past | None
    runs: int = 0
    failures: int = 0
    past_ticket: str = ""
    tickets: list[Ticket] = field(default_factory=list)
    chances: int = 0  # second chances that are under way
    dropped: bool = False  # it cannot be judged any more

    @property
    def fails_every_time(self) -> bool:
        """Whether it has only failed tonight."""
        return self.failures == self.runs > 0


@dataclass(frozen=True)
class Judged:
    """The verdict on one test.

    Parameters
    ----------
    test : Test
    decision : str
        ``pass``, ``fail`` or ``open``; ``fail`` too if it failed every time tonight.
    runs, failures : int
        Tonight.
    past : Past or None
        What was counted from before.
    verdict : Verdict
    """

    test: Test
    decision: str
    runs: int
    failures: int
    past: Past | None
    verdict: Verdict

    @property
    def fails(self) -> bool:
        """Whether pytest counts it as failed: an open test is not."""
        return self.decision == "fail"


class Night:
    """Decides which test to rerun, and judges them all.

    Parameters
    ----------
    reruns : int, optional
        As many as there are tests, unless given.
    past : mapping of str to Past
        By name of the test; it counts only if the source is the same.
    """

    def __init__(self, *, reruns: int | None, past: Mapping[str, Past]) -> None:
        self._reruns, self._past = reruns, past
        self._campaign: Campaign | None = None
        self._fresh: list[tuple[Tally, bool]] = []
        self._chances: deque[str] = deque()
        self.tallies: dict[str, Tally] = {}

    @property
    def budget(self) -> int:
        """All reruns that there are."""
        return len(self.tallies) if self._reruns is None else self._reruns

    @property
    def spent(self) -> int:
        """Reruns that were used."""
        return sum(max(tally.runs - 1, 0) for tally in self.tallies.values())

    def first(self, test: Test, *, passed: bool) -> None:
        """Take the first outcome of a test tonight."""
        past = self._past.get(test.name)
        tally = Tally(test, past if past is not None and past.source == test.source else None)
        self.tallies[test.name] = tally
        self._fresh.append((tally, passed))
        self._count(tally, passed)

    def next(self) -> str | None:
        """Return the test to rerun next, or None if no rerun is left, or worth it, now."""
        self._admit()
        if self._campaign is None or self._left() < 1:
            return None
        if self._chances:
            name = self._chances.popleft()
            self.tallies[name].chances += 1
            return name
        ticket = self._campaign.ask()
        if ticket is None:
            return None
        self.tallies[ticket.arm].tickets.append(ticket)
        return ticket.arm

    def rerun(self, name: str, *, passed: bool | None) -> None:
        """Take the outcome of a rerun; None if there is none: it was skipped, or its process died."""
        assert self._campaign is not None
        tally = self.tallies[name]
        if tally.chances:
            tally.chances -= 1
            if passed is not None:
                self._campaign.tell_counts(name, n=1, total=float(passed))
        elif passed is None:
            self._campaign.fail(tally.tickets.pop(0))
        else:
            self._campaign.tell(tally.tickets.pop(0), passed)
        if passed is None:
            tally.dropped = True
            self._campaign.retire(name)
        else:
            self._count(tally, passed)

    def _count(self, tally: Tally, passed: bool) -> None:
        tally.runs += 1
        tally.failures += not passed
        if tally.fails_every_time and tally.runs <= SECOND_CHANCES:
            self._chances.append(tally.test.name)
        if tally.past is not None and surprise(tally.past, tally.runs, tally.failures) < SURPRISE:
            if tally.past_ticket and self._campaign is not None:
                self._campaign.void(tally.past_ticket, reason="tonight is unlike the past")
            tally.past, tally.past_ticket = None, ""

    def _left(self) -> float:
        assert self._campaign is not None
        now = self._campaign.standing
        return now.budget - now.spent - now.outstanding - sum(tally.chances for tally in self.tallies.values())

    def _admit(self) -> None:
        """Take tests into the campaign that have run once."""
        fresh, self._fresh = self._fresh, []
        if not fresh:
            return
        names = [tally.test.name for tally, _ in fresh]
        numbers: dict[str, Any] = {
            "threshold": [tally.test.bar for tally, _ in fresh],
            "costs": [tally.test.cost for tally, _ in fresh],
        }
        reruns = len(fresh) if self._reruns is None else 0
        if self._campaign is None:
            budget = len(fresh) + (len(fresh) if self._reruns is None else self._reruns)
            self._campaign = Campaign.create(
                MemoryStorage(), "tonight", arms=names, budget=budget, lease=1e7, **numbers
            )
        else:
            self._campaign.extend(len(fresh) + reruns)
            self._campaign.add_arms(names, **numbers)
        self._tell_first({tally.test.name: passed for tally, passed in fresh})
        for tally, _ in fresh:
            self._tell_past(tally)

    def _tell_first(self, outcomes: dict[str, bool]) -> None:
        """Tell the first outcomes: a new arm is asked before all others, so these are the tickets that come."""
        assert self._campaign is not None
        left = len(outcomes)
        while left:
            tickets = self._campaign.ask(min(left, MOST_TICKETS))
            self._campaign.tell_many((ticket, outcomes[ticket.arm]) for ticket in tickets)
            left -= len(tickets)

    def _tell_past(self, tally: Tally) -> None:
        assert self._campaign is not None
        if tally.past is not None and tally.past.runs:
            passes = tally.past.runs - tally.past.failures
            receipt = self._campaign.tell_counts(tally.test.name, n=tally.past.runs, total=float(passes), paid=False)
            tally.past_ticket = receipt.ticket

    def judge(self) -> list[Judged]:
        """Return the verdict on every test that can be judged, in the order of their first runs."""
        self._admit()
        if self._campaign is None:
            return []
        rows = {row.arm: row for row in self._campaign.verdicts()}
        return [_judged(tally, rows[name]) for name, tally in self.tallies.items() if not tally.dropped]

    @property
    def expected_mistakes(self) -> float:
        """How many verdicts are expected to be wrong."""
        return math.nan if self._campaign is None else self._campaign.verdicts().expected_mistakes


def _judged(tally: Tally, row: Verdict) -> Judged:
    # Whatever the past says: what fails every time tonight is broken tonight.
    return Judged(
        tally.test, "fail" if tally.fails_every_time else row.decision, tally.runs, tally.failures, tally.past, row
    )


def surprise(past: Past, runs: int, failures: int) -> float:
    r"""Return how likely a night at least as unlike the past is, if nothing has changed.

    Twice the smaller tail of the beta-binomial distribution, at most 1: `runs` more runs of a test whose failure rate
    has, after :math:`f` failures in :math:`n` runs and a flat prior, the distribution Beta(f + 1, n - f + 1).
    """
    a, b = past.failures + 1.0, past.runs - past.failures + 1.0
    chances = [
        math.exp(_log_beta(a + k, b + runs - k) - _log_beta(a, b) - _log_beta(k + 1.0, runs - k + 1.0)) / (runs + 1.0)
        for k in range(runs + 1)
    ]
    return min(2.0 * min(sum(chances[failures:]), sum(chances[: failures + 1])), 1.0)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
