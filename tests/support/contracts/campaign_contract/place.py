"""The place of the campaigns under test, and helpers of the contract tests."""

from __future__ import annotations

from typing import Any, Protocol

from thresher.campaign import Campaign, Standing, Ticket


class Place(Protocol):
    """The place of the campaigns under test: a database or a service, with a clock that a test can advance."""

    def create(self, name: str = "c", **given: Any) -> Campaign:
        """Return a new campaign."""
        ...

    def open(self, name: str = "c") -> Campaign:
        """Return a campaign as another process would open it."""
        ...

    def standings(self, *, archived: bool = False) -> list[Standing]:
        """Return what ``Campaign.list`` returns here."""
        ...

    def advance(self, seconds: float) -> None:
        """Let time pass on the database's clock."""
        ...


def make(place: Place, name: str = "c", **given: Any) -> Campaign:
    """Return a campaign of three coins with a bar at one half, unless something else is given."""
    usual: dict[str, Any] = {"arms": ["a", "b", "c"], "threshold": 0.5, "budget": 9, "lease": 60, "policy": "lsa"}
    return place.create(name, **(usual | given))


def take(campaign: Campaign) -> Ticket:
    """Return a ticket; there must be one."""
    ticket = campaign.ask()
    assert ticket is not None
    return ticket


def statistics(campaign: Campaign) -> list[tuple[str, int, float | None]]:
    """Return the name, the number of outcomes and the mean of each arm."""
    return [(row.arm, row.pulls, row.mean) for row in campaign.verdicts()]
