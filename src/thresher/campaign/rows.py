"""The rows of a campaign: one ledger, its arms, its pulls, its answered requests.

Rows are immutable. A method returns the row after one step of a transition. Storages keep exactly these fields: a new
column is a new field here and a migration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

OPEN, PAUSED, CLOSED = "open", "paused", "closed"

OUT = "out"  # issued; its cost is reserved
LAPSED = "lapsed"  # the lease expired or the worker gave up; the cost went back to the budget
FORFEITED = "forfeited"  # the same, in a campaign where the cost is spent then
TOLD = "told"  # its outcome is in the statistics
UNUSED = "unused"  # its outcome came too late to be paid: stored and shown, not counted
VOID = "void"  # its outcome was removed from the statistics; its cost stays spent

GENESIS = "0" * 64


class Ledger(NamedTuple):
    """What all arms of a campaign share; money is in whole millionths.

    Attributes
    ----------
    seq, at, hash : int, int, str
        Number, time (µs since 1970 by the database's clock) and hash of the last event.
    status : str
        ``open``, ``paused`` or ``closed``.
    budget, spent, reserved : int
        The total; told, forfeited or voided; outstanding. ``spent + reserved <= budget``.
    opening, cheapest : int
        Cost of the pulls that every arm needs first; least pull cost of an arm, 0 before there are arms.
    arms, pulls, told, late : int
        Number of arms; of tickets; of outcomes in the statistics; of late outcomes, used or not.
    """

    seq: int = 0
    at: int = 0
    hash: str = GENESIS
    status: str = OPEN
    budget: int = 0
    spent: int = 0
    reserved: int = 0
    opening: int = 0
    cheapest: int = 0
    arms: int = 0
    pulls: int = 0
    told: int = 0
    late: int = 0

    @property
    def left(self) -> int:
        """What is left to pay for new tickets."""
        return self.budget - self.spent - self.reserved

    def add_arms(self, pull_costs: Sequence[int], first_pulls: int) -> Ledger:
        """Add arms with these pull costs; each needs `first_pulls` pulls first."""
        return self._replace(
            arms=self.arms + len(pull_costs),
            opening=self.opening + first_pulls * sum(pull_costs),
            cheapest=min(pull_costs) if self.arms == 0 else min(self.cheapest, *pull_costs),
        )

    def reserve(self, cost: int) -> Ledger:
        """Reserve the cost of a new ticket."""
        return self._replace(reserved=self.reserved + cost, pulls=self.pulls + 1)

    def release(self, cost: int, *, forfeit: bool) -> Ledger:
        """Give back the reserved cost of a ticket, or spend it."""
        return self._replace(reserved=self.reserved - cost, spent=self.spent + cost if forfeit else self.spent)

    def can_use(self, pull: Pull, cost: int) -> bool:
        """Return whether the outcome of a pull is paid already, or can be paid."""
        return pull.is_out or pull.state == FORFEITED or cost <= self.left

    def tell(self, pull: Pull, cost: int, *, used: bool) -> Ledger:
        """Count the outcome of a pull; spend its cost if it is used and was not spent before."""
        return self._replace(
            spent=self.spent + cost if used and pull.state != FORFEITED else self.spent,
            reserved=self.reserved - cost if pull.is_out else self.reserved,
            told=self.told + used,
            late=self.late + (not pull.is_out),
        )

    def tell_counts(self, count: int, cost: int) -> Ledger:
        """Count an aggregate, which has its own ticket, and spend its cost."""
        return self._replace(spent=self.spent + cost, pulls=self.pulls + 1, told=self.told + count)

    def recount(self, outcomes: int) -> Ledger:
        """Change the number of outcomes in the statistics: fewer after a void, more after an amended void."""
        return self._replace(told=self.told + outcomes)


class Arm(NamedTuple):
    """One arm: its settings, its outstanding tickets and the statistics of its outcomes.

    Attributes
    ----------
    position : int
        0, 1, 2, …: ties go to the lowest.
    name : str
    threshold, sigma, cost : float
    pull_cost : int
        In whole millionths.
    pulls, outstanding : int
        Outcomes in the statistics; tickets issued and not yet told.
    total, squares : float
        Sum of the outcomes and of their squared distances from the threshold, added in the order of the events.
    urgency : float
        Sort key, the least is asked first: −∞ before the arm is opened, +∞ once it is retired.
    retired : int
        1 if it gets no more tickets.
    """

    position: int
    name: str
    threshold: float
    sigma: float
    cost: float
    pull_cost: int
    pulls: int = 0
    outstanding: int = 0
    total: float = 0.0
    squares: float = 0.0
    urgency: float = -math.inf
    retired: int = 0

    def reserve(self) -> Arm:
        """Count one more outstanding pull."""
        return self._replace(outstanding=self.outstanding + 1)

    def release(self) -> Arm:
        """Count one outstanding pull less."""
        return self._replace(outstanding=self.outstanding - 1)

    def add(self, count: int, total: float, squares: float) -> Arm:
        """Add outcomes to the statistics."""
        return self._replace(pulls=self.pulls + count, total=self.total + total, squares=self.squares + squares)

    def add_outcome(self, value: float) -> Arm:
        """Add one outcome to the statistics."""
        gap = value - self.threshold
        return self.add(1, value, gap * gap)

    def clear(self) -> Arm:
        """Remove all outcomes from the statistics."""
        return self._replace(pulls=0, total=0.0, squares=0.0)

    def retire(self) -> Arm:
        """Issue no more tickets for it."""
        return self._replace(retired=1)

    def rank(self, urgency: float) -> Arm:
        """Set its sort key."""
        return self._replace(urgency=urgency)


class Pull(NamedTuple):
    """One ticket, or one aggregate of outcomes.

    Attributes
    ----------
    number : int
        1, 2, 3, … in the order of asking; the ticket starts with it.
    ticket : str
    arm : int
        Position of the arm.
    state : str
        ``out``, ``lapsed``, ``forfeited``, ``told``, ``unused`` or ``void``.
    size : int
        Number of outcomes: 1, or more for an aggregate.
    value, squares : float or None
        The outcome, or the sum of an aggregate; the latter's sum of squared distances from the threshold.
    since : int
        Number of the event that began the lease.
    told : int
        Number of the event that brought the outcome, 0 before; it orders the sums.
    late : int
        1 if the outcome was told after the lease had expired or the pull had been given up.
    expires : int
        When the lease expires, µs since 1970 by the database's clock.
    """

    number: int
    ticket: str
    arm: int
    state: str = OUT
    size: int = 1
    value: float | None = None
    squares: float | None = None
    since: int = 0
    told: int = 0
    late: int = 0
    expires: int = 0

    @property
    def is_out(self) -> bool:
        """Whether it is outstanding."""
        return self.state == OUT

    @property
    def has_outcome(self) -> bool:
        """Whether an outcome is stored, counted or not."""
        return self.state in (TOLD, UNUSED, VOID)

    def release(self, *, forfeit: bool) -> Pull:
        """Give it up: the lease expired, or the worker failed."""
        return self._replace(state=FORFEITED if forfeit else LAPSED)

    def renew(self, seq: int, expires: int) -> Pull:
        """Begin its lease again, with this event."""
        return self._replace(since=seq, expires=expires)

    def tell(self, value: float, seq: int, *, used: bool) -> Pull:
        """Store its outcome, which this event brought."""
        return self._replace(state=TOLD if used else UNUSED, value=value, told=seq, late=int(not self.is_out))

    def void(self) -> Pull:
        """Remove its outcome from the statistics."""
        return self._replace(state=VOID)

    def amend(self, value: float) -> Pull:
        """Replace its outcome, which counts from now on."""
        return self._replace(state=TOLD, value=value)

    def add_to(self, arm: Arm) -> Arm:
        """Return an arm with the outcome, or the aggregate, of this pull."""
        assert self.value is not None
        return arm.add_outcome(self.value) if self.squares is None else arm.add(self.size, self.value, self.squares)


class Request(NamedTuple):
    """What the first call with an idempotency key did: its event, and the pulls that it made."""

    key: str
    seq: int
    first: int
    made: int

    @property
    def numbers(self) -> range:
        """Numbers of the pulls that it made."""
        return range(self.first, self.first + self.made)
