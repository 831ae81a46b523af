"""What is known of a campaign: all of it in a replay, the few rows that matter in a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from thresher.campaign.rows import Arm, Ledger, Pull, Request


class Change(NamedTuple):
    """The rows that a happening replaces or adds."""

    ledger: Ledger
    arms: Mapping[int, Arm]
    pulls: Mapping[int, Pull]
    requests: Mapping[str, Request]


@dataclass
class State:
    """The rows of a campaign, or those of them that a decision needs.

    Parameters
    ----------
    ledger : Ledger
    arms, pulls : dict
        By position and by number.
    requests : dict
        By idempotency key.
    least : tuple of int
        Positions of the arms of least urgency, least first.
    lapsed : tuple of int
        Outstanding pulls whose lease has run out by the database's clock.
    """

    ledger: Ledger
    arms: dict[int, Arm] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    least: tuple[int, ...] = ()
    lapsed: tuple[int, ...] = ()
    _numbers: dict[int, list[int]] | None = field(default=None, repr=False)  # of the pulls of an arm, once asked for

    def absorb(self, change: Change) -> None:
        """Take in what a happening changed."""
        self.ledger = change.ledger
        self.arms.update(change.arms)
        if self._numbers is None:
            self.pulls.update(change.pulls)
        else:
            for pull in change.pulls.values():
                self.add_pull(pull)
        self.requests.update(change.requests)

    def add_pull(self, pull: Pull) -> None:
        """Take in one pull, new or changed."""
        if self._numbers is not None and pull.number not in self.pulls:
            self._numbers.setdefault(pull.arm, []).append(pull.number)
        self.pulls[pull.number] = pull

    def forget(self, numbers: Iterable[int]) -> None:
        """Let go of pulls, if they are there."""
        for number in numbers:
            pull = self.pulls.pop(number, None)
            if self._numbers is not None and pull is not None:
                self._numbers[pull.arm].remove(number)

    def pulls_of(self, arm: int) -> list[Pull]:
        """Return the known pulls of an arm."""
        if self._numbers is None:
            self._numbers = {}
            for pull in self.pulls.values():
                self._numbers.setdefault(pull.arm, []).append(pull.number)
        return [self.pulls[number] for number in self._numbers.get(arm, ())]
