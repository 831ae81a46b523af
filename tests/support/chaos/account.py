"""Compare what was acknowledged with what is stored: nothing lost, nothing doubled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.support.chaos.nursery import Report
from tests.support.chaos.workers import outcome_of
from thresher.campaign import Campaign


@dataclass
class Account:
    """What workers were told that the campaign has done.

    Parameters
    ----------
    asked, told : set of str
        Tickets that were received, and those whose outcome was acknowledged.
    """

    asked: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)

    def take(self, reports: Iterable[Report]) -> None:
        """Take in what a worker reported."""
        for report in reports:
            if "asked" in report:
                self.asked.add(report["asked"])
            if "told" in report:
                self.told.add(report["told"])

    def compare(self, campaign: Campaign, *, is_complete: bool = True) -> Findings:
        """Return what the log of a campaign has too little and too much, and verify the campaign.

        Parameters
        ----------
        campaign : Campaign
        is_complete : bool
            Whether every call was repeated until it was answered, so that a ticket that never arrived is one that was
            handed out twice for one call.
        """
        tickets, told, places = dict[int, str](), list[tuple[str, float]](), Counter[tuple[int, ...]]()
        for entry in campaign.history():
            if entry.kind == "asked":
                tickets |= {number: ticket for number, ticket, *_ in entry.details["pulls"]}
                places.update((arm, *item) for _, _, arm, *item in entry.details["pulls"] if item)
            elif entry.kind == "told":
                told += [(tickets[number], value) for number, value in entry.details["outcomes"]]
        campaign.verify()
        stored, outcomes = set(tickets.values()), dict(told)
        lost = self.asked - stored | {t for t in self.told if outcomes.get(t) != outcome_of(t)}
        doubled = {ticket for ticket, times in Counter(ticket for ticket, _ in told).items() if times > 1}
        doubled |= stored - self.asked if is_complete else set()
        again = sum(times > 1 for times in places.values())  # no lease ends in these tests
        return Findings(len(lost), len(doubled) + again, len(outcomes))


@dataclass(frozen=True)
class Findings:
    """How many acknowledged calls are not in the log, how many are there twice, and how many outcomes it has."""

    lost: int
    doubled: int
    told: int

    def __str__(self) -> str:
        return f"{self.told} told, {self.lost} lost, {self.doubled} doubled"
