"""What a storage does: keep the rows of campaigns, change them in one transaction, read them in one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeAlias

from thresher.campaign import Arm, Change, Event, Happening, Ledger, Machine, Pull, Request, State


class Heading(NamedTuple):
    """How a storage knows a campaign: its number, its name, its terms as JSON."""

    id: int
    name: str
    terms: str


class Need(NamedTuple):
    """The rows that a decision needs, beside the ledger.

    Attributes
    ----------
    least : int
        So many arms of least urgency, and the outstanding pulls whose lease has run out.
    pulls : tuple of int
        Pulls by number, with their arms.
    beside : bool
        All pulls of the arms of those pulls too.
    names : tuple of str
        Arms by name.
    key : str, optional
        What an earlier call with this idempotency key did, with the pulls that it made.
    """

    least: int = 0
    pulls: tuple[int, ...] = ()
    beside: bool = False
    names: tuple[str, ...] = ()
    key: str | None = None


class View(NamedTuple):
    """Rows of one moment: the state, and when the leases of its pulls run out (µs since 1970, by number)."""

    state: State
    expires: dict[int, int]


class Done(NamedTuple):
    """What a transaction did: the rows that it knew, what changed (None: nothing), and when."""

    view: View
    change: Change | None
    at: int


class Contents(NamedTuple):
    """All rows of a campaign in one snapshot; events come one by one."""

    ledger: Ledger
    arms: list[Arm]
    pulls: list[Pull]
    expires: dict[int, int]
    requests: list[Request]
    events: Iterator[Event]


Plan: TypeAlias = Callable[[State], Happening | None]


class Snapshot(Protocol):
    """One campaign at one moment: whatever is read here is of the same one, in any order."""

    def ledger(self) -> Ledger:
        """Return the ledger."""
        ...

    def arms(self, *, first: int = 0, limit: int | None = None) -> list[Arm]:
        """Return arms by position, from the first wanted."""
        ...

    def pulls(
        self, *, arm: int | None = None, after: int = 0, limit: int | None = None
    ) -> tuple[list[Pull], dict[int, int]]:
        """Return pulls by number, of one arm or of all, and when their leases run out."""
        ...


class Storage(Protocol):
    """A place for campaigns. An author of a storage runs ``thresher.testing.campaign_contract`` on it."""

    def create(self, name: str, terms: str, machine: Machine, happenings: Sequence[Happening]) -> Heading:
        """Write a new campaign with its first events; return its heading.

        Raises
        ------
        CampaignExistsError
            If the name is taken.
        """
        ...

    def find(self, name: str) -> Heading:
        """Return the heading of a campaign.

        Raises
        ------
        UnknownCampaignError
            If there is none of that name.
        """
        ...

    def headings(self) -> list[Heading]:
        """Return the headings of all campaigns, oldest first."""
        ...

    def transact(self, campaign: int, machine: Machine, need: Need, plan: Plan) -> Done:
        """Read the rows that are needed, decide, and write what changes with its event: all or nothing.

        It is durable on return. No other transaction of the same campaign comes between. `plan` may be called again,
        with newer rows.
        """
        ...

    def look(self, campaign: int, need: Need) -> View:
        """Return rows of one moment without holding anybody up."""
        ...

    def snapshot(self, campaign: int) -> AbstractContextManager[Snapshot]:
        """Hold the rows of one moment; let go of them before anything is computed, since others may wait."""
        ...

    def events(self, campaign: int, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return events by number."""
        ...

    def verify(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` finds in a snapshot of all rows, and what the database finds in itself."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
