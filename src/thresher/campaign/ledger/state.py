"""The rows of a campaign in memory: all of them in a replay, those that a decision needs in a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from thresher.campaign.ledger.control import ControlRanking
from thresher.campaign.ledger.events import LogEntry
from thresher.campaign.ledger.refits import Refit
from thresher.campaign.ledger.rows import Arm, Item, Ledger, Pull, Request
from thresher.campaign.ledger.signals import Signal


class Change(NamedTuple):
    """The rows that an event replaces or adds."""

    ledger: Ledger
    arms: Mapping[int, Arm]
    pulls: Mapping[int, Pull]
    requests: Mapping[str, Request]
    items: Mapping[int, Item]
    signals: Mapping[str, Signal]


@dataclass
class CampaignState:
    """The rows of a campaign, or those of them that a decision needs.

    Parameters
    ----------
    ledger : Ledger
    arms, pulls : dict
        By position and by number.
    requests : dict
        By idempotency key.
    least : tuple of int
        Positions of the arms of least sort key that the budget can pay, least first.
    lapsed : tuple of int
        Outstanding pulls whose lease has expired by the database's clock.
    items : dict
        By position.
    signals : dict
        By key: past arms, and the scores of arms.
    refit : Refit, optional
        Of the items, computed before the transaction that writes it.
    log : tuple of LogEntry
        The events since the one that was asked for.
    comparison : ControlRanking, optional
        All arms with the control, which is their bar.
    summed, summed_to : dict, int
        Arms by position whose outcomes were summed before the lock was taken, and the last event in those sums.
    """

    ledger: Ledger
    arms: dict[int, Arm] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    least: tuple[int, ...] = ()
    lapsed: tuple[int, ...] = ()
    items: dict[int, Item] = field(default_factory=dict)
    signals: dict[str, Signal] = field(default_factory=dict)
    refit: Refit | None = None
    log: tuple[LogEntry, ...] = ()
    comparison: ControlRanking | None = None
    summed: Mapping[int, Arm] = field(default_factory=dict)
    summed_to: int = 0
    _numbers: dict[int, list[int]] = field(default_factory=dict, repr=False)  # of the pulls of each arm

    def absorb(self, change: Change) -> None:
        """Replace or add the rows of a change."""
        self.ledger = change.ledger
        self.arms.update(change.arms)
        self.add_pulls(change.pulls.values())
        self.requests.update(change.requests)
        self.items.update(change.items)
        self.signals.update(change.signals)

    def add_pulls(self, pulls: Iterable[Pull]) -> None:
        """Replace or add pulls."""
        for pull in pulls:
            if pull.number not in self.pulls:
                self._numbers.setdefault(pull.arm, []).append(pull.number)
            self.pulls[pull.number] = pull

    def add_arms(self, arms: Iterable[Arm]) -> None:
        """Replace or add arms."""
        self.arms.update((arm.position, arm) for arm in arms)

    def add_items(self, items: Iterable[Item]) -> None:
        """Replace or add items."""
        self.items.update((item.position, item) for item in items)

    def add_signals(self, signals: Iterable[Signal]) -> None:
        """Replace or add past arms and scores."""
        self.signals.update((signal.key, signal) for signal in signals)

    def left_after_expiry(self, *, reissue: bool) -> int:
        """Return what is left to pay for new tickets after the expired leases are released."""
        released = sum(self.arms[self.pulls[number].arm].pull_cost for number in self.lapsed) if reissue else 0
        return self.ledger.left + released

    def pulls_of(self, arm: int) -> list[Pull]:
        """Return the known pulls of an arm."""
        return [self.pulls[number] for number in self._numbers.get(arm, ())]
