"""What passes between a campaign and those who hold it: tickets, receipts, how it stands, what happened."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class Ticket:
    """One pull handed out.

    Parameters
    ----------
    id : str
        The number of the pull and 128 random bits: the key under which its outcome is told.
    arm : str
        What to measure.
    expires : datetime
        When the pull may be given to another, by the database's clock.
    """

    id: str
    arm: str
    expires: datetime


@dataclass(frozen=True)
class Receipt:
    """What became of an outcome.

    Parameters
    ----------
    ticket, arm : str
    replayed : bool
        It was told before; nothing changed.
    late : bool
        It came after its unit had been given up.
    used : bool
        It counts in the statistics.
    """

    ticket: str
    arm: str
    replayed: bool
    late: bool
    used: bool


@dataclass(frozen=True)
class Standing:
    """How a campaign stands; money is in the unit of the pull costs.

    Parameters
    ----------
    name, status : str
        ``open``; ``ended`` once it needs nothing more; ``paused``; ``closed``.
    is_open : bool
        Whether an ask that gives nothing now may give something later.
    budget, spent, outstanding : float
    arms, told, late, events : int
        How many arms, outcomes in the statistics, outcomes that came late, events.
    note : str
        Why it can be neither measured nor judged here; empty if it can.
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

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True)
class Entry:
    """One line of a campaign's history.

    Parameters
    ----------
    seq : int
    at : datetime
        By the database's clock; order is by `seq` alone.
    kind : str
        What happened: ``asked``, ``told``, ``voided``, …
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
    """Return a time of the database, µs since 1970, in UTC."""
    return datetime.fromtimestamp(micros // 1_000_000, UTC).replace(microsecond=micros % 1_000_000)
