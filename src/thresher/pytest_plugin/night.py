"""One night of tests as a campaign: every test runs once, then reruns go where they change a verdict."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.live import Campaign, Verdict
from thresher.pytest_plugin.history import Past
from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.pytest_plugin.tally import Tally, Test, TestRun
from thresher.storage.memory import MemoryStorage

SECOND_CHANCES = 3  # reruns of a test that has only failed tonight
FOR_OTHERS = 4  # reruns left to each test that passed: a test at its bar stays open, and must not use all reruns
MOST_FOR_OTHERS = 0.5  # share of the budget
RUNS_PER_BATCH = 2  # a suspect is judged again after this share of further runs, because judging takes time
OUTAGE_TESTS = 5  # least number of tests that used to pass; if most of them fail, it is an outage
OUTAGE_SHARE = 0.5
MOST_TICKETS = 10_000
PLENTY = 1e9  # budget of the campaign; the night tracks its own spending, because durations are known only afterwards
SHORTEST = 1e-3  # seconds
MORE_RUNS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000)  # examined for a decision


@dataclass(frozen=True)
class Judged:
    """The verdict on one test.

    Parameters
    ----------
    tally : Tally
        Its runs tonight, and the past that was counted.
    decision : str
        ``pass``, ``fail`` or ``open``; ``fail`` too if it failed every time tonight and there is no outage.
    verdict : Verdict
        Without the runs of tonight if there is an outage.
    """

    tally: Tally
    decision: str
    verdict: Verdict

    @property
    def test(self) -> Test:
        """The test."""
        return self.tally.test

    @property
    def is_red(self) -> bool:
        """Whether pytest counts it as failed: it fails its bar, or it failed tonight and does not pass its bar."""
        if self.decision == "fail" or self.tally.fails_every_time:
            return True
        return self.tally.failures > 0 and self.decision != "pass"

    @property
    def has_failed(self) -> bool:
        """Whether it failed tonight or in the past that counts."""
        return self.tally.failures > 0 or (self.tally.past is not None and self.tally.past.failures > 0)


class Night:
    """Decides which test to rerun, and judges them all.

    Parameters
    ----------
    budget : RerunBudget
    past : mapping of str to Past
        By name of the test; it counts only if the source is the same.
    count_outage : bool
        Whether a night in which most tests fail counts like any other.
    """

    def __init__(self, *, budget: RerunBudget, past: Mapping[str, Past], count_outage: bool = False) -> None:
        self._budget, self._past, self._count_outage = budget, past, count_outage
        self._campaign: Campaign | None = None
        self._fresh: list[Tally] = []
        self._suspects: deque[str] = deque()
        self._has_news = False  # since suspects were looked for
        self._reserved = 0.0  # expected cost of the reruns under way
        self._for_suspects = 0.0  # expected cost of all reruns of suspects
        self._for_others = 0.0  # what they leave of the budget
        self.spent = 0.0
        self.expected_mistakes = math.nan
        self.tallies: dict[str, Tally] = {}

    @property
    def budget(self) -> float:
        """What may be spent on reruns."""
        return len(self.tallies) if self._budget.amount is None else self._budget.amount

    @property
    def account(self) -> str:
        """What was spent, in words."""
        show = self._budget.show
        return f"{show(self.spent)} of {show(self.budget)} {self._budget.unit} used"

    @property
    def used_to_pass(self) -> list[Tally]:
        """Tests of tonight that passed more often than not before."""
        return [each for each in self.tallies.values() if each.stored and 2 * each.stored.failures < each.stored.runs]

    @property
    def is_outage(self) -> bool:
        """Whether most of the tests that used to pass failed in their first run, so the night does not count."""
        known = self.used_to_pass
        failed = sum(not tally.first_passed for tally in known)
        return not self._count_outage and len(known) >= OUTAGE_TESTS and failed > OUTAGE_SHARE * len(known)

    def first(self, test: Test, run: TestRun) -> None:
        """Record the first run of a test tonight."""
        past = self._past.get(test.name)
        tally = Tally(test, past if past is not None and past.source == test.source else None)
        self.tallies[test.name] = tally
        self._fresh.append(tally)
        tally.add(run)

    def next(self) -> str | None:
        """Return the test to rerun next, or None if no rerun is left, or worth it, now."""
        if self._fresh and self.is_outage:
            return None
        self._admit()
        if self._campaign is None:
            return None
        return self._next_suspect() or self._next_of_campaign(self._campaign)

    def rerun(self, name: str, run: TestRun | None) -> None:
        """Record a rerun; None if it has no outcome: the test was skipped, or its process crashed."""
        assert self._campaign is not None
        tally = self.tallies[name]
        self._has_news |= tally.queued > 0 or (run is not None and not run.passed)
        self._reserved -= tally.reserved.pop(0)
        if run is not None:
            self.spent += run.seconds if self._budget.is_time else 1.0
        if tally.queued:
            tally.queued -= 1
            if run is not None:
                self._campaign.tell_counts(name, n=1, total=float(run.passed), paid=False)
        elif run is None:
            self._campaign.fail(tally.tickets.pop(0))
        else:
            self._campaign.tell(tally.tickets.pop(0), run.passed)
        if run is None:
            tally.dropped = True
            self._campaign.retire(name)
        elif tally.add(run):
            self._retell_past(tally)

    def _retell_past(self, tally: Tally) -> None:
        """Remove discarded history from the campaign; tell the part that still counts."""
        assert self._campaign is not None
        if tally.past_ticket:
            self._campaign.void(tally.past_ticket, reason="tonight is unlike the past")
        _tell_past(self._campaign, tally)

    def _cost(self, tally: Tally) -> float:
        return max(tally.expected_seconds, SHORTEST) if self._budget.is_time else 1.0

    def _reserve(self, tally: Tally) -> bool:
        """Reserve the cost of a rerun, if the remaining budget can pay for it."""
        cost = self._cost(tally)
        if cost > self.budget - self.spent - self._reserved:
            return False
        tally.reserved.append(cost)
        self._reserved += cost
        return True

    def _next_suspect(self) -> str | None:
        """Return the next suspect to rerun, as long as suspects have not used up their share of the budget."""
        if self._for_suspects >= self.budget - self._for_others:
            return None
        if not self._suspects and self._has_news:
            self._suspects.extend(self._find_suspects())
            self._has_news = bool(self._suspects)
        while self._suspects:
            tally = self.tallies[self._suspects.popleft()]
            if not tally.dropped and self._reserve(tally):
                tally.queued += 1
                self._for_suspects += self._cost(tally)
                return tally.test.name
        return None

    def _find_suspects(self) -> Iterator[str]:
        """Yield the tests to rerun before all others: those of the first group that has any."""
        assert self._campaign is not None
        decisions = {row.arm: row.decision for row in self._campaign.verdicts()}
        groups: tuple[list[Tally], list[Tally]] = ([], [])
        for name, tally in self.tallies.items():
            if not tally.dropped and (group := _group_of(tally, decisions[name])) is not None:
                groups[group].append(tally)
        for tally in groups[0] or groups[1]:
            yield from [tally.test.name] * max(tally.runs // RUNS_PER_BATCH, 1)

    def _next_of_campaign(self, campaign: Campaign) -> str | None:
        """Return the test whose next run is worth most, among those that the remaining budget can pay for."""
        while self.budget - self.spent - self._reserved >= (SHORTEST if self._budget.is_time else 1.0):
            ticket = campaign.ask()
            if ticket is None:
                return None
            tally = self.tallies[ticket.arm]
            if self._reserve(tally):
                tally.tickets.append(ticket)
                return ticket.arm
            campaign.fail(ticket, reason="too long for the rest of the budget")
            campaign.retire(ticket.arm)
        return None

    def _admit(self) -> None:
        """Add the tests that have run once to the campaign."""
        fresh, self._fresh = self._fresh, []
        if not fresh:
            return
        self._has_news = True
        wanted = FOR_OTHERS * sum(self._cost(tally) for tally in self.tallies.values() if not tally.failures)
        self._for_others = min(wanted, MOST_FOR_OTHERS * self.budget)
        if self._campaign is None:
            self._campaign = self._campaign_of(fresh)
        else:
            self._campaign.add_arms([tally.test.name for tally in fresh], **self._numbers(fresh))
        outcomes = {tally.test.name: tally.first_passed for tally in fresh}
        while outcomes:  # new arms are issued first, so these are their tickets
            tickets = self._campaign.ask(min(len(outcomes), MOST_TICKETS))
            self._campaign.tell_many([(ticket, outcomes.pop(ticket.arm)) for ticket in tickets])
        for tally in fresh:
            _tell_past(self._campaign, tally)

    def _campaign_of(self, tallies: Sequence[Tally]) -> Campaign:
        names = [tally.test.name for tally in tallies]
        return Campaign.create(
            MemoryStorage(), "tonight", arms=names, budget=PLENTY, lease=1e7, **self._numbers(tallies)
        )

    def _numbers(self, tallies: Sequence[Tally]) -> dict[str, Any]:
        return {
            "threshold": [tally.test.bar for tally in tallies],
            "costs": [tally.test.cost for tally in tallies],
            "pull_costs": [self._cost(tally) for tally in tallies],
        }

    def judge(self) -> list[Judged]:
        """Return the verdict on every test that can be judged, in the order of their first runs."""
        if not self.tallies:
            return []
        if is_outage := self.is_outage:
            campaign = self._campaign_of(list(self.tallies.values()))
            for tally in self.tallies.values():
                tally.past = tally.stored
                _tell_past(campaign, tally)
        else:
            self._admit()
            assert self._campaign is not None
            campaign = self._campaign
        verdicts = campaign.verdicts()
        self.expected_mistakes = verdicts.expected_mistakes
        rows = {row.arm: row for row in verdicts}
        judged = [Judged(tally, rows[name].decision, rows[name]) for name, tally in self.tallies.items()]
        return [each if is_outage else _broken(each) for each in judged if not each.tally.dropped]

    def more_runs(self, tests: Iterable[Judged]) -> dict[str, int]:
        """Return about how many more runs decide each of these tests, if it passes as often as before.

        Each is given more runs in the campaign of tonight, which must be over. A test that 2,000 do not decide is left
        out.
        """
        needed: dict[str, int] = {}
        rates = {each.test.name: 1.0 - (each.verdict.mean or 0.0) for each in tests}
        given, failed = 0, dict.fromkeys(rates, 0)
        assert self._campaign is not None
        for more in MORE_RUNS if rates else ():
            for name in rates.keys() - needed.keys():
                total = round(more * rates[name])
                passes = more - given - (total - failed[name])
                failed[name] = total
                self._campaign.tell_counts(name, n=more - given, total=float(passes), paid=False)
            given = more
            decided = {row.arm for row in self._campaign.verdicts() if row.decision != "open"}
            needed |= dict.fromkeys((rates.keys() - needed.keys()) & decided, more)
            if len(needed) == len(rates):
                break
        return needed

    def kept(self, today: str) -> list[tuple[str, Past, bool]]:
        """Return the outcomes of tonight for the history; nothing if there is an outage."""
        return [] if self.is_outage else [tally.kept(today) for tally in self.tallies.values()]


def _group_of(tally: Tally, decision: str) -> int | None:
    """Return 0 for a test that is rerun first, 1 for one that follows, None for one that is not a suspect.

    First come tests that failed tonight, until they are decided or have failed four times out of four; and tests that
    are red because of their history, until they fail tonight. Then open tests that failed in an earlier night.
    """
    if tally.fails_every_time:
        return 0 if tally.runs + len(tally.reserved) <= SECOND_CHANCES else None
    if tally.failures:
        return 0 if decision == "open" else None
    if decision == "fail":
        return 0
    return 1 if decision == "open" and tally.past is not None and tally.past.failures else None


def _broken(judged: Judged) -> Judged:
    """Return the verdict; a test that fails every time tonight fails, whatever its history."""
    return Judged(judged.tally, "fail", judged.verdict) if judged.tally.fails_every_time else judged


def _tell_past(campaign: Campaign, tally: Tally) -> None:
    tally.past_ticket = ""
    if tally.past is not None and tally.past.runs:
        passes = float(tally.past.runs - tally.past.failures)
        tally.past_ticket = campaign.tell_counts(tally.test.name, n=tally.past.runs, total=passes, paid=False).ticket
