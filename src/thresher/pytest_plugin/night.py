"""One session of tests: every test runs once, then reruns go where they change a decision."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from thresher.campaign import Ticket, Verdict
from thresher.pytest_plugin.rerun_budget import RerunAccount, RerunBudget
from thresher.pytest_plugin.session_campaign import SessionCampaign
from thresher.pytest_plugin.stored_test import StoredTest
from thresher.pytest_plugin.tally import SECOND_CHANCES, Tally, Test, TestRun

FOR_OTHERS = 4  # reruns left to each test that passed: a test at its bar stays open, and must not use all reruns
MOST_FOR_OTHERS = 0.5  # share of the budget
MOST_FOR_PAST = 0.25  # share of the budget for tests that failed in earlier sessions and pass now
FEW_RUNS = 10  # a suspect with fewer may use that part too: a few more runs usually decide it
RUNS_PER_BATCH = 2  # a suspect is judged again after this share of further runs, because judging takes time
TESTS_PER_LOOK = 10  # the others are judged again after reruns of a tenth of those that need one
OUTAGE_TESTS = 5  # least number of tests that used to pass; if most of them fail, it is an outage
OUTAGE_SHARE = 0.5
SHORTEST = 1e-3  # seconds


@dataclass(frozen=True)
class Judged:
    """The verdict on one test.

    Parameters
    ----------
    tally : Tally
        Its runs in this session, and the past that was counted.
    verdict : Verdict
        Without the runs of this session if there is an outage.
    """

    tally: Tally
    verdict: Verdict

    @property
    def decision(self) -> str:
        """``pass``, ``fail`` or ``open``."""
        return self.verdict.decision

    @property
    def test(self) -> Test:
        """The test."""
        return self.tally.test

    @property
    def is_red(self) -> bool:
        """Whether pytest counts it as failed: it fails its bar, or it failed now and does not pass its bar."""
        if self.decision == "fail" or self.tally.fails_every_time:
            return True
        return self.tally.failures > 0 and self.decision != "pass"

    @property
    def has_failed(self) -> bool:
        """Whether it failed in this session or in the past that counts."""
        return self.tally.failures > 0 or (self.tally.past is not None and self.tally.past.failures > 0)


class Night:
    """Decides which test to rerun, and judges them all.

    Parameters
    ----------
    budget : RerunBudget
    records : mapping of str to StoredTest
        The history, by name of the test.
    count_outage : bool
        Whether a session in which most tests fail counts like any other.
    guarantee : str
        As in a campaign.
    oldest : int
        Sessions up to this time, µs since 1970, are too old.
    clock : callable
        Seconds, for a budget of seconds.
    """

    def __init__(
        self,
        *,
        budget: RerunBudget,
        records: Mapping[str, StoredTest],
        count_outage: bool = False,
        guarantee: str = "calibrated",
        oldest: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._records, self._count_outage, self._oldest = records, count_outage, oldest
        self._guarantee = guarantee
        self._campaign = SessionCampaign(guarantee)
        self._fresh: list[Tally] = []
        self._suspects: deque[str] = deque()
        self._has_news = False  # since suspects were looked for
        self._for_suspects = 0.0  # expected cost of all reruns of suspects
        self._for_past = 0.0  # of which tests that failed in earlier sessions and pass now
        self._for_others = 0.0  # what they leave of the budget
        self._decisions: dict[str, str] = {}
        self._worth: dict[str, Tally] = {}  # the tests that need a rerun, by arm
        self._since_look = 0  # reruns since the tests were judged
        self.spending = RerunAccount(budget, clock)
        self.gone: list[str] = []  # tests of the history that were not collected
        self.tallies: dict[str, Tally] = {}

    @property
    def used_to_pass(self) -> list[Tally]:
        """Tests of this session that passed more often than not before."""
        return [each for each in self.tallies.values() if each.stored and 2 * each.stored.failures < each.stored.runs]

    @property
    def is_outage(self) -> bool:
        """Whether most of the tests that used to pass failed in their first run, so the session does not count."""
        known = self.used_to_pass
        failed = sum(not tally.first_passed for tally in known)
        return not self._count_outage and len(known) >= OUTAGE_TESTS and failed > OUTAGE_SHARE * len(known)

    @property
    def campaign(self) -> SessionCampaign:
        """The campaign of the session."""
        return self._campaign

    def first(self, test: Test, run: TestRun) -> None:
        """Record the first run of a test."""
        record = self._records.get(test.name)
        past = None if record is None else record.past(test.source, test.bar, after=self._oldest)
        tally = Tally(test, past, record)
        self.tallies[test.name] = tally
        self._fresh.append(tally)
        tally.add(run)

    def next(self) -> str | None:
        """Return the test to rerun next, or None if no rerun is left, or worth it, now."""
        if self._fresh and self.is_outage:
            return None
        self._admit()
        if self._campaign.is_empty:
            return None
        if not self.spending.has_started:
            self._look()  # compiles what judging needs: the clock starts afterwards
            self.spending.start()
        return self._next_suspect() or self._next_of_campaign()

    def rerun(self, name: str, run: TestRun | None) -> None:
        """Record a rerun; None if it has no outcome: the test was skipped, or its process crashed."""
        tally = self.tallies[name]
        self._since_look += 1
        self._has_news |= tally.queued > 0 or (run is not None and not run.passed)
        cost = tally.reserved.pop(0)
        self.spending.settle(cost, has_run=run is not None)
        ticket = None if tally.queued else tally.tickets.pop(0)
        tally.queued -= tally.queued > 0
        if run is None:
            self._drop(tally, ticket)
            return
        self._campaign.tell(tally, ticket, passed=run.passed, cost=cost)
        if tally.add(run):
            self._campaign.tell_past(tally)

    def _drop(self, tally: Tally, ticket: Ticket | None) -> None:
        """Judge a test no more."""
        tally.dropped = True
        if ticket is not None:
            self._campaign.give_up(ticket, reason="no outcome")
        self._campaign.retire(tally.test.arm)

    def _cost(self, tally: Tally) -> float:
        return max(tally.expected_seconds, SHORTEST) if self.spending.is_time else 1.0

    def _reserve(self, tally: Tally, ticket: Ticket | None = None) -> bool:
        """Reserve the cost of a rerun, if the remaining budget can pay for it."""
        cost = self._cost(tally)
        if not self.spending.reserve(cost):
            return False
        tally.reserved.append(cost)
        if ticket is None:
            tally.queued += 1
        else:
            tally.tickets.append(ticket)
        return True

    def _look(self) -> None:
        """Judge the tests, to see which need a rerun."""
        self._decisions = {row.arm: row.decision for row in self._campaign.campaign.verdicts()}
        self._worth = {tally.test.arm: tally for tally in self.tallies.values() if self._is_worth(tally)}
        self._since_look = 0

    def _is_worth(self, tally: Tally) -> bool:
        """Return whether a rerun may change the report on a test."""
        decision = self._decisions[tally.test.arm]
        is_open = decision == "open" and not tally.is_broken
        return not tally.dropped and (is_open or _group_of(tally, decision) is not None)

    def _next_suspect(self) -> str | None:
        """Return the next suspect to rerun, as long as suspects have not used up their share of the budget."""
        if not self._suspects and self._has_news:
            self._suspects.extend(self._find_suspects())
            self._has_news = bool(self._suspects)
        while self._suspects:
            tally = self.tallies[self._suspects.popleft()]
            if self._may_use_more(tally) and not tally.dropped and self._reserve(tally):
                self._for_suspects += self._cost(tally)
                self._for_past += 0.0 if tally.failures else self._cost(tally)
                return tally.test.name
        return None

    def _may_use_more(self, suspect: Tally) -> bool:
        """Return whether the share of the budget for tests like this one is not used up."""
        if not suspect.failures and self._for_past >= MOST_FOR_PAST * self.spending.capacity:
            return False
        left = self.spending.capacity - self._for_others - self._for_suspects
        return left > 0.0 or (suspect.failures > 0 and suspect.all_runs < FEW_RUNS)

    def _find_suspects(self) -> Iterator[str]:
        """Yield the tests to rerun before all others: those of the first group that has any."""
        self._look()
        groups: tuple[list[Tally], list[Tally]] = ([], [])
        for tally in self.tallies.values():
            if not tally.dropped and (group := _group_of(tally, self._decisions[tally.test.arm])) is not None:
                groups[group].append(tally)
        for tally in groups[0] or groups[1]:
            yield from [tally.test.name] * max(tally.runs // RUNS_PER_BATCH, 1)

    def _next_of_campaign(self) -> str | None:
        """Return the test whose next run is most valuable, among those that the remaining budget can pay for."""
        if self._since_look > len(self._worth) // TESTS_PER_LOOK:
            self._look()
        while self._worth and self.spending.left >= (SHORTEST if self.spending.is_time else 1.0):
            ticket = self._campaign.ask(self._worth)
            # Without a ticket: the arm was retired when the test was decided, and now it is open again.
            tally = self._worth[ticket.arm] if ticket else min(self._worth.values(), key=lambda each: each.all_runs)
            if self._reserve(tally, ticket):
                return tally.test.name
            del self._worth[tally.test.arm]
            if ticket is not None:
                self._campaign.give_up(ticket, reason="too long for the rest of the budget")
                self._campaign.retire(ticket.arm)
        return None

    def _admit(self) -> None:
        """Add the tests that have run once to the campaign."""
        fresh, self._fresh = self._fresh, []
        if not fresh:
            return
        self._has_news, is_first = True, self._campaign.is_empty
        self.spending.set_default(len(self.tallies))
        wanted = FOR_OTHERS * sum(self._cost(tally) for tally in self.tallies.values() if not tally.failures)
        self._for_others = min(wanted, MOST_FOR_OTHERS * self.spending.capacity)
        self._campaign.admit(fresh, [self._cost(tally) for tally in fresh], reruns=self.spending.capacity)
        if is_first:
            self._campaign.admit_absent(self._absent(), oldest=self._oldest)

    def _absent(self) -> dict[str, StoredTest]:
        left_out = {*self.tallies, *self.gone}
        return {name: record for name, record in self._records.items() if name not in left_out}

    def judge(self) -> list[Judged]:
        """End the session; return the verdict on every test that can be judged, in the order of their first runs."""
        if not self.tallies:
            return []
        if self.is_outage:
            self._campaign = self._campaign_of_past()
        else:
            self._admit()
        verdicts = self._campaign.close()
        rows = {row.arm: row for row in verdicts}
        return [Judged(tally, rows[tally.test.arm]) for tally in self.tallies.values() if not tally.dropped]

    def _campaign_of_past(self) -> SessionCampaign:
        """Return a campaign without outcomes of this session."""
        campaign = SessionCampaign(self._guarantee)
        tallies = list(self.tallies.values())
        for tally in tallies:
            tally.past = tally.stored
        campaign.admit_unmeasured(tallies)
        return campaign

    def more_runs(self, tests: Iterable[Judged]) -> dict[str, int]:
        """Return about how many more runs decide each of these tests, by name; see :class:`SessionCampaign`."""
        by_arm = {each.test.arm: each for each in tests}
        found = self._campaign.more_runs([each.verdict for each in by_arm.values()])
        return {by_arm[arm].test.name: runs for arm, runs in found.items()}

    def stored_as(self, session: str, at: int, today: str) -> dict[str, StoredTest]:
        """Return the stored runs of this session by test; none in an outage."""
        if self.is_outage:
            return {}
        return {name: tally.stored_as(session, at, today) for name, tally in self.tallies.items()}


def _group_of(tally: Tally, decision: str) -> int | None:
    """Return 0 for a test that is rerun first, 1 for one that follows, None for one that is not a suspect.

    First come tests that failed in this session, until they are decided or have failed four times out of four; and
    tests that are red because of their history, until they fail now. Then open tests that failed in an earlier session.
    """
    if tally.fails_every_time:
        return 0 if tally.runs + len(tally.reserved) <= SECOND_CHANCES else None
    if tally.failures:
        return 0 if decision == "open" else None
    if decision == "fail":
        return 0
    return 1 if decision == "open" and tally.past is not None and tally.past.failures else None
