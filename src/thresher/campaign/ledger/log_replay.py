"""Replay: the rows computed from the log, and where the stored rows differ from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from thresher.campaign.ledger.events import Created, Event, LogEntry, read_event, seal
from thresher.campaign.ledger.rows import Arm, Item, Ledger, Pull, Request
from thresher.campaign.ledger.signals import Signal
from thresher.campaign.ledger.sort_keys import SortKeys
from thresher.campaign.ledger.state import CampaignState
from thresher.campaign.ledger.terms import Terms
from thresher.campaign.ledger.transitions import Machine, UnrankedMachine
from thresher.errors import CorruptionError, ThresherError

Row = TypeVar("Row", Arm, Pull, Request, Item, Signal)

SORT_KEY_TOLERANCE = 1e-12  # another machine's logarithm may differ in the last bits; everything else is exact


@dataclass
class Replay:
    """The rows of a campaign computed from its log.

    Parameters
    ----------
    state : CampaignState
        All rows.
    created : Created, optional
        The first event.
    earlier : SortKeys, optional
        How earlier versions ranked the arms, if they did it in another way: their rows are valid.
    """

    state: CampaignState = field(default_factory=lambda: CampaignState(Ledger()))
    created: Created | None = None
    earlier: SortKeys | None = None


def replay(campaign: str, log: Iterable[LogEntry]) -> Replay:
    """Return the rows computed from a log; all urgencies are NaN if they are not stored.

    They are not if the bar is a control, and not known if the policy is not available in this process.

    Raises
    ------
    CorruptionError
        At the first event that is missing, does not match its hash, or cannot be applied.
    """
    made = Replay()
    machine: Machine | None = None
    for entry in log:
        event = _checked(campaign, entry, made.state.ledger)
        if machine is None:
            if not isinstance(event, Created):
                raise CorruptionError(campaign, ["event 1 does not create the campaign"])
            made.created = event
            machine = Machine(Terms.from_json(event.terms))
            if machine.terms.goal == "decide" and machine.stores_keys:
                made.earlier = SortKeys(machine.terms, is_earlier=True)
            machine = machine if machine.stores_keys else UnrankedMachine(machine.terms)
        try:
            made.state.absorb(machine.apply(made.state, event, entry.at))
        except (LookupError, AssertionError, TypeError, ValueError) as error:
            raise CorruptionError(campaign, [f"event {entry.seq} ({entry.kind}) cannot be applied"]) from error
        made.state.ledger = made.state.ledger._replace(hash=entry.hash)
    return made


def _checked(campaign: str, entry: LogEntry, head: Ledger) -> Event:
    if entry.seq != head.seq + 1:
        raise CorruptionError(campaign, [f"event {head.seq + 1} is missing"])
    if entry.hash != seal(head.hash, head.at, entry.seq, entry.kind, entry.body):
        raise CorruptionError(campaign, [f"event {entry.seq} does not match its hash"])
    try:
        return read_event(entry.kind, entry.body)
    except ThresherError as error:
        raise CorruptionError(campaign, [f"event {entry.seq} cannot be read"]) from error


def differences(
    told: CampaignState,
    ledger: Ledger,
    arms: Iterable[Arm],
    pulls: Iterable[Pull],
    requests: Iterable[Request],
    items: Iterable[Item] = (),
    signals: Iterable[Signal] = (),
    *,
    earlier: SortKeys | None = None,
) -> Iterator[str]:
    """Yield a sentence for each stored row that differs from the replayed one; a sort key of NaN is not compared.

    The replayed rows are taken out of `told` one by one. A sort key of an earlier version is valid, too.
    """
    if told.ledger != ledger:
        yield f"the ledger differs from the log in {_fields(told.ledger, ledger)}"
    yield from _differing("arm", told.arms, arms if earlier is None else _renewed(told, arms, earlier))
    yield from _differing("pull", told.pulls, pulls)
    yield from _differing("request", told.requests, requests)
    yield from _differing("item", told.items, items)
    yield from _differing("signal", told.signals, signals)


def _renewed(told: CampaignState, arms: Iterable[Arm], earlier: SortKeys) -> Iterator[Arm]:
    """Yield the stored arms; one with the sort key of an earlier version gets that of this one."""
    for arm in arms:
        mine = told.arms.get(arm.position)
        is_renewed = mine is not None and _same(mine.rank(earlier.of(mine, told.ledger)), arm)
        yield mine if mine is not None and is_renewed else arm


def _differing(what: str, told: dict[Any, Row], stored: Iterable[Row]) -> Iterator[str]:
    for row in stored:
        key: Any = row[0]  # a position, a number or an idempotency key
        mine = told.pop(key, None)
        if mine is None:
            yield f"{what} {key!r} is not in the log"
        elif not _same(mine, row):
            yield f"{what} {key!r} differs from the log in {_fields(mine, row)}"
    for key in told:
        yield f"{what} {key!r} is missing"


def _same(mine: tuple[object, ...], other: tuple[object, ...]) -> bool:
    if mine == other:
        return True
    if not (isinstance(mine, Arm) and isinstance(other, Arm)):
        return False
    try:
        close = math.isnan(mine.urgency) or math.isclose(mine.urgency, other.urgency, rel_tol=SORT_KEY_TOLERANCE)
    except TypeError:
        return False
    return close and mine == other._replace(urgency=mine.urgency)


def _fields(mine: tuple[object, ...], other: tuple[object, ...]) -> str:
    names = getattr(mine, "_fields", ())
    return ", ".join(name for name, a, b in zip(names, mine, other, strict=True) if a != b)
