"""The rows of a campaign: one ledger, its arms, its items, its pulls, its answered requests.

Rows are immutable. A method returns the row after one step of a transition. Storages keep exactly these fields: a new
column is a new field here and a migration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

OPEN, PAUSED, CLOSED, ARCHIVED = "open", "paused", "closed", "archived"

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
    seed : int
        From which each arm's order of the items follows.
    pools : str
        How many items there were after each addition: ``"721"``, ``"721 800"``; empty without items.
    revised : int
        Number of the last event that voided or amended the outcome of an item, or told past arms or scores.
    fitted : int
        Outcomes that the last refit of the items used; 0 before the first.
    slope, share : float
        What it found, see :class:`thresher.inference.item_effects.ItemFit`.
    archived : int
        1 while the campaign is archived: it keeps its status, and refuses every change.
    repeats : int
        How often an arm may be asked each item.
    rho : float
        The share of the variance of an outcome that lies between items, as the last refit found it; 0 where each item
        is asked once.
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
    seed: int = 0
    pools: str = ""
    revised: int = 0
    fitted: int = 0
    slope: float = 0.0
    share: float = 1.0
    archived: int = 0
    repeats: int = 1
    rho: float = 0.0

    @property
    def state(self) -> str:
        """The status, or ``archived``."""
        return ARCHIVED if self.archived else self.status

    @property
    def turns(self) -> int:
        """How many measurements of items an arm can have; 0 if arms have no items."""
        return self.items * self.repeats

    @property
    def items(self) -> int:
        """How many items there are; 0 if arms have no items."""
        return int(self.pools.rpartition(" ")[2] or 0)

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

    def add_items(self, count: int) -> Ledger:
        """Add that many items."""
        return self._replace(pools=f"{self.pools} {self.items + count}".strip())

    def reserve(self, cost: int) -> Ledger:
        """Reserve the cost of a new ticket."""
        return self._replace(reserved=self.reserved + cost, pulls=self.pulls + 1)

    def release(self, cost: int, *, forfeit: bool) -> Ledger:
        """Give back the reserved cost of a ticket, or spend it."""
        return self._replace(reserved=self.reserved - cost, spent=self.spent + cost if forfeit else self.spent)

    def can_use(self, pull: Pull, cost: int) -> bool:
        """Return whether the outcome of a pull is paid already, or can be paid."""
        return pull.is_out or pull.state == FORFEITED or cost <= self.left

    def charge(self, pull: Pull, reserved: int, cost: int) -> int:
        """Return how much of the cost of an outcome that is used the budget pays: at most what it has.

        A forfeited pull has paid what was reserved for it, and pays nothing more.
        """
        if pull.state == FORFEITED:
            return reserved
        return min(cost, reserved + self.left) if pull.is_out else cost

    def tell(self, pull: Pull, reserved: int, charged: int, *, used: bool) -> Ledger:
        """Count the outcome of a pull; spend its charge if it is used and was not paid before."""
        return self._replace(
            spent=self.spent + charged if used and pull.state != FORFEITED else self.spent,
            reserved=self.reserved - reserved if pull.is_out else self.reserved,
            told=self.told + used,
            late=self.late + (not pull.is_out),
        )

    def tell_counts(self, count: int, cost: int) -> Ledger:
        """Count outcomes that come with a ticket of their own, and spend their cost."""
        return self._replace(spent=self.spent + cost, pulls=self.pulls + 1, told=self.told + count)

    def use(self, cost: int) -> Ledger:
        """Spend the cost of a late outcome that was unused, and count it."""
        return self._replace(spent=self.spent + cost, told=self.told + 1)

    def recount(self, outcomes: int) -> Ledger:
        """Change the number of outcomes in the statistics: fewer after a void, more after an amended void."""
        return self._replace(told=self.told + outcomes, revised=self.seq if self.pools else 0)

    def score(self) -> Ledger:
        """Note that past arms or scores were told: the last refit does not have them, so the next one is due."""
        return self._replace(revised=self.seq, fitted=0)

    def refit(self, outcomes: int, slope: float, share: float, rho: float) -> Ledger:
        """Set how much items matter, as fitted to that many outcomes."""
        return self._replace(fitted=outcomes, slope=slope, share=share, rho=rho)


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
        Sort key, the least is asked first: −∞ before the arm is opened, +∞ once it is retired, or certain, or has no
        item left. Not kept up where a control is the bar (:class:`thresher.campaign.ledger.control.ControlRanking`).
    retired : int
        1 if it gets no more tickets.
    first_free : int
        Place of its next measurement in its order of items and repeats: all places before it are taken.
    ahead : str
        Places from `first_free` on that are taken, as a bitmap in hexadecimal; empty if none is.
    effects, centre : float
        Sum of the effects of the items that it has answered, and mean effect of all items, by the last refit.
    unevenness : float
        Share of its variance that a proxy leaves, over that of all arms, by the last refit.
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
    first_free: int = 0
    ahead: str = ""
    effects: float = 0.0
    centre: float = 0.0
    unevenness: float = 1.0

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

    def has_taken(self, place: int) -> bool:
        """Return whether the measurement at a place of its order is issued or told."""
        return place < self.first_free or bool(self._bits >> (place - self.first_free) & 1)

    def take(self, place: int) -> Arm:
        """Mark the item at a place of its order as issued or told."""
        return self.with_places(self.first_free, self._bits | 1 << (place - self.first_free))

    def give_back(self, place: int) -> Arm:
        """Mark the item at a place of its order as free; the first free one is issued next."""
        if place >= self.first_free:
            return self.with_places(self.first_free, self._bits & ~(1 << (place - self.first_free)))
        gap = self.first_free - place
        return self.with_places(place, self._bits << gap | ((1 << gap) - 2))

    @property
    def _bits(self) -> int:
        return int(self.ahead or "0", 16)

    def with_places(self, first: int, bits: int) -> Arm:
        """Mark all places before `first` as taken, and those of a bitmap from there on."""
        full = (~bits & (bits + 1)).bit_length() - 1  # places taken without a gap
        return self._replace(first_free=first + full, ahead=f"{bits >> full:x}" if bits >> full else "")

    def shift_effects(self, effect: float) -> Arm:
        """Add the effect of an item that was told, or take it off."""
        return self._replace(effects=self.effects + effect) if effect else self

    def refit(self, effects: float, centre: float, unevenness: float = 1.0) -> Arm:
        """Set the effects of the items, as they were fitted again."""
        return self._replace(effects=effects, centre=centre, unevenness=unevenness)

    def clear(self) -> Arm:
        """Remove all outcomes from the statistics."""
        return self._replace(pulls=0, total=0.0, squares=0.0)

    def retire(self) -> Arm:
        """Issue no more tickets for it."""
        return self._replace(retired=1)

    def rank(self, sort_key: float) -> Arm:
        """Set its sort key."""
        return self._replace(urgency=sort_key)


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
        Number of the event that brought the outcome, or paid it later, 0 before; it orders the sums.
    late : int
        1 if the outcome was told after the lease had expired or the pull had been given up.
    expires : int
        When the lease expires, µs since 1970 by the database's clock.
    item : int or None
        Position of the item that the arm is to answer; None without items.
    charged : int or None
        What the budget paid, in millionths, of the cost that was told with the outcome; None if none was told.
    repeat : int
        Its ordinal among the outcomes of the arm on its item: 1, 2, …
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
    item: int | None = None
    charged: int | None = None
    repeat: int = 1

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

    def tell(self, value: float, seq: int, *, used: bool, charged: int | None) -> Pull:
        """Store the outcome in this event, and its charge if its cost was told."""
        state, late = TOLD if used else UNUSED, int(not self.is_out)
        return self._replace(state=state, value=value, told=seq, late=late, charged=charged)

    def use(self, seq: int, *, charged: int | None) -> Pull:
        """Count its late outcome, which this event pays."""
        return self._replace(state=TOLD, told=seq, charged=charged)

    def void(self) -> Pull:
        """Remove its outcome from the statistics."""
        return self._replace(state=VOID)

    def amend(self, value: float, size: int = 1, squares: float | None = None) -> Pull:
        """Replace its outcome, or the numbers of an aggregate, which count from now on."""
        return self._replace(state=TOLD, value=value, size=size, squares=squares)

    def add_to(self, arm: Arm) -> Arm:
        """Return an arm with the outcome, or the aggregate, of this pull."""
        assert self.value is not None
        return arm.add_outcome(self.value) if self.squares is None else arm.add(self.size, self.value, self.squares)


class Item(NamedTuple):
    """One item that every arm can answer, with its effect at the last refit.

    Attributes
    ----------
    position : int
    name : str
    answers : int
        How many arms had answered it.
    residuals : float
        Sum over these arms of their mean outcome on it less the mean of the arm.
    """

    position: int
    name: str
    answers: int = 0
    residuals: float = 0.0


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
