"""The campaign of one session: tests are its arms, their runs its outcomes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.campaign import Campaign, SimilarNamesWarning, Ticket, Verdict, Verdicts
from thresher.campaign.storage import MemoryStorage
from thresher.errors import BudgetSpentError
from thresher.pytest_plugin.history import CAMPAIGN
from thresher.pytest_plugin.stored_test import Past, StoredTest
from thresher.pytest_plugin.tally import Tally, Test

MOST_TICKETS = 10_000
SMALLEST = 1e-6  # a pull cost: that of arms which are not measured
LEASE = 1e7  # seconds
MORE_RUNS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000)  # examined for a decision


class SessionCampaign:
    """The campaign of a session, in memory.

    The runs of this session are paid from its budget. Those of earlier sessions are told as aggregates, unpaid.

    Parameters
    ----------
    guarantee : str
        As in a campaign.
    """

    def __init__(self, guarantee: str = "calibrated") -> None:
        self._guarantee = guarantee
        self._campaign: Campaign | None = None
        self._retired: set[str] = set()
        self.storage = MemoryStorage()

    @property
    def campaign(self) -> Campaign:
        """The campaign, which exists once tests were admitted."""
        assert self._campaign is not None
        return self._campaign

    @property
    def is_empty(self) -> bool:
        """Whether no tests were admitted."""
        return self._campaign is None

    def admit(self, tallies: Sequence[Tally], costs: Sequence[float], *, reruns: float) -> None:
        """Add tests that have run once, with the costs of their runs; `reruns` is what all reruns may cost."""
        self._add([tally.test for tally in tallies], [_rounded(cost) for cost in costs], reruns=reruns)
        outcomes = {tally.test.arm: tally.first_passed for tally in tallies}
        while outcomes:  # new arms are issued first, so these are their tickets
            tickets = self.campaign.ask(min(len(outcomes), MOST_TICKETS))
            self.campaign.tell_many([(ticket, outcomes.pop(ticket.arm)) for ticket in tickets])
        for tally in tallies:
            self.tell_past(tally)

    def admit_unmeasured(self, tallies: Sequence[Tally]) -> None:
        """Add tests with their history alone."""
        self._add([tally.test for tally in tallies], [1.0] * len(tallies), reruns=0.0)
        for tally in tallies:
            tally.past_ticket = ""
            self.tell_past(tally)

    def admit_absent(self, records: Mapping[str, StoredTest], *, oldest: int) -> None:
        """Add tests that are not part of this session: they are judged by their history, and not rerun."""
        for test, past in self._add_records(records, cost=SMALLEST, oldest=oldest):
            self.campaign.tell_counts(test.arm, n=past.runs, total=float(past.runs - past.failures), paid=False)
            self.retire(test.arm)

    def admit_records(self, records: Mapping[str, StoredTest], *, oldest: int) -> None:
        """Add tests of several sessions, such as those of shards: the budget pays for all runs that count."""
        for test, past in self._add_records(records, cost=1.0, oldest=oldest):
            if past.runs > 1:  # the budget has the cost of one run of each test
                self.campaign.extend(past.runs - 1)
            self.campaign.tell_counts(test.arm, n=past.runs, total=float(past.runs - past.failures))

    def _add_records(self, records: Mapping[str, StoredTest], *, cost: float, oldest: int) -> list[tuple[Test, Past]]:
        """Add tests that have a history; return them with the part of it that counts."""
        found = [
            (Test(name, record.bar, record.cost, record.source), past)
            for name, record in records.items()
            if (past := record.past(record.source, record.bar, after=oldest)) is not None
        ]
        if found:
            self._add([test for test, _ in found], [cost] * len(found), reruns=0.0)
        return found

    def _add(self, tests: Sequence[Test], costs: list[float], *, reruns: float) -> None:
        names = [test.arm for test in tests]
        numbers: dict[str, Any] = {
            "threshold": [test.bar for test in tests], "costs": [test.cost for test in tests], "pull_costs": costs,
        }  # fmt: skip
        if self._campaign is None:
            terms: dict[str, Any] = {"guarantee": self._guarantee, "lease": LEASE}
            with warnings.catch_warnings(action="ignore", category=SimilarNamesWarning):  # two tests
                self._campaign = Campaign.create(
                    self.storage, CAMPAIGN, arms=names, budget=sum(costs) + reruns, **numbers, **terms
                )
        else:
            self._campaign.extend(sum(costs))
            self._campaign.add_arms(names, **numbers)

    def tell_past(self, tally: Tally) -> None:
        """Tell the history of a test; it replaces the earlier one."""
        if tally.past_ticket:
            self.campaign.void(tally.past_ticket, reason="this session is unlike the past")
        tally.past_ticket = ""
        if (past := tally.past) is not None:
            passes = float(past.runs - past.failures)
            told = self.campaign.tell_counts(tally.test.arm, n=past.runs, total=passes, paid=False)
            tally.past_ticket = told.ticket

    def ask(self, arms: Mapping[str, object]) -> Ticket | None:
        """Return a ticket for the most valuable run among these arms; None if there is none."""
        while (ticket := self.campaign.ask()) is not None:
            if ticket.arm in arms:
                return ticket
            self.campaign.fail(ticket, reason="decided")
            self.retire(ticket.arm)
        return None

    def tell(self, tally: Tally, ticket: Ticket | None, *, passed: bool, cost: float) -> None:
        """Tell the outcome of a rerun, with its ticket if it was asked for."""
        if ticket is not None:
            self.campaign.tell(ticket, passed)
            return
        try:
            self.campaign.tell_counts(tally.test.arm, n=1, total=float(passed))
        except BudgetSpentError:  # a budget in seconds pays for more runs than expected if they are fast
            self.campaign.extend(_rounded(cost))
            self.campaign.tell_counts(tally.test.arm, n=1, total=float(passed))

    def give_up(self, ticket: Ticket, *, reason: str) -> None:
        """Return a ticket without an outcome."""
        self.campaign.fail(ticket, reason=reason)

    def retire(self, arm: str) -> None:
        """Ask for no more runs of a test."""
        if arm not in self._retired:
            self._retired.add(arm)
            self.campaign.retire(arm)

    def close(self) -> Verdicts:
        """End the campaign; return the verdicts."""
        self.campaign.close(reason="end of the session")
        return self.campaign.verdicts()

    def more_runs(self, rows: Iterable[Verdict]) -> dict[str, int]:
        """Return about how many more runs decide each of these arms, if it passes as often as before.

        Each is given more runs in a copy of the campaign. An arm that 2,000 do not decide is left out.
        """
        copy = Campaign.open(self.storage.copy(), CAMPAIGN)
        needed: dict[str, int] = {}
        rates = {row.arm: 1.0 - (row.mean or 0.0) for row in rows}
        given, failed = 0, dict.fromkeys(rates, 0)
        for more in MORE_RUNS if rates else ():
            for arm in rates.keys() - needed.keys():
                total = round(more * rates[arm])
                passes = more - given - (total - failed[arm])
                failed[arm] = total
                copy.tell_counts(arm, n=more - given, total=float(passes), paid=False)
            given = more
            decided = {row.arm for row in copy.verdicts() if row.decision != "open"}
            needed |= dict.fromkeys((rates.keys() - needed.keys()) & decided, more)
            if len(needed) == len(rates):
                break
        return needed


def _rounded(cost: float) -> float:
    """Return a cost as a power of two: arms of equal cost share one compiled rule."""
    return float(2.0 ** round(math.log2(max(cost, SMALLEST))))
