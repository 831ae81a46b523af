"""What can happen to a campaign. Each happening is one numbered event of its log, sealed by a hash over all before."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, TypeAlias

from thresher.errors import CorruptionError, StorageError

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True)
class _Happening:
    """Something that changes a campaign; its fields are what the log keeps."""

    kind: ClassVar[str]

    def body(self) -> str:
        """Return the fields as JSON, those at their default not mentioned."""
        values = self.__dict__  # in the order of the fields
        defaults = _DEFAULTS[self.kind]
        return _encode({name: value for name, value in values.items() if value != defaults[name]})


@dataclass(frozen=True)
class Created(_Happening):
    """A campaign began, with these terms (JSON) and this budget."""

    kind = "created"
    name: str
    terms: str
    budget: int


@dataclass(frozen=True)
class ArmsAdded(_Happening):
    """Arms were added: (name, threshold, sigma, cost, pull cost in millionths) of each."""

    kind = "arms-added"
    arms: tuple[tuple[str, float, float, float, int], ...]


@dataclass(frozen=True)
class Asked(_Happening):
    """Tickets were handed out: (number, ticket, arm) of each; before that, these numbers were found to have lapsed."""

    kind = "asked"
    pulls: tuple[tuple[int, str, int], ...]
    lapsed: tuple[int, ...] = ()
    key: str | None = None


@dataclass(frozen=True)
class Told(_Happening):
    """Outcomes were brought: (number, value) of each, by number."""

    kind = "told"
    outcomes: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Counted(_Happening):
    """Outcomes came as an aggregate: how many, their sum, the sum of their squared distances from the threshold."""

    kind = "counted"
    number: int
    ticket: str
    arm: int
    count: int
    total: float
    squares: float
    paid: bool
    key: str | None = None


@dataclass(frozen=True)
class Failed(_Happening):
    """A worker gave a pull up."""

    kind = "failed"
    number: int
    reason: str


@dataclass(frozen=True)
class Voided(_Happening):
    """An outcome was taken out of the statistics."""

    kind = "voided"
    number: int
    reason: str


@dataclass(frozen=True)
class Amended(_Happening):
    """An outcome was replaced; a void one counts again."""

    kind = "amended"
    number: int
    value: float
    reason: str


@dataclass(frozen=True)
class Renewed(_Happening):
    """The leases of these pulls begin anew."""

    kind = "renewed"
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Retired(_Happening):
    """An arm is not to be asked any more."""

    kind = "retired"
    arm: int


@dataclass(frozen=True)
class Extended(_Happening):
    """The budget grew by this many millionths."""

    kind = "extended"
    amount: int
    key: str | None = None


@dataclass(frozen=True)
class Paused(_Happening):
    """No tickets until further notice."""

    kind = "paused"


@dataclass(frozen=True)
class Resumed(_Happening):
    """Tickets again."""

    kind = "resumed"


@dataclass(frozen=True)
class Closed(_Happening):
    """No tickets any more; outcomes of those handed out are still taken."""

    kind = "closed"
    reason: str


Happening: TypeAlias = (
    Created
    | ArmsAdded
    | Asked
    | Told
    | Counted
    | Failed
    | Voided
    | Amended
    | Renewed
    | Retired
    | Extended
    | Paused
    | Resumed
    | Closed
)

KINDS: dict[str, type[Happening]] = {
    kind.kind: kind
    for kind in (
        Created, ArmsAdded, Asked, Told, Counted, Failed, Voided, Amended, Renewed, Retired, Extended, Paused, Resumed,
        Closed,
    )
}  # fmt: skip


_DEFAULTS = {kind: {field.name: field.default for field in fields(made)} for kind, made in KINDS.items()}


class Event(NamedTuple):
    """One line of the log, as it is stored.

    Attributes
    ----------
    seq, kind, body : int, str, str
        Number without holes from 1 on; what happened, and its fields as JSON.
    at : int
        When, in µs since 1970 by the database's clock; nothing is ever ordered by it.
    hash : str
        The seal: SHA-256 over this event and the hash and time of the one before.
    """

    seq: int
    kind: str
    body: str
    at: int
    hash: str


def seal(previous: str, previous_at: int, seq: int, kind: str, body: str) -> str:
    """Return the hash of an event.

    The time of an event is sealed by the event after it (and the last one's stands in the ledger too), so that a hash
    can be made before the database says what time it is, and a write needs no question before it.
    """
    return hashlib.sha256(f"{previous}\n{previous_at}\n{seq}\n{kind}\n{body}".encode()).hexdigest()


def details_of(campaign: str, event: Event) -> dict[str, Any]:
    """Return the fields of a stored event of a campaign as they can be shown.

    Halves of surrogate pairs, which earlier versions took in reasons, become question marks: no page can be sent with
    them.

    Raises
    ------
    CorruptionError
        If they cannot be read.
    """
    try:
        table = json.loads(event.body)
        if "\\ud" in event.body:
            table = json.loads(json.dumps(table, ensure_ascii=False).encode(errors="replace"))
        return dict(table)
    except (TypeError, ValueError) as error:
        raise CorruptionError(campaign, [f"event {event.seq} cannot be read"], was_audited=False) from error


def read_happening(kind: str, body: str) -> Happening:
    """Return what a stored event says.

    Raises
    ------
    StorageError
        If it says nothing that this version knows.
    """
    try:
        table: dict[str, Any] = json.loads(body)
        return KINDS[kind](**{name: _tuples(value) for name, value in table.items()})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"an event of kind {kind[:40]!r} cannot be read", instead="run thresher verify") from error


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
