"""What a storage does: it keeps the rows of campaigns, changes them in transactions, reads them in snapshots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeAlias

from thresher.campaign.ledger import (
    Answer,
    Arm,
    CampaignState,
    Change,
    Event,
    Item,
    Ledger,
    LogEntry,
    Machine,
    Pull,
    Request,
    Signal,
)

MOST_EXPIRED = 1000  # expired leases that one ask releases
MOST_EVENTS = 1000  # events whose changed arms are read one by one; after more of them all arms are read


class Heading(NamedTuple):
    """A campaign in a storage: its number, its name, its terms as JSON."""

    id: int
    name: str
    terms: str


class RowsToRead(NamedTuple):
    """The rows that a decision needs in addition to the ledger.

    Attributes
    ----------
    least : int
        That many arms of least sort key that the budget can pay, and the outstanding pulls whose lease has expired,
        with their arms.
    reissue : bool
        Whether the cost of expired pulls goes back to the budget that pays the arms of `least`.
    pulls : tuple of int
        Pulls by number, with their arms.
    arm_pulls : bool
        All pulls of the arms of those pulls too.
    names : tuple of str
        Arms by name.
    key : str, optional
        What an earlier call with this idempotency key did, with the pulls that it made and their arms.
    items : bool
        The items of those pulls too, and the scores of their arms.
    item_pairs : tuple of (str, str)
        Arms and items by name, all pulls of those arms that were issued or told an item of these pairs, and the scores
        of these arms.
    everything : bool
        All arms, all items and all signals.
    told_after : int, optional
        The pulls of items whose outcomes were told after this event.
    unused : bool
        The pulls whose late outcome could not be paid, with their arms.
    since : int, optional
        The events after this one, and the pulls whose outcomes they changed, with their arms.
    arms_since : int, optional
        The arms that events after this one changed, all arms if it is 0; and the expired pulls, as for `least`.
    """

    least: int = 0
    reissue: bool = True
    pulls: tuple[int, ...] = ()
    arm_pulls: bool = False
    names: tuple[str, ...] = ()
    key: str | None = None
    items: bool = False
    item_pairs: tuple[tuple[str, str], ...] = ()
    everything: bool = False
    told_after: int | None = None
    unused: bool = False
    since: int | None = None
    arms_since: int | None = None


class TransactionResult(NamedTuple):
    """What a transaction did: the rows that it read, and the rows that it changed (None: nothing was written)."""

    state: CampaignState
    change: Change | None


class Contents(NamedTuple):
    """All rows of a campaign in one snapshot; they are read while they are iterated over."""

    ledger: Ledger
    arms: Iterator[Arm]
    pulls: Iterator[Pull]
    requests: Iterator[Request]
    items: Iterator[Item]
    signals: Iterator[Signal]
    log: Iterator[LogEntry]


Plan: TypeAlias = Callable[[CampaignState], Event | None]


class Snapshot(Protocol):
    """One campaign at one moment: everything that is read here is from the same moment."""

    def ledger(self) -> Ledger:
        """Return the ledger."""
        ...

    def arms(self, *, first: int = 0, limit: int | None = None) -> list[Arm]:
        """Return arms by position, from `first` on."""
        ...

    def pulls(self, *, arm: int | None = None, after: int = 0, limit: int | None = None) -> list[Pull]:
        """Return pulls by number, of one arm or of all."""
        ...

    def items(self, *, first: int = 0, limit: int | None = None) -> list[Item]:
        """Return items by position, from `first` on."""
        ...

    def answers(self) -> list[Answer]:
        """Return the outcomes that count of all arms on all items."""
        ...

    def item_pulls(self) -> list[tuple[int, int, int, int]]:
        """Return (number, arm, item, 1 if its outcome was imported) of all pulls of items."""
        ...

    def signals(self) -> list[Signal]:
        """Return past arms, and the scores of arms."""
        ...

    def single_outcomes(self) -> list[tuple[int, float]]:
        """Return (position of the arm, outcome) of all outcomes that count and were not told as sums."""
        ...


class Storage(Protocol):
    """A place for campaigns. ``tests/contract`` has what each must pass."""

    def create(self, name: str, terms: str, machine: Machine, events: Sequence[Event]) -> Heading:
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

    def transact(self, campaign: int, machine: Machine, need: RowsToRead, plan: Plan) -> TransactionResult:
        """Read the rows that are needed, decide, and write the event with the rows that it changes: all or nothing.

        It is durable on return. Transactions of one campaign follow each other.
        """
        ...

    def ledger(self, campaign: int) -> Ledger:
        """Return the ledger without waiting for writers."""
        ...

    def look(self, campaign: int, need: RowsToRead) -> CampaignState:
        """Return rows of one moment without waiting for writers."""
        ...

    def snapshot(self, campaign: int) -> AbstractContextManager[Snapshot]:
        """Hold the rows of one moment; compute after it is closed, because few can be held at a time."""
        ...

    def events(
        self, campaign: int, *, after: int = 0, limit: int | None = None, size: int | None = None
    ) -> list[LogEntry]:
        """Return the log in order, up to `limit` events and up to the one that makes `size` bytes full."""
        ...

    def verify(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` finds in a snapshot of all rows, and what the database finds in itself.

        Asks, tells and short reads go on meanwhile.
        """
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
