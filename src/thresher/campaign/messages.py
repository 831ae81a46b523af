"""The values that a campaign returns: tickets, receipts, its standing, its log entries."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

ToldItem: TypeAlias = tuple[str, str, Any, int | None]  # arm, item, outcome, and the ordinal of the repeat


@dataclass(frozen=True)
class Ticket:
    """The right to one pull, with a lease.

    Parameters
    ----------
    id : str
        The number of the pull and 128 random bits; its outcome is told with this id.
    arm : str
        The arm to measure.
    expires : datetime
        When the lease expires by the database's clock; then the pull may be issued again.
    item : str or None
        The item that the arm is to answer; None in a campaign without items.
    repeat : int or None
        For which time the arm is asked this item: 1, 2, …; None in a campaign without items.
    """

    id: str
    arm: str
    expires: datetime
    item: str | None = None
    repeat: int | None = None


@dataclass(frozen=True)
class Receipt:
    """The confirmation of an outcome.

    Parameters
    ----------
    ticket, arm : str
    replayed : bool
        It was told before; nothing changed.
    late : bool
        It was told after the lease had expired or the pull had been given up.
    used : bool
        It is in the statistics.
    unpaid : float
        The part of the cost told with it that the budget did not pay.
    """

    ticket: str
    arm: str
    replayed: bool
    late: bool
    used: bool
    unpaid: float = 0


@dataclass(frozen=True)
class Standing:
    """Status, budget and counts of a campaign; money is in the unit of the pull costs.

    Parameters
    ----------
    name, status : str
        ``open``; ``ended`` once it needs nothing more; ``paused``; ``closed``; ``archived``.
    is_open : bool
        Whether an ask can return a ticket, now or later.
    budget, spent, outstanding : float
    arms, told, late, events : int
        Number of arms, of outcomes in the statistics, of late outcomes, of events.
    note : str
        Why the campaign can be neither measured nor judged in this process; empty if it can.
    items : int
        Number of items that every arm can answer; 0 without items.
    """

    name: str
    status: str
    is_open: bool
    budget: float
    spent: float
    outstanding: float
    arms: int
    told: int
    late: int
    events: int
    note: str = ""
    items: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True)
class Entry:
    """One entry of the event log of a campaign.

    Parameters
    ----------
    seq : int
    at : datetime
        By the database's clock; the order is that of `seq`.
    kind : str
        The kind of the event: ``asked``, ``told``, ``voided``, …
    details : dict
        The fields of the event.
    """

    seq: int
    at: datetime
    kind: str
    details: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, the time in ISO 8601."""
        return {"seq": self.seq, "at": self.at.isoformat(), "kind": self.kind, "details": self.details}


def moment(micros: int) -> datetime:
    """Return a time in µs since 1970 as a datetime in UTC."""
    return datetime.fromtimestamp(micros // 1_000_000, UTC).replace(microsecond=micros % 1_000_000)
