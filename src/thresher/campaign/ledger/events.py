"""The events of a campaign: what each kind stores, and the hash chain over the log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

from thresher.errors import CorruptionError, StorageError

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True)
class Event:
    """A change of a campaign; the log stores its fields."""

    kind: ClassVar[str]

    def body(self) -> str:
        """Return the fields as JSON, without those at their default."""
        values = self.__dict__  # in the order of the fields
        defaults = _DEFAULTS[self.kind]
        return _encode({name: value for name, value in values.items() if value != defaults[name]})


@dataclass(frozen=True)
class Created(Event):
    """A campaign was created, with these terms (JSON), this budget, and a random seed for the order of items."""

    kind = "created"
    name: str
    terms: str
    budget: int
    seed: int = 0


@dataclass(frozen=True)
class ArmsAdded(Event):
    """Arms were added: (name, threshold, sigma, cost, pull cost in millionths) of each."""

    kind = "arms-added"
    arms: tuple[tuple[str, float, float, float, int], ...]


@dataclass(frozen=True)
class ItemsAdded(Event):
    """Items with these names were added; every arm can answer each of them, once or as often as the terms say."""

    kind = "items-added"
    names: tuple[str, ...]


@dataclass(frozen=True)
class Asked(Event):
    """Tickets were issued: (number, ticket, arm) of each, the item if there are items, and its ordinal with repeats.

    The leases of the pulls in `lapsed` had expired before.
    """

    kind = "asked"
    pulls: tuple[tuple[int, str, int] | tuple[int, str, int, int] | tuple[int, str, int, int, int], ...]
    lapsed: tuple[int, ...] = ()
    key: str | None = None


@dataclass(frozen=True)
class Told(Event):
    """Outcomes were told: (number, value) of each, by number; `batch` is the id of the import that told them.

    `costs` are those that were told with their outcomes: (number, millionths) of each. The others cost what was
    reserved.
    """

    kind = "told"
    outcomes: tuple[tuple[int, float], ...]
    batch: str | None = None
    costs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class CountsTold(Event):
    """An aggregate was told: number of outcomes, their sum, the sum of their squared distances from the threshold."""

    kind = "counted"
    number: int
    ticket: str
    arm: int
    count: int
    total: float
    squares: float
    paid: bool
    key: str | None = None
    batch: str | None = None


@dataclass(frozen=True)
class SourcesImported(Event):
    """A version of some sources was imported.

    `sources` are (name, form, ids of imports of earlier versions of thresher that it continues) of each. `pulls` are
    the aggregates that it added: (position of the source, arm, number of outcomes, sum, sum of squared distances from
    the threshold, lines) of each; the first has that number, the next one more, and a ticket is the number, a dash and
    `secret`. `lines` are (outcome, how often each of these lines occurs, hashes of the lines in Base64); an aggregate
    that is one line of the file has its sum of squares, or null, and 0 times. `voided` are the aggregates that were
    removed, `reduced` those that lost lines: (number, number of outcomes left, sum, squared distances, the
    removed lines) of each. `outcomes` are those that it added in a campaign with items: (position of the source, arm,
    item, value) of each, numbered after `pulls`; and with repeats the ordinal.
    """

    kind = "imported"
    number: int
    secret: str
    sources: tuple[tuple[str, str, tuple[str, ...]], ...]
    pulls: tuple[tuple[int, int, int, float, float, tuple[tuple[float | None, int, str], ...]], ...]
    batch: str
    paid: bool = False
    key: str | None = None
    voided: tuple[int, ...] = ()
    reduced: tuple[tuple[int, int, float, float, tuple[tuple[float, int, str], ...]], ...] = ()
    outcomes: tuple[tuple[int, int, int, float] | tuple[int, int, int, float, int], ...] = ()

    @property
    def size(self) -> int:
        """How many pulls it adds."""
        return len(self.pulls) + len(self.outcomes)


@dataclass(frozen=True)
class ItemsTold(Event):
    """Outcomes were told without having been asked for: (arm, item, value) of each, and with repeats the ordinal.

    The first has that number, the next one more; a ticket is the number, a dash and `secret`.
    """

    kind = "items-told"
    number: int
    secret: str
    outcomes: tuple[tuple[int, int, float] | tuple[int, int, float, int], ...]
    paid: bool
    batch: str | None = None


@dataclass(frozen=True)
class HistoryTold(Event):
    """Outcomes of past arms: (name, outcomes in the order of the items, null where there is none) of each.

    `issued` is how many tickets there were before, null if that was not noted.
    """

    kind = "history-told"
    arms: tuple[tuple[str, tuple[float | None, ...]], ...]
    issued: int | None = None


@dataclass(frozen=True)
class ProxyTold(Event):
    """Scores of answers were told: (arm, items, their scores) of each arm; `issued` as in ``history-told``."""

    kind = "proxy-told"
    scores: tuple[tuple[int, tuple[int, ...], tuple[float, ...]], ...]
    issued: int | None = None


@dataclass(frozen=True)
class Refitted(Event):
    """The effects of items were fitted to that many outcomes: all that were told up to event `through`.

    `uneven` if a proxy leaves different shares of the variance of arms, by which they are ranked. `rho` is the share of
    the variance between items, where they may be asked several times. `by_scores` if the shares of arms differ by what
    scores leave alone; in events of earlier versions they differ by what items and scores leave together.
    """

    kind = "refitted"
    outcomes: int
    through: int
    slope: float
    share: float
    uneven: bool = False
    rho: float | None = None
    by_scores: bool = False


@dataclass(frozen=True)
class Failed(Event):
    """A worker gave up a pull."""

    kind = "failed"
    number: int
    reason: str


@dataclass(frozen=True)
class Voided(Event):
    """An outcome was removed from the statistics, and those of `others` of its arm with it."""

    kind = "voided"
    number: int
    reason: str
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Amended(Event):
    """An outcome was replaced; a voided one counts again.

    An aggregate has its new sum, and its new number of outcomes and sum of squared distances from the threshold.
    """

    kind = "amended"
    number: int
    value: float
    reason: str
    count: int = 1
    squares: float | None = None


@dataclass(frozen=True)
class Renewed(Event):
    """The leases of these pulls were renewed."""

    kind = "renewed"
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Retired(Event):
    """An arm was retired: no more tickets for it."""

    kind = "retired"
    arm: int


@dataclass(frozen=True)
class Extended(Event):
    """The budget grew by this many millionths; it pays late outcomes, (number, value) of each, that were unused.

    `costs` are those that were told with these outcomes: (number, millionths) of each. The others cost what their arm
    costs. `decided` are the positions of the arms that were decided when the last budget was spent.
    """

    kind = "extended"
    amount: int
    key: str | None = None
    used: tuple[tuple[int, float], ...] = ()
    costs: tuple[tuple[int, int], ...] = ()
    decided: tuple[int, ...] = ()


@dataclass(frozen=True)
class Paused(Event):
    """The campaign was paused: no tickets until it is resumed."""

    kind = "paused"


@dataclass(frozen=True)
class Resumed(Event):
    """The campaign was resumed."""

    kind = "resumed"


@dataclass(frozen=True)
class Closed(Event):
    """The campaign was closed: no more tickets; outcomes of issued ones are still accepted."""

    kind = "closed"
    reason: str


@dataclass(frozen=True)
class Archived(Event):
    """The campaign was archived: lists hide it, and it refuses every change until it is unarchived."""

    kind = "archived"
    reason: str


@dataclass(frozen=True)
class Unarchived(Event):
    """The campaign was unarchived: its status is what it was."""

    kind = "unarchived"


@dataclass(frozen=True)
class MeasuredBy(Event):
    """A run measures by this: (part, hash of it) of each part, such as the command or the source of a function."""

    kind = "measured-by"
    parts: tuple[tuple[str, str], ...]

    @property
    def key(self) -> str:
        """The idempotency key: a campaign notes a measurement once."""
        return f"measurement {hashlib.sha256(self.body().encode()).hexdigest()}"


KINDS: dict[str, Callable[..., Event]] = {made.kind: made for made in Event.__subclasses__()}
_DEFAULTS = {made.kind: {field.name: field.default for field in fields(made)} for made in Event.__subclasses__()}


def changed_pulls(event: Event) -> tuple[int, ...]:
    """Return the numbers of the pulls whose outcomes an event stores, uses, removes or replaces."""
    return *told_pulls(event), *corrected_pulls(event)


def told_pulls(event: Event) -> tuple[int, ...]:
    """Return the numbers of the pulls whose outcomes an event stores or uses."""
    if isinstance(event, Told):
        return tuple(number for number, _ in event.outcomes)
    if isinstance(event, (ItemsTold, SourcesImported)):
        size = event.size if isinstance(event, SourcesImported) else len(event.outcomes)
        return tuple(range(event.number, event.number + size))
    if isinstance(event, Extended):
        return tuple(number for number, _ in event.used)
    return (event.number,) if isinstance(event, CountsTold) else ()


def item_pulls(event: ItemsTold | SourcesImported) -> range:
    """Return the numbers of the pulls with the outcomes of items that an event stores."""
    first = event.number + (len(event.pulls) if isinstance(event, SourcesImported) else 0)
    return range(first, first + len(event.outcomes))


def item_values(event: ItemsTold | SourcesImported) -> dict[int, float]:
    """Return the outcomes of items that an event stores, by the numbers of their pulls."""
    if isinstance(event, ItemsTold):
        return dict(zip(item_pulls(event), (one[2] for one in event.outcomes), strict=True))
    return dict(zip(item_pulls(event), (one[3] for one in event.outcomes), strict=True))


def corrected_pulls(event: Event) -> tuple[int, ...]:
    """Return the numbers of the pulls with outcomes that an event removes or replaces."""
    if isinstance(event, Voided):
        return event.number, *event.others
    if isinstance(event, SourcesImported):
        return *event.voided, *(number for number, *_ in event.reduced)
    return (event.number,) if isinstance(event, Amended) else ()


def pulls_of_changed_arms(event: Event) -> tuple[int, ...] | None:
    """Return the numbers of pulls whose arms an event changes; None if it changes arms in another way."""
    if isinstance(event, Asked):
        return (*event.lapsed, *(pull[0] for pull in event.pulls))
    if isinstance(event, Failed):
        return (event.number,)
    return None if isinstance(event, (Created, ArmsAdded, ItemsAdded, Refitted, Retired)) else changed_pulls(event)


class LogEntry(NamedTuple):
    """One row of the log.

    Attributes
    ----------
    seq : int
        1, 2, 3, … without gaps.
    kind, body : str
        The kind of the event, and its fields as JSON.
    at : int
        µs since 1970 by the database's clock; nothing is ordered by it.
    hash : str
        SHA-256 over this event and over the hash and time of the one before.
    """

    seq: int
    kind: str
    body: str
    at: int
    hash: str


def seal(previous: str, previous_at: int, seq: int, kind: str, body: str) -> str:
    """Return the hash of an event.

    The time of an event is covered by the hash of the next event, and that of the last one by the ledger.
    """
    return hashlib.sha256(f"{previous}\n{previous_at}\n{seq}\n{kind}\n{body}".encode()).hexdigest()


def details_of(campaign: str, event: LogEntry) -> dict[str, Any]:
    """Return the fields of a stored event for display.

    Lone surrogates, which earlier versions accepted in reasons, become question marks: UTF-8 cannot encode them.

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


def read_event(kind: str, body: str) -> Event:
    """Return a stored event.

    Raises
    ------
    StorageError
        If this version does not support the kind or the fields.
    """
    try:
        table: dict[str, Any] = json.loads(body)
        return KINDS[kind](**{name: _tuples(value) for name, value in table.items()})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"an event of kind {kind[:40]!r} cannot be read", instead="run thresher verify") from error


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
